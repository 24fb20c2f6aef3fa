// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all that fetch ahead have in common (prefetch.cpp says how they work together).
#pragma once

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <deque>
#include <map>
#include <set>

namespace heddle::jit {

inline constexpr int64_t Line = 64;   ///< bytes
inline constexpr int64_t Page = 4096; ///< bytes; the processor's own prefetchers stop at its end

/// A plain or masked load or store of bytes that lie side by side.
struct RangeAccess {
  llvm::Instruction *instruction = nullptr; ///< null: it is something else
  llvm::Value *address = nullptr;
  int64_t bytes = 0;
  bool isStore = false, isMasked = false;

  static RangeAccess from(llvm::Instruction &);
  /// What accesses of neighbouring lines count from, and bytes from there.
  std::pair<const llvm::Value *, int64_t> place() const;
};

/// The nearest cache that fetched lines come to, and what for.
enum class FetchInto { First, Second };
enum class FetchFor { Reading, Writing };

/// Which lines of an access are fetched.
enum class FetchRange {
  All,        ///< those that it begins in or goes on in
  WholeLines, ///< no rest of a line, unless several accesses make one together
  ToLastByte, ///< All, and the one that it ends in: it may begin anywhere in a line
};

/// Lines that are worth fetching, because of an access.
struct Fetch {
  struct Part {
    int64_t offset;           ///< bytes behind the access's address
    llvm::Instruction *place; ///< which it is fetched in front of
  };

  RangeAccess access;
  llvm::SmallVector<Part, 4> parts;
  const llvm::SCEV *ahead = nullptr; ///< bytes; null: it is not fetched
};

/// What one source of accesses wants of a function. First its accesses are added, then it says how
/// far ahead they are fetched.
class Fetches {
public:
  Fetches(llvm::ScalarEvolution &evolution, FetchRange range, FetchInto into, FetchFor what)
      : evolution_(evolution), expander_(evolution, "ahead"), range_(range), into_(into),
        for_(what) {}

  /// The lines of an access that no other of its block has brought: those that are a constant
  /// number of bytes apart share lines. Null if there are none.
  Fetch *add(const RangeAccess &);
  std::deque<Fetch> &all() { return all_; }

  void setAhead(Fetch &fetch, int64_t bytes);
  /// So many rounds of a loop that moves the access by `stride` in each (simt/analysis/strides.h),
  /// if that can be computed in front of it by what cannot fail.
  void setAhead(Fetch &fetch, const llvm::SCEV &stride, unsigned rounds);

  /// A line that is fetched: of a block, from a value on, so far ahead.
  using Fetched =
      std::tuple<const llvm::BasicBlock *, const llvm::Value *, int64_t, const llvm::SCEV *>;
  /// Makes the prefetches, but of lines that another source fetches as well. Whether there are any.
  bool emit(std::set<Fetched> &fetched);

private:
  void emit(llvm::IRBuilder<> &, llvm::Value *address);

  llvm::ScalarEvolution &evolution_;
  llvm::SCEVExpander expander_;
  FetchRange range_;
  FetchInto into_;
  FetchFor for_;
  std::deque<Fetch> all_;
  /// Lines of a block, from a value on: those that are fetched, and how many bytes of them several
  /// accesses fill.
  using Place = std::tuple<const llvm::BasicBlock *, const llvm::Value *, int64_t>;
  std::set<Place> seen_;
  std::map<Place, int64_t> filled_;
};

} // namespace heddle::jit
