// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where lanes that part meet again. From 7.0 on two instructions say so: BSSY before the branch and BSYNC
// at the place where both ways join, its immediate postdominator. Branches that join at one place share
// them, and a branch whose condition all lanes of a warp agree on needs none.
#include "model/lowering.h"

#include <algorithm>

namespace heddle::model {
namespace {

/// Blocks above which each branch counts as one that needs them.
constexpr size_t MostBlocks = 4096;

/// Registers whose values may differ between the lanes of a warp.
std::vector<bool> divergentRegisters(const KernelCode &kernel) {
  std::vector<bool> differs(kernel.registerBits.size());
  auto isSource = [](const CodeOperation &op) {
    switch (op.operation) {
    case Operation::SpecialRegister:
      return !(op.flags & (HasImmediate | IsUniformBranch));
    case Operation::Load:
    case Operation::Atomic:
    case Operation::Texture:
    case Operation::Surface:
    case Operation::Shuffle:
    case Operation::Call:
      return true;
    default:
      return false;
    }
  };
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const CodeOperation &op : kernel.operations) {
      const bool isDivergent =
          isSource(op) || std::ranges::any_of(op.sources, [&](uint32_t source) {
            return source != None && differs[source];
          });
      for (uint32_t result : op.results)
        if (isDivergent && result != None && !differs[result])
          differs[result] = isChanged = true;
    }
  }
  return differs;
}

/// Of each block: where all ways from it meet first; None: nowhere.
std::vector<uint32_t> postdominators(const KernelCode &kernel) {
  const size_t count = kernel.blocks.size(), words = (count + 63) / 64;
  using Set = std::vector<uint64_t>;
  std::vector<Set> sets(count, Set(words, ~uint64_t(0)));
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (size_t b = count; b-- > 0;) {
      const std::vector<uint32_t> &next = kernel.successors[b];
      Set both(words, next.empty() ? 0 : ~uint64_t(0));
      for (uint32_t s : next)
        for (size_t w = 0; w < words; ++w)
          both[w] &= sets[s][w];
      both[b / 64] |= uint64_t(1) << b % 64;
      isChanged |= both != sets[b];
      sets[b] = std::move(both);
    }
  }
  auto size = [&](size_t b) {
    size_t sum = 0;
    for (uint64_t word : sets[b])
      sum += static_cast<size_t>(__builtin_popcountll(word));
    return sum;
  };
  std::vector<size_t> sizes(count);
  for (size_t b = 0; b < count; ++b)
    sizes[b] = size(b);
  std::vector<uint32_t> first(count, None);
  for (size_t b = 0; b < count; ++b)
    for (uint32_t p = 0; p < count; ++p)
      if (p != b && sets[b][p / 64] >> p % 64 & 1 &&
          (first[b] == None || sizes[p] > sizes[first[b]]))
        first[b] = p;
  return first;
}

} // namespace

std::vector<uint8_t> findMeetings(const KernelCode &kernel) {
  const size_t count = kernel.blocks.size();
  if (count > MostBlocks || kernel.successors.size() != count)
    return std::vector<uint8_t>(count, 1);
  const std::vector<bool> differs = divergentRegisters(kernel);
  const std::vector<uint32_t> joins = postdominators(kernel);
  std::vector<uint8_t> meets(count), isTaken(count);
  for (size_t b = 0; b < count; ++b) {
    const CodeBlock &block = kernel.blocks[b];
    if (kernel.successors[b].size() < 2 || !block.count || joins[b] == None || isTaken[joins[b]])
      continue;
    const CodeOperation &last = kernel.operations[block.first + block.count - 1];
    const uint32_t condition = last.sources[3];
    meets[b] = !(last.flags & IsUniformBranch) && (condition == None || differs[condition]);
    isTaken[joins[b]] = meets[b];
  }
  return meets;
}

} // namespace heddle::model
