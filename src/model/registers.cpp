// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of a thread: those that live at a time, by the data flow between blocks and the order of
// instructions within them. Predicates have registers of their own; parameters need none.
#include "model/lowering.h"

#include <algorithm>

namespace heddle::model {
namespace {

class Liveness {
public:
  Liveness(const MachineCode &code, const Fusion &fusion)
      : code_(code), kernel_(*code.kernel), words_((code.registerCount + 63) / 64) {
    weight_.resize(code.registerCount, 1);
    for (uint32_t r = 0; r < kernel_.registerBits.size(); ++r) {
      const unsigned bits = kernel_.registerBits[r];
      weight_[r] = bits == 1 || fusion.isFree[r] ? 0 : static_cast<uint8_t>((bits + 31) / 32);
    }
    const size_t blocks = code.blocks.size();
    in_.resize(blocks, Set(words_)), out_.resize(blocks, Set(words_));
  }

  int run() {
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (size_t b = code_.blocks.size(); b-- > 0;)
        isChanged |= update(b);
    }
    int most = 0;
    for (size_t b = 0; b < code_.blocks.size(); ++b)
      most = std::max(most, pressureIn(b));
    return most;
  }

private:
  using Set = std::vector<uint64_t>;
  static bool has(const Set &set, uint32_t r) { return set[r / 64] >> r % 64 & 1; }
  static void put(Set &set, uint32_t r) { set[r / 64] |= uint64_t(1) << r % 64; }
  static void drop(Set &set, uint32_t r) { set[r / 64] &= ~(uint64_t(1) << r % 64); }

  template <typename F> void backwards(size_t b, F &&each) {
    const CodeBlock &block = code_.blocks[b];
    for (uint32_t i = block.first + block.count; i-- > block.first;)
      each(code_.instructions[i]);
  }

  bool update(size_t b) {
    Set live(words_);
    if (b < kernel_.successors.size())
      for (uint32_t next : kernel_.successors[b])
        for (size_t w = 0; w < words_; ++w)
          live[w] |= in_[next][w];
    out_[b] = live;
    backwards(b, [&](const MachineInstruction &in) { step(in, live); });
    const bool isChanged = live != in_[b];
    in_[b] = std::move(live);
    return isChanged;
  }

  static void step(const MachineInstruction &in, Set &live) {
    for (uint32_t r : in.results)
      if (r != None)
        drop(live, r);
    for (uint32_t s : in.sources)
      if (s != None)
        put(live, s);
  }

  int pressureIn(size_t b) {
    Set live = out_[b];
    int now = 0, most = 0;
    for (uint32_t r = 0; r < code_.registerCount; ++r)
      if (has(live, r))
        now += weight_[r];
    most = now;
    backwards(b, [&](const MachineInstruction &in) {
      int unused = 0; // results, which need their registers from now on back to here
      for (uint32_t r : in.results)
        if (r != None) {
          if (has(live, r))
            now -= weight_[r], drop(live, r);
          unused += weight_[r];
        }
      most = std::max(most, now + unused + static_cast<int>(in.held));
      for (uint32_t s : in.sources)
        if (s != None && !has(live, s)) {
          now += weight_[s];
          put(live, s);
        }
      most = std::max(most, now);
    });
    return most;
  }

  const MachineCode &code_;
  const KernelCode &kernel_;
  const size_t words_;
  std::vector<uint8_t> weight_;
  std::vector<Set> in_, out_;
};

} // namespace

int pressureOf(const MachineCode &code, const Fusion &fusion) {
  return Liveness(code, fusion).run();
}

} // namespace heddle::model
