// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XORWOW for the host API: 4096 streams, 2^67 numbers apart, or (CURAND_ORDERING_PSEUDO_SEEDED) of
// a seed each.
#include "lanes.h"

#include <heddle/random/uniform.h>
#include <heddle/random/xorwow.h>

#include <cstring>

namespace heddle::rand {

namespace {

using Array = uint32_t[BlockLanes];

HEDDLE_CLONES void stepLanes(uint32_t *first, const uint32_t *last, uint32_t *weyl,
                             uint32_t *words) {
  for (size_t i = 0; i < BlockLanes; ++i) {
    uint32_t t = first[i] ^ first[i] >> 2;
    first[i] = (last[i] ^ last[i] << 4) ^ (t ^ t << 1);
    weyl[i] += random::WeylStep;
    words[i] = first[i] + weyl[i];
  }
}

/// The registers' words are arrays that change their parts instead of their places: after `turn`
/// steps word k is in v[(k + turn) % 5].
class XorwowBlock {
public:
  void set(size_t lane, const curandStateXORWOW &s) {
    for (int k = 0; k < 5; ++k)
      v[k][lane] = s.v[k];
    d[lane] = s.d;
  }

  void next(uint32_t *words, size_t first, size_t last) {
    if (first != 0 || last != BlockLanes)
      return nextOfSome(words, first, last);
    stepLanes(v[turn], v[(turn + 4) % 5], d, words);
    turn = (turn + 1) % 5;
  }

  /// Puts the words back into their places.
  void settle() {
    Array copy[5];
    std::memcpy(copy, v, sizeof v);
    for (int k = 0; k < 5; ++k)
      std::memcpy(v[k], copy[(k + turn) % 5], sizeof(Array));
    turn = 0;
  }

private:
  void nextOfSome(uint32_t *words, size_t first, size_t last) {
    settle();
    for (size_t i = first; i < last; ++i) {
      curandStateXORWOW s;
      for (int k = 0; k < 5; ++k)
        s.v[k] = v[k][i];
      s.d = d[i];
      words[i - first] = curand(&s);
      set(i, s);
    }
  }

  Array v[5], d;
  int turn = 0;
};

struct XorwowStreams {
  using Block = XorwowBlock;
  static constexpr size_t Count = 4096;
  static constexpr int DoubleWords = 2;
  /// Between the seeds of neighbouring streams in the seeded ordering, as measured on a GPU.
  static constexpr uint64_t SeedStep = 3133713;

  explicit XorwowStreams(const Settings &settings) : blocks(Count / BlockLanes) {
    curandStateXORWOW first;
    random::seedXorwow(settings.seed, first);
    for (size_t s = 0; s < Count; ++s) {
      if (settings.ordering == CURAND_ORDERING_PSEUDO_SEEDED)
        random::seedXorwow(settings.seed + s * SeedStep, first);
      curandStateXORWOW state = first;
      skipahead(settings.offset / Count + (s < settings.offset % Count), &state);
      blocks[s / BlockLanes].set(s % BlockLanes, state);
      skipahead_sequence(1, &first);
    }
  }

  size_t start(const Settings &settings) const { return settings.offset % Count; }

  static void bits(Words &w, size_t n, uint32_t *out) { std::memcpy(out, w[0], n * sizeof *out); }
  static void uniform(const uint32_t *w, size_t n, float *out) { toUniform(w, out, n); }
  static void uniformDouble(Words &w, int at, size_t n, double *out) {
    toUniformDouble(w[at], w[at + 1], out, n);
  }
  static void oneWordDouble(const uint32_t *w, size_t n, double *out) {
    toUniformDouble(w, out, n);
  }

  std::vector<Block> blocks;
};

} // namespace

std::unique_ptr<Engine> makeXorwow(const Settings &settings) {
  return std::make_unique<LaneEngine<XorwowStreams>>(settings);
}

} // namespace heddle::rand
