// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ValueHandle.h"

#include <map>

namespace heddle::simt {

/// A lane of a vector of a net; of no vector: anything will do.
struct NetLane {
  static constexpr unsigned Nothing = ~0u;
  unsigned node = Nothing, lane = 0;
  bool operator==(const NetLane &other) const { return node == other.node && lane == other.lane; }
};

/// Vectors of one length that are put together of lanes of others: planned first, so that their
/// number is known before anything is written. What a vector is made of is planned before it.
class WaveNet {
public:
  /// `bytes`: of shared memory, all of which may be read.
  WaveNet(llvm::Value &shared, llvm::Type *element, unsigned lanes, int64_t bytes);

  unsigned value(llvm::Value *); ///< a vector of the program, or a scalar (lane 0)
  unsigned row(int64_t place);   ///< what lies in shared memory from this byte on
  /// These lanes, each where it is wanted.
  unsigned make(llvm::SmallVector<NetLane, 32> wanted);

  unsigned steps() const { return steps_; } ///< shuffles and loads that were planned

  /// Written where it is asked for first; later it must be asked for behind that.
  llvm::Value *emit(llvm::IRBuilder<> &, unsigned node);
  /// Its first lanes, as the type says: a vector or a scalar.
  llvm::Value *emitAs(llvm::IRBuilder<> &, unsigned node, llvm::Type *);

private:
  enum class Kind { Value, Row, Shuffle };
  struct Node {
    Kind kind = Kind::Value;
    llvm::WeakTrackingVH given = {}; ///< of a value
    int64_t place = 0;               ///< of a row
    unsigned first = 0, second = 0;
    llvm::SmallVector<int, 32> picks = {}; ///< of a shuffle
    llvm::WeakTrackingVH emitted = {};
  };
  using Lanes = llvm::SmallVector<NetLane, 32>;
  /// Two vectors, of which one gives the lanes whose number has this bit.
  using Blend = std::tuple<unsigned, unsigned, unsigned>;

  static void noteSources(const Lanes &, llvm::SmallVectorImpl<unsigned> &sources);
  bool isInPlace(const NetLane &from, unsigned lane) const {
    return from.node == NetLane::Nothing || from.lane == lane;
  }
  void takeFromBefore(Lanes &) const;
  void moveIntoPlace(Lanes &);
  unsigned blendByBits(const Lanes &, unsigned first, unsigned bit);
  unsigned blendInPlace(const Lanes &);
  unsigned blendOneByOne(const Lanes &, llvm::ArrayRef<unsigned> sources);
  unsigned shuffle(unsigned first, unsigned second, llvm::SmallVector<int, 32> picks);
  void forgetFrom(unsigned node);
  llvm::Value *emitRow(llvm::IRBuilder<> &, int64_t place);

  llvm::Value &shared_;
  llvm::Type *element_;
  unsigned lanes_;
  int64_t bytes_, size_;
  unsigned steps_ = 0;
  std::vector<Node> nodes_;
  llvm::DenseMap<llvm::Value *, unsigned> values_;
  std::map<int64_t, unsigned> rows_;
  std::map<Blend, unsigned> blends_;
  /// Vectors that hold a lane of another vector at another place: by vector, lane and place.
  std::map<std::tuple<unsigned, unsigned, unsigned>, unsigned> moved_;
};

} // namespace heddle::simt
