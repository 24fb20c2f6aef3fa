// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %at(8) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __shfl_sync, _up, _down, _xor for widths 2 to 32, offsets and lanes out of range, lane numbers that differ
// between lanes, and all types.
#include "support.h"

#include <cuda_fp16.h>

__global__ void modes(const int *in, const int *lanes, int *out, int width) {
  int t = threadIdx.x, v = in[t], from = lanes[t];
  int *o = out + t * 8;
  o[0] = __shfl_sync(0xffffffff, v, from, width);
  o[1] = __shfl_up_sync(0xffffffff, v, 1, width);
  o[2] = __shfl_up_sync(0xffffffff, v, from & 31, width);
  o[3] = __shfl_down_sync(0xffffffff, v, 3, width);
  o[4] = __shfl_down_sync(0xffffffff, v, from & 31, width);
  o[5] = __shfl_xor_sync(0xffffffff, v, 1, width);
  o[6] = __shfl_xor_sync(0xffffffff, v, from & 31, width);
  o[7] = __shfl_sync(0xffffffff, v, 0, width);
}

static int source(int mode, int lane, int b, int width) {
  int base = lane & ~(width - 1), end = base + width;
  switch (mode) {
  case 0: return base + (b & (width - 1));
  case 1: return lane - b >= base ? lane - b : lane;
  case 2: return lane + b < end ? lane + b : lane;
  default: {
    int j = lane ^ b;
    // A lane of an earlier group may be read, one of a later group may not.
    return j < end ? j : lane;
  }
  }
}

template <class T> __global__ void type(const T *in, T *out) {
  int t = threadIdx.x;
  T v = in[t];
  out[t * 4] = __shfl_sync(0xffffffff, v, 5);
  out[t * 4 + 1] = __shfl_up_sync(0xffffffff, v, 2);
  out[t * 4 + 2] = __shfl_down_sync(0xffffffff, v, 7);
  out[t * 4 + 3] = __shfl_xor_sync(0xffffffff, v, 16);
}

template <class T> void checkType(const char *name) {
  Random random(50);
  std::vector<T> in;
  for (int i = 0; i < 96; i++)
    in.push_back(T((long long)(random.next()) >> 5));
  std::vector<T> want(96 * 4);
  for (int t = 0; t < 96; t++) {
    int lane = t % 32, w = t - lane;
    want[t * 4] = in[w + 5];
    want[t * 4 + 1] = in[w + (lane >= 2 ? lane - 2 : lane)];
    want[t * 4 + 2] = in[w + (lane < 25 ? lane + 7 : lane)];
    want[t * 4 + 3] = in[w + (lane ^ 16)];
  }
  Buffer<T> deviceIn(in), out(want.size());
  type<<<1, 96>>>(deviceIn.data, out.data);
  checkLaunch();
  expectAll(name, out.get(), want);
}

__global__ void halves(float *out) {
  __half h = __float2half(float(threadIdx.x));
  __half2 h2 = __floats2half2_rn(float(threadIdx.x), float(threadIdx.x * 2));
  h = __shfl_xor_sync(0xffffffff, h, 3);
  h2 = __shfl_down_sync(0xffffffff, h2, 1);
  out[threadIdx.x] = __half2float(h) + __low2float(h2) + __high2float(h2);
}

int main() {
  Random random(51);
  for (int width : {32, 16, 8, 4, 2, 1}) {
    std::vector<int> in(64), lanes(64), want(64 * 8);
    for (int t = 0; t < 64; t++)
      in[t] = int(random.bits()), lanes[t] = random.below(100) - 30;
    for (int t = 0; t < 64; t++) {
      int lane = t % 32, w = t - lane, from = lanes[t] & 31;
      int sources[8] = {source(0, lane, lanes[t], width), source(1, lane, 1, width),    source(1, lane, from, width),
                        source(2, lane, 3, width),        source(2, lane, from, width), source(3, lane, 1, width),
                        source(3, lane, from, width),     source(0, lane, 0, width)};
      for (int k = 0; k < 8; k++)
        want[t * 8 + k] = in[w + sources[k]];
    }
    Buffer<int> deviceIn(in), deviceLanes(lanes), out(want.size());
    modes<<<1, 64>>>(deviceIn, deviceLanes, out, width);
    checkLaunch();
    expectAll("width " + std::to_string(width), out.get(), want);
  }
  checkType<int>("int");
  checkType<unsigned>("unsigned");
  checkType<long>("long");
  checkType<unsigned long>("unsigned long");
  checkType<long long>("long long");
  checkType<unsigned long long>("unsigned long long");
  checkType<float>("float");
  checkType<double>("double");
  Buffer<float> out(32);
  halves<<<1, 32>>>(out);
  checkLaunch();
  for (int t = 0; t < 32; t++)
    expect("half", t, out.get()[t], float((t ^ 3) + 3 * (t < 31 ? t + 1 : t)));
  return finish();
}
