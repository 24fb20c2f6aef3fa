// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA 13's API, by --cuda-version=13, HEDDLE_CUDA_VERSION or the macro: the calls below have its signatures. Objects of
// both versions make one program.
//
// RUN: %heddle cc --cuda-version=13 -std=c++17 -dc %s -o %t13.o
// RUN: env HEDDLE_CUDA_VERSION=13 %heddle cc --cuda-version=12 -std=c++17 -dc -DOLD %s -o %t12.o
// RUN: %heddle cc %t13.o %t12.o -lcuda -o %t && %t | FileCheck %s
// CHECK: headers 13000, tool 13, runtime 13000, device code 13000
// CHECK-NEXT: headers 12080, tool 12, runtime 12080, device code 12080
// CHECK-NEXT: done
//
// RUN: not %heddle cc --cuda-version=14 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=VALUE %s
// VALUE: Value '14' is not defined for option 'cuda-version'
// RUN: env HEDDLE_CUDA_VERSION=13 %nvcc --version | FileCheck --check-prefix=VERSION %s
// VERSION: release 13.0, V13.0.88
//
// RUN: not g++ -std=c++17 -fsyntax-only -x c++ -DHEDDLE_CUDA_VERSION=13 -DREMOVED -I%build/lib/heddle/include %s 2>&1 \
// RUN:   | FileCheck --check-prefix=REMOVED %s
// REMOVED: 'cudaThreadExit' was not declared
// REMOVED: has no member named 'clockRate'
// RUN: g++ -std=c++17 -fsyntax-only -x c++ -DHEDDLE_CUDA_VERSION=13 -I%build/lib/heddle/include %s
// RUN: g++ -std=c++17 -fsyntax-only -x c++ -DHEDDLE_CUDA_VERSION=13 -DCUDA_API_PER_THREAD_DEFAULT_STREAM \
// RUN:   -I%build/lib/heddle/include %s
// RUN: not g++ -fsyntax-only -x c++ -DHEDDLE_CUDA_VERSION=11 -I%build/lib/heddle/include %s 2>&1 \
// RUN:   | FileCheck --check-prefix=MACRO %s
// MACRO: HEDDLE_CUDA_VERSION is 12 or 13
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>

#ifdef REMOVED
int removed() { return cudaThreadExit() + cudaDeviceProp().clockRate; }
#endif

#ifdef __CUDACC__
#ifdef OLD
#define ask askOld // two kernels in one program
#endif
__global__ void ask(int *version) { cudaRuntimeGetVersion(version); }

/// What each side says that it is.
static void tell() {
  int *there, runtime = 0;
  cudaMallocManaged(&there, sizeof *there);
  ask<<<1, 1>>>(there);
  cudaDeviceSynchronize();
  cudaRuntimeGetVersion(&runtime);
  std::printf("headers %d, tool %d, runtime %d, device code %d\n", CUDART_VERSION, __CUDACC_VER_MAJOR__, runtime, *there);
  cudaFree(there);
}
#endif

#ifdef OLD
static_assert(CUDA_VERSION == 12080 && sizeof(cudaDeviceProp) == 1032, "");
void old() { tell(); }
#else
static_assert(CUDART_VERSION == 13000 && CUDA_VERSION == 13000, "");
static_assert(alignof(double4_16a) == 16 && alignof(double4_32a) == 32 && alignof(double4) == 16, "");
static_assert(alignof(long4_32a) == 32 && alignof(ulonglong4_16a) == 16 && sizeof(ulong4_32a) == 32, "");
static_assert(sizeof(cudaDeviceProp) == 1008 && offsetof(cudaDeviceProp, totalConstMem) == 352, "");
static_assert(sizeof(cudaResourceDesc) == 144 && sizeof(cudaResourceViewDesc) == 112, "");
static_assert(sizeof(cudaExternalMemoryHandleDesc) == 104 && sizeof(cudaExternalMemoryBufferDesc) == 88, "");
static_assert(sizeof(cudaExternalMemoryMipmappedArrayDesc) == 128 && sizeof(cudaExternalSemaphoreHandleDesc) == 96, "");
static_assert(cudaDevAttrHostMemoryPoolsSupported == 144 && cudaMemLocationTypeNone == 0, "");

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if (auto error = call)                                                                                             \
      std::printf("%s: %d\n", #call, int(error));                                                                      \
  } while (0)

void runtimeCalls() {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  void *p;
  cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMallocManaged(&p, 4096));
  CHECK(cudaMemAdvise(p, 4096, cudaMemAdviseSetAccessedBy, device));
  CHECK(cudaMemPrefetchAsync(p, 4096, device, 0));
  cudaStream_t stream;
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamCreate(&stream));
#ifdef __CUDACC__
  float *to[] = {(float *)p}, numbers[64] = {}, *from[] = {numbers};
  size_t bytes[] = {256};
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  CHECK(cudaMemcpyBatchAsync(to, from, bytes, 1, attributes, stream));
  CHECK(cudaMemPrefetchBatchAsync(to, bytes, 1, device, 0, stream));
  CHECK(cudaStreamSynchronize(stream));
#endif
  CHECK(cudaFree(p));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  unsigned long long id;
  cudaGraph_t graph;
  const cudaGraphNode_t *nodes;
  const cudaGraphEdgeData *edges;
  size_t count;
  CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, &edges, &count));
  CHECK(cudaStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

void driverCalls() {
  CUcontext context;
  CUdevice device;
  CHECK(cuInit(0));
  CHECK(cuCtxCreate(&context, nullptr, 0, 0));
  CHECK(cuCtxGetDevice(&device));
  CHECK(cuCtxSynchronize());
  CUdeviceptr p;
  CHECK(cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL));
  CHECK(cuMemPrefetchAsync(p, 4096, {CU_MEM_LOCATION_TYPE_DEVICE, 0}, 0, nullptr));
  CHECK(cuMemAdvise(p, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, {CU_MEM_LOCATION_TYPE_DEVICE, 0}));
  CHECK(cuMemFree(p));
  CUgraph graph;
  size_t count;
  CHECK(cuGraphCreate(&graph, 0));
  CHECK(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuCtxDestroy(context));
}

#ifdef __CUDACC__
void old();
int main() {
  tell();
  old();
  runtimeCalls();
  driverCalls();
  std::printf("done\n");
}
#endif
#endif
