// RUN: %heddle cc -fatbin -DMODULE %s -o %t.fatbin
// RUN: %heddle cc %s -o %t.exe -lcuda
// RUN: env HEDDLE_DEVICE=h200,h200 %t.exe %t.fatbin
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and kernels of the driver API: their attributes and parameters, launches in all ways, old ones too,
// occupancy, libraries.
#ifdef MODULE

#include <cooperative_groups.h>

__device__ int total;
__managed__ int runs = 7;

extern "C" __global__ void mix(char c, double d, short s, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = float(c + d * i + s);
}
extern "C" __global__ void reverse(int *p) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void together(int *p) {
  atomicAdd(p, 1);
  cooperative_groups::this_grid().sync();
  if (*(volatile int *)p != int(gridDim.x * blockDim.x))
    p[1] = 1;
}
extern "C" __global__ void count() { atomicAdd(&total, 1); }
extern "C" __global__ void __launch_bounds__(64) bounded(int *p) {
  __shared__ int few[32];
  few[threadIdx.x % 32] = *p;
  __syncthreads();
  *p = few[0];
}

#else

#include "driver.h"

static const int N = 200;

struct MixParams {
  char c;
  double d;
  short s;
  float *out;
  int n;
};

static void checkMix(const char *way, Buffer<float> &out, const MixParams &p) {
  std::vector<float> found(N);
  CUDA_OK(cudaMemcpy(found.data(), out, N * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; ++i)
    expect(way, i, found[size_t(i)], float(p.c + p.d * i + p.s));
  CUDA_OK(cudaMemset(out, 0, N * sizeof(float)));
}

static void testLaunches(CUfunction mix) {
  Buffer<float> out(N);
  MixParams p = {3, 0.25, -9, out, N};
  void *args[] = {&p.c, &p.d, &p.s, &p.out, &p.n};
  DRIVER_OK(cuLaunchKernel(mix, 2, 1, 1, 128, 1, 1, 0, nullptr, args, nullptr));
  checkMix("parameters", out, p);
  DRIVER_OK(cuLaunchKernel(mix, 2, 1, 1, 128, 1, 1, 0, CU_STREAM_PER_THREAD, args, nullptr));
  CUDA_OK(cudaStreamSynchronize(cudaStreamPerThread));
  checkMix("the thread's stream", out, p);
  size_t bytes = sizeof p;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &p, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  DRIVER_OK(cuLaunchKernel(mix, 2, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
  checkMix("a buffer", out, p);
  CUlaunchConfig config = {};
  config.gridDimX = 2, config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 128, config.blockDimY = config.blockDimZ = 1;
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = 2, attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  DRIVER_OK(cuLaunchKernelEx(&config, mix, args, nullptr));
  checkMix("a configuration", out, p);
  DRIVER_OK(cuLaunchKernelEx(&config, mix, nullptr, extra));
  checkMix("a configuration and a buffer", out, p);

  expectCode("both", cuLaunchKernel(mix, 2, 1, 1, 128, 1, 1, 0, nullptr, args, extra),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("none", cuLaunchKernel(mix, 2, 1, 1, 128, 1, 1, 0, nullptr, nullptr, nullptr),
             CUDA_ERROR_INVALID_VALUE);
  bytes = sizeof p - 8;
  expectCode("a short buffer", cuLaunchKernel(mix, 2, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra),
             CUDA_ERROR_INVALID_VALUE);
  extra[0] = (void *)77;
  expectCode("no such name", cuLaunchKernel(mix, 2, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no grid", cuLaunchKernel(mix, 0, 1, 1, 128, 1, 1, 0, nullptr, args, nullptr),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("a large block", cuLaunchKernel(mix, 1, 1, 1, 2048, 1, 1, 0, nullptr, args, nullptr),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("much shared memory",
             cuLaunchKernel(mix, 1, 1, 1, 32, 1, 1, 1 << 30, nullptr, args, nullptr),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no function", cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr),
             CUDA_ERROR_INVALID_HANDLE);
  expectCode("no stream", cuLaunchKernel(mix, 1, 1, 1, 1, 1, 1, 0, (CUstream)args, args, nullptr),
             CUDA_ERROR_INVALID_HANDLE);
  expectCode("no configuration", cuLaunchKernelEx(nullptr, mix, args, nullptr),
             CUDA_ERROR_INVALID_VALUE);
  attribute.value.clusterDim.x = 3;
  expectCode("no such clusters", cuLaunchKernelEx(&config, mix, args, nullptr),
             CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

static void testCooperative(CUfunction together) {
  Buffer<int> p(2);
  void *args[] = {&p.data};
  DRIVER_OK(cuLaunchCooperativeKernel(together, 2, 1, 1, 64, 1, 1, 0, nullptr, args));
  std::vector<int> found(2);
  CUDA_OK(cudaMemcpy(found.data(), p, 2 * sizeof(int), cudaMemcpyDeviceToHost));
  expect("threads", 0, found[0], 128);
  expect("late ones", 0, found[1], 0);
  expectCode("too many",
             cuLaunchCooperativeKernel(together, 1 << 20, 1, 1, 64, 1, 1, 0, nullptr, args),
             CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  expectCode("no function", cuLaunchCooperativeKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, args),
             CUDA_ERROR_INVALID_HANDLE);
  int value = 1;
  DRIVER_OK(cuLaunchHostFunc(nullptr, [](void *p) { *(int *)p += 41; }, &value));
  CUDA_OK(cudaDeviceSynchronize());
  expect("a host function", 0, value, 42);
  expectCode("no host function", cuLaunchHostFunc(nullptr, nullptr, &value),
             CUDA_ERROR_INVALID_VALUE);
}

// One grid on each of two devices, of modules of their own.
static void testTwoDevices(const std::vector<char> &image) {
  CUDA_LAUNCH_PARAMS grids[2] = {};
  int *counts[2];
  void *args[2];
  CUmodule modules[2];
  for (int i = 0; i < 2; ++i) {
    CUDA_OK(cudaSetDevice(i));
    CUDA_OK(cudaMalloc(&counts[i], 2 * sizeof(int)));
    CUDA_OK(cudaMemset(counts[i], 0, 2 * sizeof(int)));
    DRIVER_OK(cuModuleLoadData(&modules[i], image.data()));
    CUDA_LAUNCH_PARAMS &grid = grids[i];
    grid.function = functionOf(modules[i], "together");
    grid.gridDimX = 2, grid.gridDimY = grid.gridDimZ = 1;
    grid.blockDimX = 32, grid.blockDimY = grid.blockDimZ = 1;
    CUDA_OK(cudaStreamCreate(&grid.hStream));
    args[i] = &counts[i];
    grid.kernelParams = &args[i];
  }
  DRIVER_OK(cuLaunchCooperativeKernelMultiDevice(grids, 2, 0));
  for (int i = 0; i < 2; ++i) {
    CUDA_OK(cudaSetDevice(i));
    std::vector<int> found(2);
    CUDA_OK(cudaMemcpy(found.data(), counts[i], 2 * sizeof(int), cudaMemcpyDeviceToHost));
    expectAll("on a device", found, {64, 0});
  }
  CUfunction second = grids[1].function;
  grids[1].function = functionOf(modules[1], "reverse");
  expectCode("two kernels", cuLaunchCooperativeKernelMultiDevice(grids, 2, 0),
             CUDA_ERROR_INVALID_VALUE);
  grids[1].function = grids[0].function;
  expectCode("another context's", cuLaunchCooperativeKernelMultiDevice(grids, 2, 0),
             CUDA_ERROR_INVALID_HANDLE);
  grids[1].function = second;
  expectCode("no grids", cuLaunchCooperativeKernelMultiDevice(grids, 0, 0),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("too many", cuLaunchCooperativeKernelMultiDevice(grids, 3, 0),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("none", cuLaunchCooperativeKernelMultiDevice(nullptr, 2, 0), CUDA_ERROR_INVALID_VALUE);
  for (int i = 0; i < 2; ++i) {
    CUDA_OK(cudaSetDevice(i));
    CUDA_OK(cudaFree(counts[i]));
    CUDA_OK(cudaStreamDestroy(grids[i].hStream));
    DRIVER_OK(cuModuleUnload(modules[i]));
  }
  CUDA_OK(cudaSetDevice(0));
}

static void testOldLaunches(CUmodule module, CUfunction mix) {
  Buffer<float> out(N);
  MixParams p = {3, 0.5, 2, out, N};
  expectCode("no block shape", cuLaunchGrid(mix, 2, 1), CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuFuncSetBlockShape(mix, 64, 2, 1));
  DRIVER_OK(cuFuncSetBlockShape(mix, 128, 1, 1));
  DRIVER_OK(cuFuncSetSharedSize(mix, 16));
  DRIVER_OK(cuParamSetSize(mix, sizeof p));
  DRIVER_OK(cuParamSetv(mix, offsetof(MixParams, c), &p.c, sizeof p.c));
  DRIVER_OK(cuParamSetv(mix, offsetof(MixParams, d), &p.d, sizeof p.d));
  DRIVER_OK(cuParamSetv(mix, offsetof(MixParams, s), &p.s, sizeof p.s));
  DRIVER_OK(cuParamSetv(mix, offsetof(MixParams, out), &p.out, sizeof p.out));
  DRIVER_OK(cuParamSeti(mix, offsetof(MixParams, n), N));
  DRIVER_OK(cuLaunchGrid(mix, 2, 1));
  checkMix("an old launch", out, p);
  float half;
  p.d = 0.25;
  memcpy(&half, (char *)&p.d + 4, sizeof half);
  DRIVER_OK(cuParamSetf(mix, offsetof(MixParams, d) + 4, half));
  DRIVER_OK(cuLaunchGridAsync(mix, 2, 1, CU_STREAM_PER_THREAD));
  CUDA_OK(cudaStreamSynchronize(cudaStreamPerThread));
  checkMix("an old launch in a stream", out, p);
  DRIVER_OK(cuParamSetSize(mix, 8));
  expectCode("few parameters", cuLaunchGrid(mix, 2, 1), CUDA_ERROR_INVALID_VALUE);
  CUfunction count = functionOf(module, "count");
  DRIVER_OK(cuFuncSetBlockShape(count, 32, 1, 1));
  DRIVER_OK(cuLaunch(count));
  int total = 0;
  CUDA_OK(cudaMemcpy(&total, (void *)globalOf(module, "total", sizeof total), sizeof total,
                     cudaMemcpyDeviceToHost));
  expect("cuLaunch", 0, total, 32);
  expectCode("no block", cuFuncSetBlockShape(mix, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
  expectCode("no grid", cuLaunchGrid(mix, 0, 1), CUDA_ERROR_INVALID_VALUE);
  expectCode("before the first", cuParamSeti(mix, -4, 1), CUDA_ERROR_INVALID_VALUE);
  expectCode("behind the last", cuParamSetSize(mix, 1 << 20), CUDA_ERROR_INVALID_VALUE);
  expectCode("no data", cuParamSetv(mix, 0, nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  expectCode("no function", cuFuncSetBlockShape(nullptr, 1, 1, 1), CUDA_ERROR_INVALID_HANDLE);
  expectCode("nor size", cuFuncSetSharedSize(nullptr, 1), CUDA_ERROR_INVALID_HANDLE);
  expectCode("nor parameter", cuParamSetf(nullptr, 0, 1), CUDA_ERROR_INVALID_HANDLE);
  expectCode("nor launch", cuLaunch(nullptr), CUDA_ERROR_INVALID_HANDLE);
}

static int attribute(CUfunction function, CUfunction_attribute which) {
  int value = -99;
  DRIVER_OK(cuFuncGetAttribute(&value, which, function));
  return value;
}

static void testAttributes(CUmodule module) {
  CUfunction bounded = functionOf(module, "bounded"), reverse = functionOf(module, "reverse");
  expect("bounds", 0, attribute(bounded, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 64);
  expect("shared", 0, attribute(bounded, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 128);
  cudaFuncAttributes all;
  CUDA_OK(cudaFuncGetAttributes(&all, (const void *)bounded));
  const int same[] = {all.maxThreadsPerBlock,
                      int(all.sharedSizeBytes),
                      int(all.constSizeBytes),
                      int(all.localSizeBytes),
                      all.numRegs,
                      all.ptxVersion,
                      all.binaryVersion,
                      all.cacheModeCA,
                      all.maxDynamicSharedSizeBytes,
                      all.preferredShmemCarveout,
                      all.clusterDimMustBeSet,
                      all.requiredClusterWidth,
                      all.requiredClusterHeight,
                      all.requiredClusterDepth,
                      all.nonPortableClusterSizeAllowed,
                      all.clusterSchedulingPolicyPreference};
  for (int i = 0; i < CU_FUNC_ATTRIBUTE_MAX; ++i)
    expect("attribute", i, attribute(bounded, CUfunction_attribute(i)), same[i]);
  int value;
  expectCode("no attribute", cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX, bounded),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no value", cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, bounded),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no function", cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr),
             CUDA_ERROR_INVALID_HANDLE);

  Buffer<int> p(std::vector<int>{1, 2, 3, 4});
  void *args[] = {&p.data};
  const int shared = 60 << 10;
  expectCode("too much", cuLaunchKernel(reverse, 1, 1, 1, 4, 1, 1, shared, nullptr, args, nullptr),
             CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuFuncSetAttribute(reverse, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared));
  DRIVER_OK(cuLaunchKernel(reverse, 1, 1, 1, 4, 1, 1, shared, nullptr, args, nullptr));
  std::vector<int> found(4);
  CUDA_OK(cudaMemcpy(found.data(), p, 4 * sizeof(int), cudaMemcpyDeviceToHost));
  expectAll("reverse", found, {4, 3, 2, 1});
  expectCode("read only", cuFuncSetAttribute(reverse, CU_FUNC_ATTRIBUTE_NUM_REGS, 3),
             CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuFuncSetCacheConfig(reverse, CU_FUNC_CACHE_PREFER_L1));
  expectCode("no such cache", cuFuncSetCacheConfig(reverse, CUfunc_cache(9)),
             CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuFuncSetSharedMemConfig(reverse, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
  expectCode("no such banks", cuFuncSetSharedMemConfig(reverse, CUsharedconfig(9)),
             CUDA_ERROR_INVALID_VALUE);
}

static void testParams(CUfunction mix) {
  const size_t offsets[] = {offsetof(MixParams, c), offsetof(MixParams, d), offsetof(MixParams, s),
                            offsetof(MixParams, out), offsetof(MixParams, n)},
               sizes[] = {1, 8, 2, 8, 4};
  size_t offset, size;
  for (size_t i = 0; i < 5; ++i) {
    DRIVER_OK(cuFuncGetParamInfo(mix, i, &offset, &size));
    expect("offset", int(i), offset, offsets[i]);
    expect("size", int(i), size, sizes[i]);
  }
  DRIVER_OK(cuFuncGetParamInfo(mix, 0, &offset, nullptr));
  expectCode("no parameter", cuFuncGetParamInfo(mix, 5, &offset, &size), CUDA_ERROR_INVALID_VALUE);
  expectCode("no place", cuFuncGetParamInfo(mix, 0, nullptr, &size), CUDA_ERROR_INVALID_VALUE);
  const char *name = nullptr;
  DRIVER_OK(cuFuncGetName(&name, mix));
  expectTrue("name", std::string(name) == "mix");
  expectCode("no name", cuFuncGetName(nullptr, mix), CUDA_ERROR_INVALID_VALUE);
}

static void testFuncLoad(const std::vector<char> &image) {
  CUmodule module;
  DRIVER_OK(cuModuleLoadData(&module, image.data()));
  CUfunction function = functionOf(module, "count");
  CUfunctionLoadingState state;
  DRIVER_OK(cuFuncIsLoaded(&state, function));
  expectTrue("not yet", state == CU_FUNCTION_LOADING_STATE_UNLOADED);
  DRIVER_OK(cuFuncLoad(function));
  DRIVER_OK(cuFuncIsLoaded(&state, function));
  expectTrue("loaded", state == CU_FUNCTION_LOADING_STATE_LOADED);
  expectCode("no state", cuFuncIsLoaded(nullptr, function), CUDA_ERROR_INVALID_VALUE);
  expectCode("no function", cuFuncIsLoaded(&state, nullptr), CUDA_ERROR_INVALID_HANDLE);
  DRIVER_OK(cuModuleUnload(module));
}

static void testOccupancy(CUfunction mix) {
  int blocks = 0, want = 0, grid = 0, block = 0, wantGrid = 0, wantBlock = 0;
  const void *same = (const void *)mix;
  DRIVER_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mix, 96, 1000));
  CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&want, same, 96, 1000));
  expect("blocks", 0, blocks, want);
  DRIVER_OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      &blocks, mix, 96, 1000, CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE));
  expect("blocks with flags", 0, blocks, want);
  expectCode("no such flag",
             cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, mix, 96, 0, 8),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no threads", cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mix, 0, 0),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no function", cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nullptr, 32, 0),
             CUDA_ERROR_INVALID_HANDLE);
  for (int limit : {0, 100, 64}) {
    DRIVER_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, mix, nullptr, 20000, limit));
    CUDA_OK(cudaOccupancyMaxPotentialBlockSize(&wantGrid, &wantBlock, same, 20000, limit));
    expect("grid", limit, grid, wantGrid);
    expect("block", limit, block, wantBlock);
  }
  DRIVER_OK(cuOccupancyMaxPotentialBlockSizeWithFlags(
      &grid, &block, mix, [](int threads) { return size_t(threads) * 100; }, 0, 0, 0));
  CUDA_OK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      &wantGrid, &wantBlock, same, [](int threads) { return size_t(threads) * 100; }));
  expect("grid by size", 0, grid, wantGrid);
  expect("block by size", 0, block, wantBlock);
  expectCode("no place", cuOccupancyMaxPotentialBlockSize(nullptr, &block, mix, nullptr, 0, 0),
             CUDA_ERROR_INVALID_VALUE);
  size_t bytes = 0, wantBytes = 0;
  DRIVER_OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, mix, 2, 64));
  CUDA_OK(cudaOccupancyAvailableDynamicSMemPerBlock(&wantBytes, same, 2, 64));
  expect("shared memory", 0, bytes, wantBytes);
  expectCode("no blocks", cuOccupancyAvailableDynamicSMemPerBlock(&bytes, mix, 0, 64),
             CUDA_ERROR_INVALID_VALUE);
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 64, config.blockDimY = config.blockDimZ = 1;
  int size = 0, clusters = 0;
  DRIVER_OK(cuOccupancyMaxPotentialClusterSize(&size, mix, &config));
  expect("cluster size", 0, size, 8);
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = 4, attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
  config.attrs = &attribute, config.numAttrs = 1;
  expectCode("part of a cluster", cuOccupancyMaxActiveClusters(&clusters, mix, &config),
             CUDA_ERROR_INVALID_CLUSTER_SIZE);
  config.gridDimX = 4;
  DRIVER_OK(cuOccupancyMaxActiveClusters(&clusters, mix, &config));
  expectTrue("clusters", clusters > 0);
  expectCode("no size", cuOccupancyMaxPotentialClusterSize(nullptr, mix, &config),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no clusters", cuOccupancyMaxActiveClusters(&clusters, nullptr, &config),
             CUDA_ERROR_INVALID_VALUE);
}

int main(int, char **argv) {
  const std::vector<char> image = bytesOf(argv[1]);
  CUDA_OK(cudaFree(nullptr)); // the runtime's context is the current one for both
  CUmodule module;
  DRIVER_OK(cuModuleLoadData(&module, image.data()));
  CUfunction mix = functionOf(module, "mix");
  testLaunches(mix);
  testCooperative(functionOf(module, "together"));
  testTwoDevices(image);
  testOldLaunches(module, mix);
  testAttributes(module);
  testParams(mix);
  testFuncLoad(image);
  testOccupancy(mix);
  return finish();
}

#endif
