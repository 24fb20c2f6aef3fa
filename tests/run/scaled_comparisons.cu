// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %heddle cc -ffast-math %s -o %t.fast
// RUN: %t.fast
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons of what is made of integers and powers of two: exactly what the host finds, on integers of all sizes and
// such as lie at the bounds.
#include "support.h"

constexpr int Count = 5003, Forms = 16; // the last warp is not whole

/// One bit for each form; `out` has what is used for more than a comparison.
__host__ __device__ inline unsigned compare(unsigned a, unsigned b, float *out) {
  unsigned bits = 0;
  auto say = [&](int form, bool holds) { bits |= unsigned(holds) << form; };
  float x = float(a >> 8) * 0x1p-24f, y = float(b >> 8) * 0x1p-24f;
  say(0, fmaf(x, x, y * y) < 1.0f);
  say(1, x < 0.3f);
  say(2, x == 0.5f);
  say(3, x <= y);
  float whole = float(a) * 0x1p-32f, other = float(b) * 0x1p-32f;
  say(4, whole - other > 0.25f);
  say(5, fabsf(whole - other) < 0x1p-20f);
  say(6, whole * other * whole >= 0.125f);
  float left = float(int(a)) * 0x1p-31f, right = float(int(b)) * 0x1p-31f;
  say(7, left * right < -0.1f);
  say(8, -left != right);
  say(9, fmaf(left, right, left * left) > 0.0f);
  say(10, left * 0.5f < right);                  // another factor beside it
  say(11, float(a >> 8) * 0.1f < 1000.0f);       // no power of two
  say(12, float(a & 15) * 4.0f < 20.0f);         // above one
  float kept = float(a >> 16) * 0x1p-16f;        // used for more
  say(13, kept < 0.7f);
  *out = kept;
  say(14, whole * whole + other < 0.5f - 0.25f); // a sum of different powers
  double wide = double(a) * 0x1p-32;
  say(15, wide * wide < 0.3);
  return bits;
}

__global__ static void each(const unsigned *a, const unsigned *b, unsigned *bits, float *kept) {
  int i = threadInGrid();
  if (i < Count)
    bits[i] = compare(a[i], b[i], kept + i);
}

int main() {
  Random random(3);
  std::vector<unsigned> a(Count), b(Count);
  for (int i = 0; i < Count; ++i) {
    a[i] = random.bits() >> random.below(33) % 32, b[i] = random.bits() >> random.below(33) % 32;
    if (i % 7 == 0)
      b[i] = a[i] + random.below(5) - 2;
    if (i % 11 == 0)
      a[i] = 0x80000000u + unsigned(random.below(1025) - 512);
    if (i % 13 == 0)
      a[i] = 0x4ccccccdu + unsigned(random.below(1025) - 512); // 0.3
    if (i % 97 == 0)
      a[i] = i % 2 ? 0 : ~0u;
  }
  Buffer<unsigned> first(a), second(b), bits(Count);
  Buffer<float> kept(Count);
  each<<<(Count + 95) / 96, 96>>>(first, second, bits, kept);
  checkLaunch();
  std::vector<unsigned> got = bits.get();
  std::vector<float> rest = kept.get();
  for (int i = 0; i < Count; ++i) {
    float out;
    unsigned want = compare(a[i], b[i], &out) & ~(1u << 14), seen = got[i] & ~(1u << 14); // contracted or not
    expect("bits", i, seen, want);
    expect("kept", i, rest[i], out);
  }
  return finish();
}
