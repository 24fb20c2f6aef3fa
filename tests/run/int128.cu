// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __int128 in kernels: arithmetic, shifts, comparison, division.
#include "support.h"

typedef unsigned __int128 Wide;
typedef __int128 SignedWide;

struct In {
  unsigned long long a0, a1, b0, b1;
};
struct Out {
  unsigned long long low, high;
};

struct Arithmetic {
  __host__ __device__ Out operator()(In in) const {
    Wide a = Wide(in.a1) << 64 | in.a0, b = Wide(in.b1) << 64 | in.b0;
    Wide r = a + b * 3;
    r ^= a * b;
    r -= b;
    r = r << (in.a0 & 127) | r >> (in.b0 & 63);
    if (a < b)
      r += 1;
    if (SignedWide(a) < SignedWide(b))
      r ^= Wide(SignedWide(a) >> (in.b0 & 127));
    return {(unsigned long long)r, (unsigned long long)(r >> 64)};
  }
};

struct Divide {
  __host__ __device__ Out operator()(In in) const {
    Wide a = Wide(in.a1) << 64 | in.a0, b = Wide(in.b1) << 64 | in.b0 | 1;
    Wide r = a / b * 5 + a % b;
    SignedWide s = SignedWide(a) / SignedWide(in.b0 >> 20 | 1) + SignedWide(a) % SignedWide(in.b0 >> 3 | 1);
    r ^= Wide(s);
    return {(unsigned long long)r, (unsigned long long)(r >> 64)};
  }
};

int main() {
  Random random(10);
  std::vector<In> in;
  for (int i = 0; i < 400; i++) {
    In v = {random.next(), random.next(), random.next(), random.next()};
    if (i % 3 == 0)
      v.b1 >>= random.below(64);
    if (i % 3 == 1)
      v.b1 = 0;
    in.push_back(v);
  }
  mapOnDevice<Arithmetic>("arithmetic", in, {dim3(96), dim3(33)});
  mapOnDevice<Divide>("divide", in, {dim3(96), dim3(33)});
  return finish();
}
