// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"
#include "base/abi/launch_proof.h"
#include "device/block_box.h"

#include <vector>

namespace heddle::device {

/// A launch, as far as proofs depend on it.
struct ProofLaunch {
  const uint8_t *params;
  uint32_t gridDim[3], blockDim[3];
  uint32_t dynamicSharedBytes;
  const uint8_t *globals;              ///< the module's variables
  bool isAlone;                        ///< nothing that runs at the same time touches its memory
  bool (*isSampled)(Bounds) = nullptr; ///< a texture is there; null: it is not known
};

/// In which checks nothing could be found.
struct Proven {
  bool memory = false, races = false; ///< of races, in a launch that is alone
  /// Likewise once a block of these has been looked at, and nothing was found: they are alike in what
  /// they do with shared memory.
  bool memoryOfRest = false, racesOfRest = false;
  BlockBox rest;
  bool sync = false, floats = false; ///< of any launch
};

/// What a proof says of one launch.
class LaunchProver {
public:
  /// `boundsAt`: of the allocation at an address; 0 bytes if there is none, or it was freed.
  LaunchProver(const LaunchProof &, const ProofLaunch &, Bounds (*boundsAt)(uint64_t));
  Proven run();
  /// Offsets of those whose memory no two threads race for.
  std::vector<uint32_t> paramsWithoutRaces() const;
  /// Whether all are, in what they do with shared memory.
  bool areBlocksAlike() const;

private:
  /// From low to high; empty (high below low) where no thread comes to the place.
  struct Interval {
    int64_t low = 0, high = 0;
    unsigned zeros = 0; ///< lowest bits of all numbers that are 0
    static Interval number(int64_t);
    bool isEmpty() const { return high < low; }
    bool isOne() const { return low == high; }
  };
  struct Dim {
    int64_t step;
    uint64_t count; ///< 0: for ever
    uint32_t thread;
  };
  struct Sum {
    __int128 start = 0;
    std::vector<Dim> dims;
  };
  /// Of numbers of so many bits with a sign.
  static int64_t leastOf(int64_t bits);
  static int64_t mostOf(int64_t bits);
  void evaluate();
  BlockBox alikeBlocks();
  bool areAlikeIn(const BlockBox &);
  Interval valueOf(const ProofNode &) const;
  static unsigned zerosOf(const ProofNode &, const Interval &, const Interval &, const Interval &);
  static bool fits(const ProofNode &, const Interval &);
  static Interval computed(const ProofNode &, const Interval &, const Interval &);
  static Interval limited(const ProofNode &, const Interval &, const Interval &, const Interval &);
  bool isInside(const ProvenAccess &) const;
  bool isMemoryRight(bool ofShared) const;
  uint64_t pointerAt(uint32_t param) const;
  uint64_t countOf(uint32_t thread) const;
  uint64_t countOf(const PartOfDims &) const;
  uint64_t divisorOf(const PartOfDims &) const;
  bool isPart(const PartOfDims &) const;
  bool readValue(const ProvenDim &, Sum &) const;
  bool readDims(const ProvenPlace &, Sum &) const;
  bool tellsApart(const std::vector<Dim> &, uint32_t thread) const;
  bool isOneThread(const ProvenUse &, uint32_t thread) const;
  void joinLimited(const ProvenUse &, std::vector<Dim> &) const;
  bool areSumsRight(const ProvenUse &) const;
  bool mayMeet(const ProvenUse &, const ProvenPlace &, const ProvenPlace &, unsigned &looks) const;
  bool haveOwn(const ProvenUse &) const;
  bool isApart(uint32_t use) const;
  bool isRight(uint32_t use) const;
  bool areRacesRight() const;

  const LaunchProof &proof_;
  const ProofLaunch &launch_;
  Bounds (*boundsAt_)(uint64_t);
  BlockBox blocks_; ///< of which `values_` are
  std::vector<Interval> values_;
};

} // namespace heddle::device
