// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU (here its stand-in) and boards on the CPU in one process: each is a CUDA device, the same kernels and variables
// are on both, copies between them go through the host, events of one side are waited for on the other, and no peers are
// between them.
//
// RUN: %heddle cc %s -lcublas -o %t
// RUN: rm -rf %t.libs && mkdir %t.libs
// RUN: cc -shared -fPIC -DBLAS -DBLAS_LT %S/Inputs/machine_library.c -o %t.libs/libcublas.so.12
// RUN: env HEDDLE_DEVICE=gpu,cpu HEDDLE_GPU_DRIVER=%build/lib/heddle/libgpu_stand_in.so HEDDLE_STAND_IN=k20,h200 \
// RUN:   HEDDLE_GPU_LIBRARIES=%t.libs %t | FileCheck %s --check-prefix=FIRST
// RUN: env HEDDLE_DEVICE=h200,gpu:1 HEDDLE_GPU_DRIVER=%build/lib/heddle/libgpu_stand_in.so HEDDLE_STAND_IN=h200,k20 \
// RUN:   HEDDLE_GPU_LIBRARIES=%t.libs %t | FileCheck %s --check-prefix=SECOND
// RUN: env HEDDLE_DEVICE=cpu,cpu %t
//
// FIRST: 0: {{.*}}K20
// FIRST: machine: cublasLtPrivate
// FIRST: machine: cublasCreate_v2
// FIRST: machine: cublasScnrm2_v2
// FIRST: norm 2.5 on 0
// FIRST-NOT: machine
// FIRST: norm 5 on 1
// SECOND: 0: {{.*}}H200
// SECOND: 1: {{.*}}K20
// SECOND: norm 5 on 0
// SECOND: machine: cublasScnrm2_v2
// SECOND: norm 2.5 on 1
#include "../run/support.h"
#include <cublas_v2.h>

__device__ int offset = 5;
__managed__ int launches = 0;
__constant__ int factor = 2;

__global__ void compute(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = p[i] * factor + offset;
}

static std::vector<int> ask(const int *p, int n) {
  std::vector<int> values(n);
  CUDA_OK(cudaMemcpy(values.data(), p, n * sizeof(int), cudaMemcpyDefault));
  return values;
}
static void expectAll(const char *what, const std::vector<int> &values, int first, int step) {
  for (size_t i = 0; i < values.size(); ++i)
    expect(what, int(i), values[i], first + int(i) * step);
}

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  const int n = 1000;
  int count = 0, can = -1, *p[2];
  CUDA_OK(cudaGetDeviceCount(&count));
  expect("devices", 0, count, 2);
  cudaStream_t streams[2];
  cudaEvent_t events[2];
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i)
    numbers[i] = i;
  for (int d = 0; d < 2; ++d) {
    cudaDeviceProp properties;
    CUDA_OK(cudaGetDeviceProperties(&properties, d));
    std::printf("%d: %s\n", d, properties.name);
    CUDA_OK(cudaSetDevice(d));
    CUDA_OK(cudaMalloc(&p[d], n * sizeof(int)));
    CUDA_OK(cudaStreamCreate(&streams[d]));
    CUDA_OK(cudaEventCreate(&events[d]));
    const int own = 5 + 10 * d;
    CUDA_OK(cudaMemcpyToSymbol(offset, &own, sizeof own));
    CUDA_OK(cudaMemcpy(p[d], numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    compute<<<4, 256, 0, streams[d]>>>(p[d], n);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaEventRecord(events[d], streams[d]));
    cudaPointerAttributes attributes;
    CUDA_OK(cudaPointerGetAttributes(&attributes, p[d]));
    expect("device of the memory", d, attributes.device, d);
  }
  CUDA_OK(cudaStreamWaitEvent(streams[1], events[0]));
  for (int d = 0; d < 2; ++d) // whatever is current
    CUDA_OK(cudaStreamSynchronize(streams[d]));
  expectAll("first", ask(p[0], n), 5, 2);
  expectAll("second", ask(p[1], n), 15, 2);
  CUDA_OK(cudaDeviceCanAccessPeer(&can, 0, 1));
  CUDA_OK(cudaMemcpyPeer(p[1], 1, p[0], 0, n * sizeof(int)));
  expectAll("copied between devices", ask(p[1], n), 5, 2);
  CUDA_OK(cudaSetDevice(1));
  compute<<<4, 256, 0, streams[1]>>>(p[1], n);
  CUDA_OK(cudaMemcpyAsync(p[0], p[1], n * sizeof(int), cudaMemcpyDefault, streams[1]));
  CUDA_OK(cudaStreamSynchronize(streams[1]));
  expectAll("copied back", ask(p[0], n), 25, 4);
  CUDA_OK(cudaMemset(p[1], 0, n * sizeof(int)));
  CUDA_OK(cudaMemcpy2D(p[1], 100, p[0], 200, 100, 10, cudaMemcpyDeviceToDevice));
  expect("a box", 0, ask(p[1], 30)[26], 25 + 4 * 51);

  for (int d = 0; d < 2; ++d) {
    CUDA_OK(cudaSetDevice(d));
    cublasHandle_t blas;
    float *x, values[] = {3, 4, 0, 0}, norm = 0;
    CUDA_OK(cudaMalloc(&x, sizeof values));
    CUDA_OK(cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice));
    cublasCreate(&blas);
    cublasScnrm2(blas, 2, reinterpret_cast<cuComplex *>(x), 1, &norm);
    std::printf("norm %g on %d\n", norm, d);
    CUDA_OK(cudaFree(x));
  }
  for (int d = 0; d < 2; ++d)
    CUDA_OK(cudaFree(p[d]));
  return finish();
}
