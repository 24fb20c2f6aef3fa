// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Special registers that CUDA C++ has no names for, as vectors, and in 16 bits as the first versions of PTX read them.
#include "ptx.h"

#define READ(type, constraint, name) asm volatile("mov." type " %0, %" name ";" : constraint(value))

__global__ void kernel(unsigned multiprocessors, unsigned *out) {
  extern __shared__ int memory[];
  __shared__ int more[5];
  more[threadIdx.x % 5] = memory[threadIdx.x] = 1; // 64 bytes
  unsigned bad = 0, value = 0, total = 0, a, b, c, d;
  READ("u32", "=r", "%pm0");
  bad |= value;
  READ("u32", "=r", "%pm7");
  bad |= value << 1;
  asm volatile("{ .reg .b64 t; mov.u64 t, %%pm3_64; cvt.u32.u64 %0, t; }" : "=r"(value));
  bad |= value << 2;
  asm volatile("{ .reg .b64 t; mov.u64 t, %%current_graph_exec; cvt.u32.u64 %0, t; }" : "=r"(value));
  bad |= (value != 0) << 11;
  asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(total));
  READ("u32", "=r", "%aggr_smem_size");
  bad |= (value <= total) << 3;
  READ("u32", "=r", "%dynamic_smem_size");
  bad |= (value != 64) << 4;
  READ("u32", "=r", "%tid.w");
  bad |= (value != 0) << 5;
  asm volatile("mov.v4.u32 {%0, %1, %2, %3}, %%tid;" : "=r"(a), "=r"(b), "=r"(c), "=r"(d));
  bad |= (a != threadIdx.x || b != threadIdx.y || c != threadIdx.z || d != 0) << 6;
  asm volatile("mov.v4.u32 {%0, %1, %2, _}, %%nctaid;" : "=r"(a), "=r"(b), "=r"(c));
  bad |= (a != gridDim.x || b != gridDim.y || c != gridDim.z) << 7;
  unsigned short half;
  asm volatile("mov.u16 %0, %%ctaid.x;" : "=h"(half));
  bad |= (half != blockIdx.x) << 8;
  unsigned count = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
  READ("u32", "=r", "%nwarpid");
  bad |= (value != count) << 9;
  READ("u32", "=r", "%warpid");
  bad |= (value >= count) << 10;
  READ("u32", "=r", "%nsmid");
  bad |= (value != multiprocessors) << 12;
  READ("u32", "=r", "%smid");
  bad |= (value >= multiprocessors) << 13;
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + thread] = bad;
}

int main() {
  const unsigned n = 3 * 80;
  Buffer<unsigned> out(n);
  cudaDeviceProp properties;
  CUDA_OK(cudaGetDeviceProperties(&properties, 0));
  kernel<<<3, dim3(10, 4, 2), 64>>>(unsigned(properties.multiProcessorCount), out);
  checkLaunch();
  std::vector<unsigned> got = out.get();
  for (unsigned i = 0; i < n; ++i)
    expect("registers", i, got[i], 0u);
  return finish();
}
