// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memcpy and memset of namespace std, in kernels, in functions for both sides and on the host.
// RUN: %heddle cc %s -o %t
// RUN: %widths %t
#include "support.h"

#include <cstring>

__host__ __device__ unsigned bitsOf(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

__global__ void copy(const float *in, unsigned *out) {
  unsigned i = threadInGrid();
  unsigned pair[2] = {1, bitsOf(in[i])};
  std::memset(pair, 0xff, sizeof(unsigned));
  std::memcpy(out + 2 * i, pair, sizeof(pair));
}

int main() {
  Random random(3);
  std::vector<float> values(200);
  for (float &value : values)
    value = static_cast<float>(random.between(-1, 1));
  Buffer<float> in(values);
  Buffer<unsigned> out(2 * values.size());
  copy<<<5, 40>>>(in, out);
  std::vector<unsigned> got = out.get();
  for (size_t i = 0; i < values.size(); ++i) {
    expect("filled", i, got[2 * i], ~0u);
    expect("copied", i, got[2 * i + 1], bitsOf(values[i]));
  }
  return finish();
}
