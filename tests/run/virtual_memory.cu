// RUN: %nvcc %s -o %t -lcuda && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual memory as pools of programs use it: addresses for all that may come, memory mapped piece by piece, kernels over
// the seams and through two mappings of one memory. Where nothing is mapped they fault.
// NVCC: -lcuda
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    int code = int(call);                                                                          \
    if (code) {                                                                                    \
      printf("FAILED %d: %s\n", code, #call);                                                      \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)
#define EXPECT(condition)                                                                          \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("FAILED: %s\n", #condition);                                                          \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

__global__ void count(int *to, size_t n, int from) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    to[i] = from + int(i);
}

/// Each thread writes through one pointer and reads through the other.
__global__ void through(int *to, const int *from, int *seen) {
  int i = threadIdx.x;
  to[i] = 7 * i;
  __syncthreads();
  seen[i] = from[i];
}

size_t unit;
CUmemAccessDesc allowed;

CUmemGenericAllocationHandle makeMemory(size_t bytes) {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CHECK(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
  allowed.location = properties.location;
  allowed.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CUmemGenericAllocationHandle handle;
  CHECK(cuMemCreate(&handle, bytes, &properties, 0));
  return handle;
}

void map(CUdeviceptr at, CUmemGenericAllocationHandle handle, size_t bytes) {
  CHECK(cuMemMap(at, bytes, 0, handle, 0));
  CHECK(cuMemSetAccess(at, bytes, &allowed, 1));
}

int main() {
  CHECK(cudaSetDevice(0));
  CHECK(cudaFree(0));
  int has = 0;
  CHECK(cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  EXPECT(has);
  auto first = makeMemory(2 << 20), second = makeMemory(4 << 20);
  EXPECT((2 << 20) % unit == 0);
  CUdeviceptr p;
  constexpr size_t Reserved = size_t(32) << 30;
  CHECK(cuMemAddressReserve(&p, Reserved, 0, 0, 0));
  int *ints = (int *)p, value[2];
  map(p, first, 2 << 20);
  count<<<4, 256>>>(ints, (2 << 20) / 4, 100);
  map(p + (2 << 20), second, 4 << 20);
  count<<<4, 256>>>(ints + (2 << 20) / 4 - 10, 1000, 5); // over the seam
  CHECK(cudaMemcpy(value, ints + (2 << 20) / 4 - 11, sizeof value, cudaMemcpyDefault));
  EXPECT(value[0] == 100 + (2 << 20) / 4 - 11 && value[1] == 5);
  CHECK(cudaMemcpy(value, ints + (2 << 20) / 4 + 988, sizeof value, cudaMemcpyDefault));
  EXPECT(value[0] == 1003 && value[1] == 1004);

  // The same memory once more: a kernel sees by one address what it wrote by the other.
  CUdeviceptr again;
  CHECK(cuMemAddressReserve(&again, 4 << 20, 0, 0, 0));
  map(again, second, 4 << 20);
  int *seen, all[256];
  CHECK(cudaMalloc(&seen, sizeof all));
  through<<<1, 256>>>(ints + (2 << 20) / 4, (int *)again, seen);
  CHECK(cudaMemcpy(all, seen, sizeof all, cudaMemcpyDefault));
  for (int i = 0; i < 256; ++i)
    EXPECT(all[i] == 7 * i);
  CHECK(cuMemUnmap(again, 4 << 20));
  CHECK(cuMemAddressFree(again, 4 << 20));
  CHECK(cuMemRelease(first));
  CHECK(cuMemRelease(second));
  CHECK(cuMemUnmap(p + (2 << 20), 4 << 20));
  count<<<1, 256>>>(ints, 256, 1);
  CHECK(cudaDeviceSynchronize());
  count<<<1, 256>>>(ints + (2 << 20) / 4 - 10, 256, 1);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  puts("ok");
}
