// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %at(8) %t
// RUN: %cpu(x86-64-v3) %at(8) %t
// RUN: %cpu(x86-64-v3) %at(32) %t
// RUN: env HEDDLE_CPU=x86-64 HEDDLE_WIDTH=32 %t
// RUN: %all env HEDDLE_DISABLE=match-bits %t
// REQUIRES: x86
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __match_any_sync, __match_all_sync in all types, and __reduce_add/min/max/and/or/xor_sync, for whole and partial
// masks.
#include "support.h"

template <class T> __global__ void match(const T *in, unsigned *out) {
  int t = threadIdx.x;
  int same;
  out[t * 3] = __match_any_sync(0xffffffff, in[t]);
  out[t * 3 + 1] = __match_all_sync(0xffffffff, in[t], &same) * 2 + (same != 0);
  unsigned r = 0;
  if (t & 1)
    r = __match_any_sync(0xaaaaaaaa, in[t]);
  out[t * 3 + 2] = r;
}

template <class T> void checkMatch(const char *name) {
  Random random(54);
  std::vector<T> in(96);
  for (int t = 0; t < 96; t++)
    in[t] = t < 32 ? T(random.below(5)) * T(0x1000001) : t < 64 ? T(7) : T(random.below(20));
  std::vector<unsigned> want;
  for (int t = 0; t < 96; t++) {
    unsigned any = 0;
    for (int k = 0; k < 32; k++)
      if (in[t / 32 * 32 + k] == in[t])
        any |= 1u << k;
    want.push_back(any);
    want.push_back(any == 0xffffffffu ? 0xffffffffu : 0);
    want.push_back(t & 1 ? any & 0xaaaaaaaau : 0);
  }
  Buffer<T> deviceIn(in);
  Buffer<unsigned> out(want.size());
  match<<<1, 96>>>(deviceIn.data, out.data);
  checkLaunch();
  expectAll(name, out.get(), want);
}

/// Few bits that can differ, and known ones between them; lanes that have gone, and a member mask.
template <class T> __global__ void matchDigits(const T *in, unsigned *out, T mask, int n) {
  int t = threadIdx.x;
  if (t >= n)
    return;
  unsigned members = t / 32 == n / 32 ? (1u << n % 32) - 1 : 0xffffffff;
  unsigned r = __match_any_sync(members, T((in[t] & T(0xd01)) | T(0x200)));
  out[t * 2] = r;
  r = 0;
  if (t & 1 && t < 64)
    r = __match_any_sync(0xaaaaaaaa, T(in[t] & mask & T(0xff)));
  out[t * 2 + 1] = r;
}

template <class T> void checkDigits(const char *name) {
  const int n = 83;
  Random random(56);
  std::vector<T> in(n);
  for (T &v : in)
    v = T(random.bits());
  T mask = 0x1b;
  std::vector<unsigned> want;
  for (int t = 0; t < n; t++) {
    unsigned first = 0, second = 0;
    for (int k = t / 32 * 32; k < n && k < t / 32 * 32 + 32; k++) {
      first |= unsigned((in[k] & T(0xd01)) == (in[t] & T(0xd01))) << k % 32;
      second |= unsigned((in[k] & mask) == (in[t] & mask)) << k % 32;
    }
    want.push_back(first);
    want.push_back(t & 1 && t < 64 ? second & 0xaaaaaaaau : 0);
  }
  Buffer<T> deviceIn(in);
  Buffer<unsigned> out(want.size());
  matchDigits<<<1, 96>>>(deviceIn.data, out.data, mask, n);
  checkLaunch();
  expectAll(name, out.get(), want);
}

// Members that have ended, or never were.
__global__ void matchEnded(const int *in, unsigned *out, int ended) {
  int t = threadIdx.x, same;
  if (t < ended)
    return;
  out[t * 2] = __match_all_sync(0xffffffff, in[t], &same);
  out[t * 2 + 1] = unsigned(same) << 8 | __popc(__match_any_sync(0xffffffff, in[t]));
}

void checkEnded() {
  constexpr int Threads = 77, Ended = 3;
  std::vector<int> in(Threads, 5);
  in[50] = 6; // of the second warp
  std::vector<unsigned> want(2 * Threads, 0);
  for (int t = Ended; t < Threads; t++) {
    int warp = t / 32, there = warp == 0 ? 32 - Ended : warp == 1 ? 32 : Threads - 64;
    want[t * 2] = warp == 0 ? ~0u << Ended : warp == 1 ? 0 : (1u << there) - 1;
    want[t * 2 + 1] = warp == 1 ? (t == 50 ? 1 : 31) : 1 << 8 | there;
  }
  Buffer<int> deviceIn(in);
  Buffer<unsigned> out(std::vector<unsigned>(2 * Threads, 0));
  matchEnded<<<1, Threads>>>(deviceIn.data, out.data, Ended);
  checkLaunch();
  expectAll("ended", out.get(), want);
}

__global__ void reduce(const unsigned *in, unsigned *out) {
  int t = threadIdx.x;
  unsigned v = in[t], *o = out + t * 9;
  o[0] = __reduce_add_sync(0xffffffff, v);
  o[1] = __reduce_min_sync(0xffffffff, v);
  o[2] = __reduce_max_sync(0xffffffff, v);
  o[3] = __reduce_and_sync(0xffffffff, v | 1);
  o[4] = __reduce_or_sync(0xffffffff, v & 0xff00);
  o[5] = __reduce_xor_sync(0xffffffff, v);
  o[6] = unsigned(__reduce_min_sync(0xffffffff, int(v)));
  o[7] = unsigned(__reduce_max_sync(0xffffffff, int(v)));
  unsigned r = 0;
  if ((t & 31) % 3 == 1)
    r = __reduce_add_sync(0x92492492, v) ^ unsigned(__reduce_min_sync(0x92492492, int(v)));
  o[8] = r;
}

int main() {
  checkMatch<int>("int");
  checkMatch<unsigned>("unsigned");
  checkMatch<long long>("long long");
  checkMatch<unsigned long long>("unsigned long long");
  checkMatch<float>("float");
  checkMatch<double>("double");
  checkDigits<unsigned>("digits");
  checkDigits<long long>("digits of 64 bits");
  checkEnded();

  Random random(55);
  std::vector<unsigned> in(64), want;
  for (unsigned &v : in)
    v = random.bits();
  for (int t = 0; t < 64; t++) {
    unsigned r[9] = {0, ~0u, 0, ~0u, 0, 0, 0x7fffffff, 0x80000000u, 0}, partSum = 0;
    int partMin = INT32_MAX;
    for (int k = 0; k < 32; k++) {
      unsigned v = in[t / 32 * 32 + k];
      r[0] += v, r[1] = std::min(r[1], v), r[2] = std::max(r[2], v), r[3] &= v | 1, r[4] |= v & 0xff00, r[5] ^= v;
      r[6] = unsigned(std::min(int(r[6]), int(v))), r[7] = unsigned(std::max(int(r[7]), int(v)));
      if (k % 3 == 1)
        partSum += v, partMin = std::min(partMin, int(v));
    }
    if (t % 32 % 3 == 1)
      r[8] = partSum ^ unsigned(partMin);
    want.insert(want.end(), r, r + 9);
  }
  Buffer<unsigned> deviceIn(in), out(want.size());
  reduce<<<1, 64>>>(deviceIn, out);
  checkLaunch();
  expectAll("reduce", out.get(), want);
  return finish();
}
