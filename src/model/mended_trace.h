// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces in which one line is without one flaw.
#pragma once

#include "model/mending.h"
#include "model/transactions.h"

#include <map>
#include <unordered_map>

namespace heddle::model {

/// A warp's access with the address of each lane.
struct LaneAccess {
  const CodeAccess &access;
  Space space; ///< known, if the address tells
  uint32_t lanes;
  uint64_t addresses[32];
  LaneAccess(const CodeAccess &, const WarpEvent &, const WarpTrace &);
  WarpAccess warp() const { return {lanes, access.bytes, addresses, access.flags}; }
};

/// Requests, or steps, and what they came to.
struct Waste {
  double requests = 0, has = 0, ideal = 0;
  bool isFlaw() const; ///< more than the ends of arrays bring
};
using LineWaste = std::array<Waste, FlawCount>;

/// Of each of KernelCode::lines the first that is the same line of the same file, whatever function it was
/// inlined into.
std::vector<uint32_t> sameLines(const KernelCode &);

/// Of all lines (the first of those that are the same), by blocks that are given one after the other.
class WasteFinder {
public:
  WasteFinder(MemoryRules rules, const KernelCode &code)
      : rules_(rules), code_(code), same_(sameLines(code)), lines_(code.lines.size()) {}
  void add(const BlockTrace &);
  /// With the steps of warps that divergence costs.
  std::vector<LineWaste> take();

private:
  void addAccess(const LaneAccess &);
  const MemoryRules rules_;
  const KernelCode &code_;
  const std::vector<uint32_t> same_;
  std::vector<LineWaste> lines_;
};

/// Changes the traces of blocks: one after the other, always in the same order.
class Mender {
public:
  Mender(MemoryRules rules, const KernelCode &code, uint32_t line, Flaw flaw);
  void mend(BlockTrace &);

private:
  void mendAccess(WarpEvent &, WarpTrace &);
  void gather(BlockTrace &);
  /// The bytes that these lanes ask for, side by side, where nothing else lies.
  uint64_t placeOf(const LaneAccess &);

  const MemoryRules rules_;
  const KernelCode &code_;
  const std::vector<uint32_t> same_;
  const uint32_t line_; ///< the first of those that are the same
  const Flaw flaw_;
  std::vector<bool> divergent_;                   ///< blocks of the code that have the line
  std::unordered_map<uint64_t, uint64_t> places_; ///< by what the lanes asked for
  uint64_t nextPlace_;
};

} // namespace heddle::model
