// RUN: %heddle cc -fatbin -DLIBRARY -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 %s -o %t.fatbin
// RUN: %heddle cc -cubin -DLIBRARY %s -o %t.cubin
// RUN: %heddle cc %s -o %t.exe
// RUN: %widths %t.exe %t.fatbin
// RUN: %widths %t.exe %t.cubin
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code that is loaded while the program runs (cudaLibrary*), of a file and of memory: its kernels by name and all
// of them, its variables, two libraries of the same code side by side, and what cannot be loaded.
#ifdef LIBRARY

__device__ int offset = 5;
__constant__ int factors[4] = {1, 2, 3, 4};
__managed__ int calls = 100;

extern "C" __global__ void scale(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    calls++;
  if (i < n)
    p[i] = p[i] * factors[i % 4] + offset;
}
extern "C" __global__ void large(int *p) {
  extern __shared__ int shared[];
  shared[blockDim.x * 200 + threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = shared[blockDim.x * 200 + (threadIdx.x ^ 1)];
}

#else

#include "support.h"

#include <fstream>
#include <iterator>
#include <string>

static int *deviceInts(const std::vector<int> &values) {
  int *p;
  CUDA_OK(cudaMalloc(&p, values.size() * sizeof(int)));
  CUDA_OK(cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  return p;
}
static std::vector<int> hostInts(const int *p, size_t count) {
  std::vector<int> values(count);
  CUDA_OK(cudaMemcpy(values.data(), p, count * sizeof(int), cudaMemcpyDeviceToHost));
  return values;
}

static cudaLibrary_t load(const void *code, bool isPreserved) {
  cudaLibrary_t library;
  cudaLibraryOption option = cudaLibraryBinaryIsPreserved;
  CUDA_OK(cudaLibraryLoadData(&library, code, nullptr, nullptr, 0, &option, nullptr, isPreserved));
  return library;
}

static cudaKernel_t kernelOf(cudaLibrary_t library, const char *name) {
  cudaKernel_t kernel;
  CUDA_OK(cudaLibraryGetKernel(&kernel, library, name));
  return kernel;
}

extern "C" cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
extern "C" cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t, dim3, dim3, void **, size_t,
                                               cudaStream_t);

// Runs `scale` in one of six ways and compares with the same on the host.
static void runScale(cudaLibrary_t library, int way, int offset) {
  Random random(static_cast<uint64_t>(way) + 1);
  int n = 777;
  std::vector<int> values(static_cast<size_t>(n));
  for (int &value : values)
    value = static_cast<int>(random.next() % 100000);
  int *p = deviceInts(values);
  cudaKernel_t kernel = kernelOf(library, "scale");
  void *args[] = {&p, &n};
  if (way == 0) {
    CUDA_OK(cudaLaunchKernel(kernel, 7, 128, args, 0, nullptr));
  } else if (way == 1) {
    cudaLaunchConfig_t config = {};
    config.gridDim = 7;
    config.blockDim = 128;
    CUDA_OK(cudaLaunchKernelExC(&config, kernel, args));
  } else if (way == 2) {
    cudaLaunchConfig_t config = {};
    config.gridDim = 7;
    config.blockDim = 128;
    CUDA_OK(cudaLaunchKernelEx(&config, kernel, p, n));
  } else if (way == 3) {
    cudaKernel_t again;
    CUDA_OK(__cudaGetKernel(&again, kernel));
    CUDA_OK(__cudaLaunchKernel(again, 7, 128, args, 0, nullptr));
  } else if (way == 4) {
    CUDA_OK(cudaDeviceSynchronize());
    CUDA_OK(__cudaLaunchKernel_ptsz(kernel, 7, 128, args, 0, nullptr));
    CUDA_OK(cudaStreamSynchronize(cudaStreamPerThread));
  } else {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t executable;
    cudaKernelNodeParams params = {};
    params.func = kernel;
    params.gridDim = 7;
    params.blockDim = 128;
    params.kernelParams = args;
    CUDA_OK(cudaGraphCreate(&graph, 0));
    CUDA_OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
    CUDA_OK(cudaGraphLaunch(executable, nullptr));
    CUDA_OK(cudaDeviceSynchronize());
    CUDA_OK(cudaGraphExecDestroy(executable));
    CUDA_OK(cudaGraphDestroy(graph));
  }
  std::vector<int> found = hostInts(p, values.size());
  for (size_t i = 0; i < values.size(); ++i)
    expect("scale", static_cast<int>(i), found[i],
           values[i] * (static_cast<int>(i % 4) + 1) + offset);
  CUDA_OK(cudaFree(p));
}

static void testVariables(cudaLibrary_t library) {
  void *p;
  size_t bytes;
  CUDA_OK(cudaLibraryGetGlobal(&p, &bytes, library, "offset"));
  expect("bytes of offset", 0, bytes, sizeof(int));
  int value = 0;
  CUDA_OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  expect("offset", 0, value, 5);
  value = 1234;
  CUDA_OK(cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice));
  runScale(library, 0, 1234);
  value = 5;
  CUDA_OK(cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice));
  CUDA_OK(cudaLibraryGetGlobal(nullptr, &bytes, library, "factors"));
  expect("bytes of factors", 0, bytes, 4 * sizeof(int));
  CUDA_OK(cudaLibraryGetManaged(&p, &bytes, library, "calls"));
  expect("bytes of calls", 0, bytes, sizeof(int));
  expect("calls", 0, *static_cast<int *>(p), 101);
  cudaPointerAttributes attributes;
  CUDA_OK(cudaPointerGetAttributes(&attributes, p));
  expect("managed", 0, static_cast<int>(attributes.type), static_cast<int>(cudaMemoryTypeManaged));
  expectError("no such global", cudaLibraryGetGlobal(&p, &bytes, library, "nothing"),
              cudaErrorSymbolNotFound);
  CUDA_OK(cudaLibraryGetGlobal(&p, &bytes, library, "calls")); // a managed one
  expectError("no managed one", cudaLibraryGetManaged(&p, &bytes, library, "offset"),
              cudaErrorSymbolNotFound);
  expectError("no place", cudaLibraryGetGlobal(nullptr, nullptr, library, "offset"),
              cudaErrorInvalidValue);
  expectError("no name", cudaLibraryGetGlobal(&p, &bytes, library, nullptr), cudaErrorInvalidValue);
  expectError("unified function", cudaLibraryGetUnifiedFunction(&p, library, "scale"),
              cudaErrorInvalidValue);
}

