// RUN: %heddle cc %s -o %t
// RUN: env HEDDLE_WIDTH=32 %t
// RUN: %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp permutes an array in place, without a barrier between its loads and its stores.
#include "support.h"

struct Colour {
  float red, green, blue;
};

__global__ void permute(const Colour *in, const int *to, Colour *out) {
  __shared__ Colour colours[64];
  __shared__ int places[64];
  int t = threadIdx.x;
  colours[t] = in[t];
  places[t] = to[t];
  __syncthreads();
  if (t < 32)
    colours[places[t]] = colours[t];
  __syncthreads();
  out[t] = colours[t];
}

int main() {
  for (int factor : {1, 5, 13, 31}) {
    std::vector<Colour> in(64), want(64);
    std::vector<int> to(64);
    for (int i = 0; i < 64; i++) {
      in[i] = {float(i), float(2 * i), float(3 * i)};
      to[i] = i < 32 ? (i * factor + 7) % 32 : i;
      want[to[i]] = in[i];
    }
    Buffer<Colour> deviceIn(in), out(64);
    Buffer<int> deviceTo(to);
    permute<<<1, 64>>>(deviceIn, deviceTo, out);
    checkLaunch();
    std::vector<Colour> got = out.get();
    std::vector<float> flat, flatWant;
    for (int i = 0; i < 64; i++) {
      flat.insert(flat.end(), {got[i].red, got[i].green, got[i].blue});
      flatWant.insert(flatWant.end(), {want[i].red, want[i].green, want[i].blue});
    }
    expectAll("permute", flat, flatWant);
  }
  return finish();
}
