// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Philox4x32-10 for the host API: 65536 subsequences that take turns (guide, 2.2.3). A turn makes
// four results, of four words of the subsequence, or of eight where results are double precision. A
// call that ends within a turn leaves it to the next call, which makes the turn's other results,
// even if they are of another distribution.
#include "convert.h"
#include "parallel.h"
#include "poisson_table.h"

#include <heddle/random/philox.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace heddle::rand {

namespace {

constexpr size_t Streams = 65536, Lanes = 256, PerTurn = 4;

/// Words of Philox for `Lanes` counters: words[k][i] is word k of lane i.
HEDDLE_CLONES void philoxLanes(const uint64_t *position, uint32_t firstStream, uint32_t key0,
                               uint32_t key1, size_t lanes, uint32_t (*words)[Lanes]) {
  for (size_t i = 0; i < lanes; ++i) {
    uint32_t c0 = static_cast<uint32_t>(position[i]), c1 = static_cast<uint32_t>(position[i] >> 32);
    uint32_t c2 = firstStream + static_cast<uint32_t>(i), c3 = 0, k0 = key0, k1 = key1;
#pragma clang loop unroll(full)
    for (int round = 0; round < 10; ++round) {
      uint64_t a = uint64_t(0xd2511f53) * c0, b = uint64_t(0xcd9e8d57) * c2;
      uint32_t n0 = static_cast<uint32_t>(b >> 32) ^ c1 ^ k0;
      uint32_t n2 = static_cast<uint32_t>(a >> 32) ^ c3 ^ k1;
      c1 = static_cast<uint32_t>(b), c3 = static_cast<uint32_t>(a), c0 = n0, c2 = n2;
      k0 += 0x9e3779b9, k1 += 0xbb67ae85;
    }
    words[0][i] = c0, words[1][i] = c1, words[2][i] = c2, words[3][i] = c3;
  }
}

/// The words of some turns, next to each other.
struct Turns {
  uint32_t words[2 * PerTurn * Lanes]; ///< those of a turn follow each other
  size_t count;
};

/// Results of whole turns: PerTurn of each.
template <typename T> using Convert = void (*)(const Turns &turns, T *out, const Request &request);

void makeBits(const Turns &t, uint32_t *out, const Request &) {
  std::memcpy(out, t.words, t.count * PerTurn * sizeof *out);
}

void makeUniform(const Turns &t, float *out, const Request &) {
  toUniform(t.words, out, t.count * PerTurn);
}

HEDDLE_CLONES void makeUniformDouble(const Turns &t, double *out, const Request &) {
  for (size_t i = 0; i < t.count * PerTurn; ++i)
    out[i] = (t.words[2 * i] ^ static_cast<uint64_t>(t.words[2 * i + 1]) << 21) * 0x1p-53 + 0x1p-54;
}

template <typename T> void makeNormalOf(const T *uniform, size_t pairs, T *out, const Request &r) {
  T u[PerTurn * Lanes / 2], angle[PerTurn * Lanes / 2];
  for (size_t i = 0; i < pairs; ++i)
    u[i] = uniform[2 * i], angle[i] = uniform[2 * i + 1];
  toNormalPairs(u, angle, out, pairs, Shape(r));
}

void makeNormal(const Turns &t, float *out, const Request &r) {
  float uniform[PerTurn * Lanes];
  makeUniform(t, uniform, r);
  makeNormalOf(uniform, t.count * PerTurn / 2, out, r);
}

void makeNormalDouble(const Turns &t, double *out, const Request &r) {
  double uniform[PerTurn * Lanes];
  makeUniformDouble(t, uniform, r);
  makeNormalOf(uniform, t.count * PerTurn / 2, out, r);
}

void makePoisson(const Turns &t, uint32_t *out, const Request &r) {
  if (r.poisson->method() == PoissonMethod::Normal) {
    float normal[PerTurn * Lanes];
    makeNormal(t, normal, Request{});
    return r.poisson->sampleNormal(normal, out, t.count * PerTurn);
  }
  double u[PerTurn * Lanes];
  toUniformDouble(t.words, u, t.count * PerTurn);
  r.poisson->sample(u, out, t.count * PerTurn);
}

class PhiloxEngine final : public Engine {
public:
  explicit PhiloxEngine(const Settings &settings)
      : key0(static_cast<uint32_t>(settings.seed)),
        key1(static_cast<uint32_t>(settings.seed >> 32)),
        next(settings.offset % (Streams * PerTurn)), position(Streams) {
    uint64_t round = settings.offset / (Streams * PerTurn);
    for (size_t s = 0; s < Streams; ++s)
      position[s] = round + (s < next / PerTurn);
  }