static void testKernels(cudaLibrary_t library) {
  unsigned count = 0;
  CUDA_OK(cudaLibraryGetKernelCount(&count, library));
  expect("kernels", 0, count, 2u);
  cudaKernel_t all[3] = {};
  CUDA_OK(cudaLibraryEnumerateKernels(all, 3, library));
  cudaKernel_t scale = kernelOf(library, "scale"), large = kernelOf(library, "large");
  expectTrue("both", (all[0] == scale && all[1] == large) || (all[0] == large && all[1] == scale));
  expectTrue("no third", all[2] == nullptr);
  expectError("no such kernel", cudaLibraryGetKernel(&all[2], library, "nothing"),
              cudaErrorSymbolNotFound);
  const char *name = nullptr;
  CUDA_OK(cudaFuncGetName(&name, reinterpret_cast<const void *>(scale)));
  expectTrue("name", std::string(name) == "scale");
  cudaFuncAttributes attributes;
  CUDA_OK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(large)));
  expect("dynamic shared memory", 0, attributes.maxDynamicSharedSizeBytes, 48 << 10);

  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i)
    values[static_cast<size_t>(i)] = i;
  int *p = deviceInts(values);
  void *args[] = {&p};
  const int shared = 64 * 201 * sizeof(int);
  expectError("too much", cudaLaunchKernel(large, 1, 64, args, shared, nullptr),
              cudaErrorInvalidValue);
  CUDA_OK(cudaKernelSetAttributeForDevice(large, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          shared, 0));
  CUDA_OK(cudaLaunchKernel(large, 1, 64, args, shared, nullptr));
  std::vector<int> found = hostInts(p, 64);
  for (int i = 0; i < 64; ++i)
    expect("large", i, found[static_cast<size_t>(i)], i ^ 1);
  CUDA_OK(cudaFree(p));
}

