// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX reads all parameters where a kernel begins. From 9.0 on these are instructions (LDC, ULDC), and the
// assembler moves each to where all its uses come from: warps that leave early do not execute it, and it
// takes no register before. Out of a loop it goes again if each iteration needs it.
#include "model/lowering.h"

#include <algorithm>

namespace heddle::model {
namespace {

/// Blocks above which all stay where they are.
constexpr size_t MostBlocks = 1024;

class Placer {
public:
  Placer(const KernelCode &kernel, const Fusion &fusion) : kernel_(kernel), fusion_(fusion) {
    findDominators();
    findUses();
  }

  std::vector<uint32_t> run() {
    std::vector<uint32_t> places(kernel_.operations.size(), None);
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      forEachOperation(b, [&](uint32_t i) {
        const uint32_t place = isConstant(i) ? placeOf(i, b) : b;
        if (place != b)
          places[i] = place;
      });
    return places;
  }

private:
  template <typename F> void forEachOperation(uint32_t b, F &&take) {
    const CodeBlock &block = kernel_.blocks[b];
    for (uint32_t i = block.first; i < block.first + block.count; ++i)
      take(i);
  }

  bool isConstant(uint32_t i) const {
    const CodeOperation &op = kernel_.operations[i];
    return !fusion_.isGone[i] &&
           (op.operation == Operation::Parameter ||
            (op.operation == Operation::SpecialRegister && op.flags & HasImmediate));
  }

  bool dominates(uint32_t a, uint32_t b) const { return above_[b][a / 64] >> a % 64 & 1; }

  void findDominators() {
    const size_t count = kernel_.blocks.size(), words = (count + 63) / 64;
    std::vector<std::vector<uint32_t>> &before = before_;
    before.resize(count);
    for (uint32_t b = 0; b < count; ++b)
      for (uint32_t next : kernel_.successors[b])
        before[next].push_back(b);
    above_.assign(count, std::vector<uint64_t>(words, ~uint64_t(0)));
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (uint32_t b = 0; b < count; ++b) {
        std::vector<uint64_t> all(words, before[b].empty() || !b ? 0 : ~uint64_t(0));
        for (uint32_t p : before[b])
          for (size_t w = 0; w < words && b; ++w)
            all[w] &= above_[p][w];
        all[b / 64] |= uint64_t(1) << b % 64;
        isChanged |= all != above_[b];
        above_[b] = std::move(all);
      }
    }
    for (uint32_t b = 0; b < count; ++b) {
      size_t size = 0;
      for (uint64_t word : above_[b])
        size += static_cast<size_t>(__builtin_popcountll(word));
      depth_.push_back(size);
      for (uint32_t next : kernel_.successors[b])
        if (dominates(next, b))
          loops_.push_back({next, b});
    }
  }

  void findUses() {
    uses_.resize(kernel_.registerBits.size());
    writers_.resize(kernel_.registerBits.size());
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      forEachOperation(b, [&](uint32_t i) {
        if (fusion_.isGone[i])
          return;
        auto use = [&](const CodeOperation &op) {
          for (uint32_t source : op.sources)
            if (source != None)
              uses_[fusion_.copyOf[source]].push_back(b);
        };
        use(kernel_.operations[i]);
        if (fusion_.maker[i] != None)
          use(kernel_.operations[fusion_.maker[i]]);
        for (uint32_t result : kernel_.operations[i].results)
          if (result != None)
            ++writers_[fusion_.copyOf[result]];
      });
  }

  /// The next block on every way to b.
  uint32_t immediate(uint32_t b) const {
    uint32_t found = b;
    for (uint32_t a = 0; a < above_.size(); ++a)
      if (a != b && dominates(a, b) && (found == b || depth_[a] > depth_[found]))
        found = a;
    return found;
  }

  uint32_t placeOf(uint32_t i, uint32_t own) const {
    uint32_t place = None;
    for (uint32_t result : kernel_.operations[i].results) {
      if (result == None)
        continue;
      const uint32_t name = fusion_.copyOf[result];
      if (writers_[name] != 1)
        return own;
      for (uint32_t use : uses_[name])
        place = place == None ? use : meet(place, use);
    }
    if (place == None || !dominates(own, place))
      return own;
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (auto [head, latch] : loops_)
        if (place != own && dominates(head, place) && dominates(place, latch) &&
            !(dominates(head, own) && dominates(own, latch))) {
          place = immediate(head), isChanged = true;
          break;
        }
    }
    // A block that another one always goes on to is one with it: clocks split them.
    while (place != own && before_[place].size() == 1 &&
           kernel_.successors[before_[place][0]].size() == 1)
      place = before_[place][0];
    return dominates(own, place) ? place : own;
  }

  uint32_t meet(uint32_t a, uint32_t b) const {
    while (!dominates(a, b))
      a = immediate(a);
    return a;
  }

  const KernelCode &kernel_;
  const Fusion &fusion_;
  std::vector<std::vector<uint32_t>> before_;
  std::vector<std::vector<uint64_t>> above_; ///< of each block those that dominate it
  std::vector<size_t> depth_;
  std::vector<std::pair<uint32_t, uint32_t>> loops_; ///< first block, and one that goes back
  std::vector<std::vector<uint32_t>> uses_;          ///< of each register, blocks
  std::vector<uint32_t> writers_;
};

} // namespace

std::vector<uint32_t> placeConstants(const KernelCode &kernel, const Fusion &fusion,
                                     const Gpu &gpu) {
  if (gpu.major < 9 || kernel.blocks.size() > MostBlocks || kernel.blocks.size() < 2 ||
      kernel.successors.size() != kernel.blocks.size())
    return std::vector<uint32_t>(kernel.operations.size(), None);
  return Placer(kernel, fusion).run();
}

} // namespace heddle::model
