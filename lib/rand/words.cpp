// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "words.h"

namespace heddle::rand {

namespace {

/// The upper 53 bits of a word of 64.
void toUniformDouble64(const uint64_t *words, double *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<double>(words[i] >> 11) * 0x1p-53 + 0x1p-54;
}

/// What double precision makes of uniform numbers.
void finishDouble(const double *u, size_t count, const Request &r, size_t at) {
  if (r.distribution == Distribution::Poisson)
    return r.poisson->sample(u, r.to<uint32_t>() + at, count);
  double *out = r.to<double>() + at;
  if (r.distribution == Distribution::NormalDouble)
    return toNormal(u, out, count, Shape(r));
  std::memcpy(out, u, count * sizeof *out);
}

bool isPoissonOfNormal(const Request &r) {
  return r.distribution == Distribution::Poisson && r.poisson->method() == PoissonMethod::Normal;
}

void poissonOfNormal(const uint32_t *words, size_t count, const Request &r, size_t at) {
  float normal[WordsAtOnce];
  toNormal(words, normal, count, Shape(Request{}));
  r.poisson->sampleNormal(normal, r.to<uint32_t>() + at, count);
}

} // namespace

void convertWords(const uint32_t *words, size_t count, const Request &r, size_t at, bool middle) {
  switch (r.distribution) {
  case Distribution::Bits:
    std::memcpy(r.to<uint32_t>() + at, words, count * sizeof *words);
    return;
  case Distribution::Uniform:
    return middle ? toMiddle(words, r.to<float>() + at, count)
                  : toUniform(words, r.to<float>() + at, count);
  case Distribution::Normal:
    return toNormal(words, r.to<float>() + at, count, Shape(r));
  default:
    break;
  }
  if (isPoissonOfNormal(r))
    return poissonOfNormal(words, count, r, at);
  double u[WordsAtOnce];
  middle ? toMiddle(words, u, count) : toUniformDouble(words, u, count);
  finishDouble(u, count, r, at);
}

void convertWords(const uint64_t *words, size_t count, const Request &r, size_t at) {
  if (r.distribution == Distribution::Bits64) {
    std::memcpy(r.to<uint64_t>() + at, words, count * sizeof *words);
  } else if (r.distribution == Distribution::Uniform || r.distribution == Distribution::Normal ||
             isPoissonOfNormal(r)) {
    uint32_t upper[WordsAtOnce];
    for (size_t i = 0; i < count; ++i)
      upper[i] = static_cast<uint32_t>(words[i] >> 32);
    convertWords(upper, count, r, at);
  } else {
    double u[WordsAtOnce];
    toUniformDouble64(words, u, count);
    finishDouble(u, count, r, at);
  }
}

} // namespace heddle::rand