// Two of the same code have their own variables; the copy does not need the program's bytes.
static void testTwo(const std::vector<char> &bytes) {
  auto *passing = new std::vector<char>(bytes);
  cudaLibrary_t first = load(passing->data(), false);
  cudaLibrary_t second = load(bytes.data(), true);
  std::fill(passing->begin(), passing->end(), 0);
  delete passing;
  void *p;
  int value = 77;
  CUDA_OK(cudaLibraryGetGlobal(&p, nullptr, first, "offset"));
  CUDA_OK(cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice));
  runScale(first, 1, 77);
  runScale(second, 2, 5);
  expectTrue("other kernels", kernelOf(first, "scale") != kernelOf(second, "scale"));
  cudaKernel_t gone = kernelOf(first, "scale");
  CUDA_OK(cudaLibraryUnload(first));
  expectError("unloaded", cudaLibraryUnload(first), cudaErrorInvalidResourceHandle);
  expectError("its kernel", cudaLaunchKernel(gone, 1, 1, nullptr, 0, nullptr),
              cudaErrorInvalidDeviceFunction);
  runScale(second, 3, 5);
  CUDA_OK(cudaLibraryUnload(second));
}

static void testErrors(const char *file, const std::vector<char> &bytes) {
  cudaLibrary_t library = nullptr;
  auto loadText = [&](const std::string &text) {
    return cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  };
  expectError("a cubin of NVIDIA's",
              loadText(std::string("\x7f"
                                   "ELF\2\1\1\0\0\0\0\0\0\0\0\0",
                                   16)),
              cudaErrorNoKernelImageForDevice);
  expectError("a fatbinary of NVIDIA's",
              loadText(std::string("\x50\xed\x55\xba\1\0\x10\0\0\0\0\0\0\0\0\0", 16)),
              cudaErrorNoKernelImageForDevice);
  expectError("PTX", loadText("\n.version 8.7\n.target sm_90\nwrong\n"), cudaErrorInvalidPtx);
  expectError("text", loadText("this is no device code at all"), cudaErrorInvalidKernelImage);
  expectError("no code",
              cudaLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0),
              cudaErrorInvalidValue);
  for (uintptr_t nowhere : {uintptr_t(16), uintptr_t(1) << 62})
    expectError(
        "no memory",
        cudaLibraryLoadData(&library, (void *)nowhere, nullptr, nullptr, 0, nullptr, nullptr, 0),
        cudaErrorInvalidValue);
  for (size_t at = 0; at < 96; at++) { // magic, version, sizes, sums, the first offsets
    std::vector<char> damaged = bytes;
    damaged[at] = (char)~damaged[at];
    if (cudaLibraryLoadData(&library, damaged.data(), nullptr, nullptr, 0, nullptr, nullptr, 0) ==
        cudaSuccess)
      printf("damaged byte %zu is taken\n", at);
    cudaGetLastError();
  }
  expectError("no place",
              cudaLibraryLoadData(nullptr, bytes.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
              cudaErrorInvalidValue);
  cudaLibraryOption option = cudaLibraryHostUniversalFunctionAndDataTable;
  void *value = nullptr;
  expectError("table",
              cudaLibraryLoadData(&library, bytes.data(), nullptr, nullptr, 0, &option, &value, 1),
              cudaErrorNotSupported);
  expectError(
      "no file",
      cudaLibraryLoadFromFile(&library, "/nonexistent", nullptr, nullptr, 0, nullptr, nullptr, 0),
      cudaErrorFileNotFound);
  const std::string cut = std::string(file) + ".cut";
  std::ofstream(cut, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size() / 2));
  expectError(
      "half a file",
      cudaLibraryLoadFromFile(&library, cut.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
      cudaErrorInvalidKernelImage);
  cudaKernel_t kernel;
  expectError("no library", cudaLibraryGetKernel(&kernel, nullptr, "scale"),
              cudaErrorInvalidResourceHandle);
}

int main(int, char **argv) {
  cudaLibrary_t library;
  CUDA_OK(cudaLibraryLoadFromFile(&library, argv[1], nullptr, nullptr, 0, nullptr, nullptr, 0));
  testVariables(library);
  for (int way = 0; way < 6; ++way)
    runScale(library, way, 5);
  testKernels(library);
  CUDA_OK(cudaLibraryUnload(library));
  std::ifstream in(argv[1], std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)),
                                std::istreambuf_iterator<char>());
  testTwo(bytes);
  testErrors(argv[1], bytes);
  return finish();
}

#endif