  void generate(const Request &r) override {
    switch (r.distribution) {
    case Distribution::Bits:
      return run<uint32_t>(r, 1, makeBits);
    case Distribution::Uniform:
      return run<float>(r, 1, makeUniform);
    case Distribution::UniformDouble:
      return run<double>(r, 2, makeUniformDouble);
    case Distribution::Normal:
      return run<float>(r, 1, makeNormal);
    case Distribution::NormalDouble:
      return run<double>(r, 2, makeNormalDouble);
    case Distribution::Poisson:
      return run<uint32_t>(r, 1, makePoisson);
    case Distribution::Bits64:
      break;
    }
  }

private:
  /// Makes the request, whose turns take `fours` times four words.
  template <typename T> void run(const Request &r, int fours, Convert<T> convert) {
    T *out = r.to<T>();
    size_t count = r.count;
    // The rest of a turn that was begun.
    if (size_t begun = next % PerTurn; begun != 0 && count != 0)
      takePart(r, fours, convert, begun, std::min(count, PerTurn - begun), out, count);
    size_t turns = count / PerTurn, firstTurn = next / PerTurn;
    inParallel(Streams / Lanes, count, [&](size_t first, size_t last) {
      for (size_t b = first; b < last; ++b)
        runBlock(r, fours, convert, b * Lanes, firstTurn, turns, out);
    });
    next = (next + turns * PerTurn) % (Streams * PerTurn);
    out += turns * PerTurn, count -= turns * PerTurn;
    if (count != 0)
      takePart(r, fours, convert, 0, count, out, count);
  }

  /// Makes results [begun, begun + taken) of the turn that comes, which ends if they are its last.
  template <typename T>
  void takePart(const Request &r, int fours, Convert<T> convert, size_t begun, size_t taken,
                T *&out, size_t &count) {
    size_t stream = next / PerTurn;
    Turns turn;
    T results[PerTurn];
    fill(turn, stream, 1, fours);
    convert(turn, results, r);
    std::copy_n(results + begun, taken, out);
    out += taken, count -= taken;
    next = (next + taken) % (Streams * PerTurn);
    if (begun + taken == PerTurn)
      position[stream] += fours;
  }

  /// The turns of one block's streams: turn t is stream (firstTurn + t) mod Streams's.
  template <typename T>
  void runBlock(const Request &r, int fours, Convert<T> convert, size_t firstStream,
                size_t firstTurn, size_t turns, T *out) {
    Turns made;
    for (size_t row = 0; row * Streams < firstTurn + turns; ++row) {
      size_t base = row * Streams + firstStream;
      size_t first = std::clamp(firstTurn, base, base + Lanes);
      size_t last = std::clamp(firstTurn + turns, base, base + Lanes);
      if (first >= last)
        continue;
      fill(made, first % Streams, last - first, fours);
      convert(made, out + (first - firstTurn) * PerTurn, r);
      for (size_t t = first; t < last; ++t)
        position[t % Streams] += fours;
    }
  }

  void fill(Turns &turns, size_t stream, size_t count, int fours) const {
    uint32_t words[PerTurn][Lanes];
    uint64_t at[Lanes];
    turns.count = count;
    for (int four = 0; four < fours; ++four) {
      for (size_t i = 0; i < count; ++i)
        at[i] = position[stream + i] + four;
      philoxLanes(at, static_cast<uint32_t>(stream), key0, key1, count, words);
      for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < PerTurn; ++k)
          turns.words[(i * fours + four) * PerTurn + k] = words[k][i];
    }
  }

  uint32_t key0, key1;
  size_t next; ///< the result that comes, of all that the streams make in a turn each
  std::vector<uint64_t> position; ///< of each stream, in fours of words
};

} // namespace

std::unique_ptr<Engine> makePhilox(const Settings &settings) {
  return std::make_unique<PhiloxEngine>(settings);
}

} // namespace heddle::rand
