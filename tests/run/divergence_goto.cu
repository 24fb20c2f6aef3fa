// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unstructured control flow: jumps into loops (irreducible), out of nested loops, between arms, Duff's device.
#include "support.h"

struct IntoLoop {
  __host__ __device__ unsigned operator()(unsigned x) const {
    unsigned i = 0, sum = 0;
    if (x & 1)
      goto middle;
  top:
    sum += i * 3;
    if (sum > 1000 + (x & 0xff))
      goto out;
  middle:
    sum += x & 15;
    i++;
    if (i < (x >> 8) % 50)
      goto top;
  out:
    return sum * 10 + i;
  }
};

struct TwoEntries {
  __host__ __device__ unsigned operator()(unsigned x) const {
    unsigned a = x & 0xff, n = 0;
    if (a & 1)
      goto left;
    goto right;
  left:
    a = a * 5 + 1, n++;
    if (n > 30 || a % 7 == 0)
      goto end;
    if (a & 2)
      goto right;
    goto left;
  right:
    a = (a ^ 0x5a) + n, n++;
    if (n > 25 || a % 11 == 0)
      goto end;
    if (a & 4)
      goto left;
    goto right;
  end:
    return a * 64 + n;
  }
};

struct OutOfNest {
  __host__ __device__ int operator()(unsigned x) const {
    int found = -1;
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        for (int k = 0; k < 3; k++)
          if (((x >> (i + j)) & 7) == unsigned(k + 4)) {
            found = i * 100 + j * 10 + k;
            goto done;
          }
    found = -2;
  done:
    return found * 3;
  }
};

struct Shared {
  __host__ __device__ unsigned operator()(unsigned x) const {
    unsigned r = 0;
    if (x & 1) {
      r = 1;
      if (x & 2)
        goto common;
      r = 2;
    } else {
      r = 3;
      if (x & 4)
        goto common;
      if (x & 8)
        goto last;
      r = 4;
    }
    r = r * 10 + (x & 0xf0);
    goto last;
  common:
    r = r * 100 + 7;
    if (x & 16)
      r++;
  last:
    return r + x % 3;
  }
};

struct Duff {
  __host__ __device__ unsigned operator()(unsigned x) const {
    unsigned count = x % 29 + 1, n = (count + 3) / 4, v = x;
    switch (count % 4) {
    case 0:
      do {
        v = v * 3 + 1;
      case 3:
        v ^= v >> 5;
      case 2:
        v += 0x1234;
      case 1:
        v = v << 7 | v >> 25;
      } while (--n > 0);
    }
    return v;
  }
};

int main() {
  Random random(4);
  std::vector<unsigned> in;
  for (int i = 0; i < 1009; i++)
    in.push_back(random.bits());
  mapOnDevice<IntoLoop>("into a loop", in);
  mapOnDevice<TwoEntries>("a loop with two entries", in);
  mapOnDevice<OutOfNest>("out of nested loops", in);
  mapOnDevice<Shared>("shared arm", in);
  mapOnDevice<Duff>("duff", in);
  return finish();
}
