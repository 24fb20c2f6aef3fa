// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/launch_proof.h"

#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace heddle::simt {

/// The nodes of a LaunchProof. The same node has the same number.
class ProofNodes {
public:
  uint32_t add(ProofOp op, uint32_t a = 0, uint32_t b = 0, int64_t value = 0, int64_t more = 0,
               uint32_t c = 0) {
    auto [at, isNew] = numbers_.try_emplace({op, a, b, c, value, more}, uint32_t(nodes_.size()));
    if (isNew)
      nodes_.push_back({op, a, b, c, value, more});
    return at->second;
  }
  /// `a`, where it is reached from `start` by any number of steps.
  uint32_t steps(uint32_t a, uint32_t start, uint32_t step) {
    return add(ProofOp::Steps, a, start, 0, 0, step);
  }
  uint32_t span(int64_t low, int64_t high) { return add(ProofOp::Span, 0, 0, low, high); }
  uint32_t number(int64_t value) { return span(value, value); }
  /// The number that a node is in any launch.
  std::optional<int64_t> numberOf(uint32_t node) const {
    const ProofNode &known = nodes_[node];
    bool isNumber = known.op == ProofOp::Span && known.value == known.more;
    return isNumber ? std::optional(known.value) : std::nullopt;
  }
  uint32_t product(uint32_t a, uint32_t b) {
    std::optional<int64_t> first = numberOf(a), second = numberOf(b);
    int64_t both = 0;
    if (first && second && !__builtin_mul_overflow(*first, *second, &both))
      return number(both);
    if (first) // numbers come last
      std::swap(a, b), std::swap(first, second);
    return second == 1 ? a : add(ProofOp::Multiply, a, b);
  }
  /// What an integer of so many bits may be; taken with a sign, but for single bits.
  uint32_t any(unsigned bits) {
    if (bits == 1)
      return span(0, 1);
    int64_t most = bits >= 64 ? INT64_MAX : (int64_t(1) << (bits - 1)) - 1;
    return span(-most - 1, most);
  }
  const std::vector<ProofNode> &all() const { return nodes_; }
  /// A kernel that needs more is not worth it.
  bool areTooMany() const { return nodes_.size() > 4000; }

private:
  std::vector<ProofNode> nodes_;
  std::map<std::tuple<ProofOp, uint32_t, uint32_t, uint32_t, int64_t, int64_t>, uint32_t> numbers_;
};

} // namespace heddle::simt
