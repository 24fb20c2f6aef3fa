// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bool in memory whose byte is neither 0 nor 1 is true, wherever a kernel asks for it
// (src/plugin/test_bools.cpp).
//
// NVCC: -std=c++17
// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %heddle run -G %s
#include "support.h"

constexpr int Bytes = 256, Forms = 14;

struct Flags {
  bool first;
  int number;
  bool list[2];
};

__device__ __noinline__ int choose(bool flag) { return flag ? 1 : 0; }

__device__ bool byReference(const bool &flag) { return flag; }

__global__ void read(const bool *flags, const Flags *structs, volatile bool *polled, int *out) {
  int i = threadIdx.x, form = 0;
  auto put = [&](int value) { out[form++ * Bytes + i] = value; };
  put(flags[i] ? 1 : 0);
  put(!flags[i] ? 0 : 1);
  int arm = 0;
  if (flags[i])
    arm = 1;
  put(arm);
  put(flags[i] && i >= 0);
  put(flags[i] || i < 0);
  put(choose(flags[i]));
  put(byReference(flags[i]) ? 1 : 0);
  put(structs[i].first ? 1 : 0);
  put(structs[i].list[1] ? 1 : 0);
  Flags copy = structs[i];
  put(copy.list[0] ? 1 : 0);
  put(polled[i] ? 1 : 0);
  __shared__ bool tile[Bytes];
  reinterpret_cast<unsigned char *>(tile)[i] = reinterpret_cast<const unsigned char *>(flags)[i];
  __syncthreads();
  put(tile[i] ? 1 : 0);
  put(__ballot_sync(0xffffffff, flags[i]) >> (i % 32) & 1);
  int rounds = 0;
  while (flags[i] && rounds < 1)
    rounds++;
  put(rounds);
}

// A flag that cudaMemset has set, and one in a kernel's parameter.
__global__ void readParameter(Flags flags, int *out) {
  out[0] = flags.first ? 1 : 0;
  out[1] = flags.list[1] ? 1 : 0;
}

int main() {
  std::vector<unsigned char> bytes(Bytes);
  std::vector<Flags> structs(Bytes);
  for (int i = 0; i < Bytes; i++) {
    bytes[i] = (unsigned char)i;
    std::memset(&structs[i], i, sizeof(Flags));
  }
  unsigned char *flags;
  Flags *records;
  int *out;
  CUDA_OK(cudaMalloc(&flags, Bytes));
  CUDA_OK(cudaMalloc(&records, Bytes * sizeof(Flags)));
  CUDA_OK(cudaMalloc(&out, Forms * Bytes * sizeof(int)));
  CUDA_OK(cudaMemcpy(flags, bytes.data(), Bytes, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(records, structs.data(), Bytes * sizeof(Flags), cudaMemcpyHostToDevice));
  read<<<1, Bytes>>>((bool *)flags, records, (bool *)flags, out);
  std::vector<int> got(Forms * Bytes);
  CUDA_OK(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int form = 0; form < Forms; form++)
    for (int i = 0; i < Bytes; i++)
      expect("form " + std::to_string(form), i, got[form * Bytes + i], i != 0 ? 1 : 0);
  for (int i = 0; i < Bytes; i += 2) {
    readParameter<<<1, 1>>>(structs[i], out);
    CUDA_OK(cudaMemcpy(got.data(), out, 2 * sizeof(int), cudaMemcpyDeviceToHost));
    expect("parameter.first", i, got[0], i != 0 ? 1 : 0);
    expect("parameter.list", i, got[1], i != 0 ? 1 : 0);
  }
  return finish();
}
