// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MRG32k3a for the host API: 81920 streams, or 4096 in the legacy ordering, 2^76 numbers apart.
#include "lanes.h"

#include <heddle/random/mrg32k3a.h>

namespace heddle::rand {

namespace {

/// The streams' recurrences; v[0..2] are the first one's values, oldest first, v[3..5] the
/// second's.
struct Recurrences {
  uint32_t v[6][BlockLanes];
};

HEDDLE_CLONES void stepLanes(Recurrences &r, uint32_t *numbers, size_t first, size_t last) {
  for (size_t i = first; i < last; ++i)
    numbers[i - first] =
        random::stepMrg(r.v[0][i], r.v[1][i], r.v[2][i], r.v[3][i], r.v[4][i], r.v[5][i]);
}

HEDDLE_CLONES void toBits(const uint32_t *numbers, size_t count, uint32_t *out) {
  for (size_t i = 0; i < count; ++i)
    out[i] = random::toMrgBits(numbers[i]);
}

HEDDLE_CLONES void toFloat(const uint32_t *numbers, size_t count, float *out) {
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<float>(random::toMrgDouble(numbers[i]));
}

HEDDLE_CLONES void toDouble(const uint32_t *numbers, size_t count, double *out) {
  for (size_t i = 0; i < count; ++i)
    out[i] = random::toMrgDouble(numbers[i]);
}

class MrgBlock {
public:
  void set(size_t lane, const curandStateMRG32k3a &s) {
    for (int k = 0; k < 3; ++k)
      state.v[k][lane] = s.s1[k], state.v[3 + k][lane] = s.s2[k];
  }
  void next(uint32_t *numbers, size_t first, size_t last) {
    stepLanes(state, numbers, first, last);
  }
  void settle() {}

private:
  Recurrences state;
};

struct MrgStreams {
  using Block = MrgBlock;
  static constexpr int DoubleWords = 1;

  static size_t count(const Settings &settings) {
    return settings.ordering == CURAND_ORDERING_PSEUDO_LEGACY ? 4096 : 81920;
  }

  explicit MrgStreams(const Settings &settings) : blocks(count(settings) / BlockLanes) {
    size_t streams = count(settings);
    curandStateMRG32k3a first;
    random::seedMrg(settings.seed, first);
    skipahead(settings.offset / streams, &first);
    for (size_t s = 0; s < streams; ++s) {
      curandStateMRG32k3a state = first;
      if (s < settings.offset % streams)
        random::nextMrg(state);
      blocks[s / BlockLanes].set(s % BlockLanes, state);
      skipahead_subsequence(1, &first);
    }
  }

  size_t start(const Settings &settings) const { return settings.offset % count(settings); }

  static void bits(Words &w, size_t n, uint32_t *out) { toBits(w[0], n, out); }
  static void uniform(const uint32_t *w, size_t n, float *out) { toFloat(w, n, out); }
  static void uniformDouble(Words &w, int at, size_t n, double *out) { toDouble(w[at], n, out); }
  static void oneWordDouble(const uint32_t *w, size_t n, double *out) { toDouble(w, n, out); }

  std::vector<Block> blocks;
};

} // namespace

std::unique_ptr<Engine> makeMrg32k3a(const Settings &settings) {
  return std::make_unique<LaneEngine<MrgStreams>>(settings);
}

} // namespace heddle::rand
