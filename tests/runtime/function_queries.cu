// RUN: env HEDDLE_DEVICE=h200 %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be asked of a kernel and set on it, and copies of symbols in streams. The expected values are those of an
// NVIDIA H200, but for what depends on the registers that nvcc gives the kernel.
#include "../run/support.h"

__global__ void plain(int *p) { *p = 1; }
__global__ void __launch_bounds__(128) bounded(int *p, double d, char c) { *p = int(d) + c; }
/// Keeps far more than the registers that a block of so many threads may have.
template <int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks) crowded(int *p) {
  constexpr int Values = 160;
  int values[Values];
#pragma unroll
  for (int i = 0; i < Values; ++i)
    values[i] = p[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Values; ++i)
    p[Values - 1 - i] = values[i];
}
__global__ void withShared(int *p) {
  __shared__ int block[1000];
  block[threadIdx.x] = *p;
  __syncthreads();
  *p = block[999 - threadIdx.x];
}
__device__ int symbol[16];
__constant__ float coefficients[4];

static int blocksOf(const void *kernel, int threads, size_t shared) {
  int blocks = -1;
  CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
  return blocks;
}

static void occupancy() {
  const struct {
    int threads;
    size_t shared;
    int blocks;
  } cases[] = {{32, 0, 32},    {96, 0, 21},     {128, 0, 16},     {256, 49152, 4}, {1024, 0, 2},
               {1025, 0, 0},   {32, 10000, 20}, {256, 49153, 0},  {512, 0, 4}};
  for (const auto &c : cases)
    expect("blocks", c.threads * 1000000ll + c.shared, blocksOf((const void *)plain, c.threads, c.shared), c.blocks);
  expect("bounded", 0, blocksOf((const void *)bounded, 128, 0), 16);
  expect("bounded", 1, blocksOf((const void *)bounded, 129, 0), 0);
  expect("static shared", 0, blocksOf((const void *)withShared, 32, 45000), 4);
  int blocks = -1;
  CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)plain, 256, 0,
                                                                 cudaOccupancyDisableCachingOverride));
  expect("with flags", 0, blocks, 8);
  expectError("no threads", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)plain, 0, 0),
              cudaErrorInvalidValue);
  CUDA_OK(cudaFuncSetAttribute((const void *)plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  expect("after opt-in", 0, blocksOf((const void *)plain, 256, 100000), 2);
  expect("after opt-in", 1, blocksOf((const void *)plain, 256, 232448), 1);
  expectError("too much", cudaFuncSetAttribute((const void *)plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449),
              cudaErrorInvalidValue);
  int gridSize = 0, blockSize = 0;
  CUDA_OK(cudaOccupancyMaxPotentialBlockSize(&gridSize, &blockSize, plain, 0, 0));
  expect("best block", 0, blockSize, 1024);
  expect("best grid", 0, gridSize, 264);
  size_t bytes = 0;
  CUDA_OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (const void *)plain, 8, 256));
  expect("available", 8, bytes, size_t(29184));
  expectError("too many", cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (const void *)plain, 9, 256),
              cudaErrorInvalidValue);
}

static void clusters() {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(8);
  config.blockDim = dim3(128);
  int count = -1;
  CUDA_OK(cudaOccupancyMaxActiveClusters(&count, (const void *)plain, &config));
  expect("no cluster", 0, count, 0);
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUDA_OK(cudaOccupancyMaxActiveClusters(&count, (const void *)plain, &config));
  expect("some clusters", 0, count > 0, true);
  CUDA_OK(cudaOccupancyMaxPotentialClusterSize(&count, (const void *)plain, &config));
  expect("largest cluster", 0, count, 8);
}

/// A block of as many threads as __launch_bounds__ says can run, and as many blocks fit, whatever the kernel keeps.
template <int Threads, int Blocks> static void expectBounded() {
  constexpr int Size = 160, Least = Blocks ? Blocks : 1;
  auto *kernel = crowded<Threads, Blocks>;
  cudaFuncAttributes a;
  CUDA_OK(cudaFuncGetAttributes(&a, (const void *)kernel));
  expect("bounded threads", Threads, a.maxThreadsPerBlock, Threads);
  expect("bounded registers", Threads, a.numRegs > 16 && a.numRegs <= 65536 / (Threads * Least), true);
  expect("bounded blocks", Threads, blocksOf((const void *)kernel, Threads, 0) >= Least, true);
  int *p;
  CUDA_OK(cudaMallocManaged(&p, Size * sizeof *p));
  for (int i = 0; i < Size; ++i)
    p[i] = i;
  kernel<<<1, Threads>>>(p);
  CUDA_OK(cudaDeviceSynchronize());
  expect("bounded launch", Threads, p[0], Size - 1);
  CUDA_OK(cudaFree(p));
}

