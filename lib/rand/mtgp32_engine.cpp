// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MTGP32 for the host API: 192 parameter sets, or 64 in the legacy ordering, which take turns of
// 256 words.
#include "parallel.h"
#include "words.h"

#include <curand_mtgp32dc_p_11213.h>
#include <heddle/random/mtgp32_step.h>

#include <algorithm>
#include <vector>

namespace heddle::rand {

namespace {

constexpr size_t Turn = 256;

/// The sequence of a parameter set: a window of its last values.
class Sequence {
public:
  void seed(const mtgp32_params_fast_t &chosen, unsigned seed) {
    set = &chosen;
    random::seedMtgp(ring, chosen, seed);
  }

  void next(uint32_t *words, size_t count) {
    unsigned pos = static_cast<unsigned>(set->pos), mask = set->mask;
    unsigned sh1 = static_cast<unsigned>(set->sh1), sh2 = static_cast<unsigned>(set->sh2);
    for (size_t i = 0; i < count; ++i, at = (at + 1) % MTGP32_STATE_SIZE) {
      unsigned r = random::recurMtgp(value(0), value(1), value(pos), mask, sh1, sh2, set->tbl);
      value(MTGP32_N) = r;
      words[i] = r ^ set->tmp_tbl[random::temperMtgp(value(pos - 1))];
    }
  }

private:
  unsigned &value(unsigned distance) { return ring[(at + distance) & MTGP32_STATE_MASK]; }

  const mtgp32_params_fast_t *set = nullptr;
  unsigned ring[MTGP32_STATE_SIZE] = {};
  unsigned at = 0;
};

class Mtgp32Engine final : public Engine {
public:
  explicit Mtgp32Engine(const Settings &settings)
      : sequences(settings.ordering == CURAND_ORDERING_PSEUDO_LEGACY ? 64 : 192) {
    for (unsigned i = 0; i < sequences.size(); ++i)
      sequences[i].seed(mtgp32dc_params_fast_11213[i], random::mtgpSeed(settings.seed, i));
  }

  void generate(const Request &r) override {
    inParallel(sequences.size(), r.count, [&](size_t first, size_t last) {
      for (size_t s = first; s < last; ++s)
        generateOf(s, r);
    });
    next = (next + r.count) % (sequences.size() * Turn);
  }

private:
  /// The turns of one sequence; result i of the request is the generator's result next + i.
  void generateOf(size_t s, const Request &r) {
    size_t end = next + r.count;
    for (size_t turn = s * Turn; turn < end; turn += sequences.size() * Turn) {
      size_t first = std::max(turn, next), last = std::min(turn + Turn, end);
      if (first < last)
        convertAll<uint32_t>(r, first - next, last - first,
                             [&](uint32_t *words, size_t n) { sequences[s].next(words, n); });
    }
  }

  std::vector<Sequence> sequences;
  size_t next = 0;
};

} // namespace

std::unique_ptr<Engine> makeMtgp32(const Settings &settings) {
  return std::make_unique<Mtgp32Engine>(settings);
}

} // namespace heddle::rand