static void attributes() {
  cudaFuncAttributes a;
  CUDA_OK(cudaFuncGetAttributes(&a, (const void *)withShared));
  expect("static shared", 1, a.sharedSizeBytes, size_t(4000));
  expect("constant", 0, a.constSizeBytes, size_t(16));
  expect("dynamic shared", 0, a.maxDynamicSharedSizeBytes, 45152);
  expect("threads", 0, a.maxThreadsPerBlock, 1024);
  expect("registers", 0, a.numRegs > 0 && a.numRegs <= 255, true);
  CUDA_OK(cudaFuncGetAttributes(&a, (const void *)bounded));
  expect("launch bounds", 0, a.maxThreadsPerBlock, 128);
  expectBounded<1024, 1>();
  expectBounded<512, 0>();
  expectBounded<256, 4>();
  CUDA_OK(cudaFuncSetCacheConfig((const void *)plain, cudaFuncCachePreferShared));
  CUDA_OK(cudaFuncSetSharedMemConfig((const void *)plain, cudaSharedMemBankSizeFourByte));
  const char *name = nullptr;
  CUDA_OK(cudaFuncGetName(&name, (const void *)bounded));
  expect("name", 0, std::string(name) == "_Z7boundedPidc", true);
  size_t offset = 0, size = 0;
  CUDA_OK(cudaFuncGetParamInfo((const void *)bounded, 2, &offset, &size));
  expect("offset", 0, offset, size_t(16));
  expect("size", 0, size, size_t(1));
  expectError("no parameter", cudaFuncGetParamInfo((const void *)bounded, 3, &offset, &size), cudaErrorInvalidValue);
  int local;
  expectError("no kernel", cudaFuncGetAttributes(&a, &local), cudaErrorInvalidDeviceFunction);
}

static void symbols() {
  int host[16], back[16] = {};
  for (int i = 0; i < 16; ++i)
    host[i] = i * i;
  cudaStream_t stream;
  CUDA_OK(cudaStreamCreate(&stream));
  CUDA_OK(cudaMemcpyToSymbolAsync(symbol, host, sizeof host, 0, cudaMemcpyHostToDevice, stream));
  CUDA_OK(cudaMemcpyFromSymbolAsync(back, symbol, 8, 16, cudaMemcpyDeviceToHost, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  expect("symbol", 0, back[0], 16);
  expect("symbol", 1, back[1], 25);
  expectError("over its end", cudaMemcpyToSymbol(symbol, host, 65), cudaErrorInvalidValue);
  expectError("over its end", cudaMemcpyToSymbol(symbol, host, 8, 60), cudaErrorInvalidValue);
  expectError("direction", cudaMemcpyToSymbol(symbol, host, 8, 0, cudaMemcpyDeviceToHost),
              cudaErrorInvalidMemcpyDirection);
  expectError("direction", cudaMemcpyFromSymbol(host, symbol, 8, 0, cudaMemcpyHostToDevice),
              cudaErrorInvalidMemcpyDirection);
  void *address = nullptr;
  CUDA_OK(cudaGetSymbolAddress(&address, symbol));
  cudaPointerAttributes a;
  CUDA_OK(cudaPointerGetAttributes(&a, address));
  expect("memory type", 0, int(a.type), int(cudaMemoryTypeDevice));
  CUDA_OK(cudaMemcpy(back, address, 8, cudaMemcpyDeviceToHost));
  expect("by address", 0, back[1], 1);
  CUDA_OK(cudaMemset(address, 0, sizeof symbol));
  size_t bytes = 0;
  CUDA_OK(cudaGetSymbolSize(&bytes, coefficients));
  expect("size", 1, bytes, size_t(16));
  expectError("no symbol", cudaGetSymbolAddress(&address, host), cudaErrorInvalidSymbol);
  CUDA_OK(cudaStreamDestroy(stream));
}

int main() {
  occupancy();
  clusters();
  attributes();
  symbols();
  return finish();
}
