// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of pools, and work of streams that nothing orders with its allocation or its release.
// RUN: %heddle cc -g %s -o %t && %check --tool racecheck %s %t | FileCheck %s
constexpr int N = 256;
constexpr size_t Bytes = N * sizeof(int);

__global__ void tooEarly(int *a) {
  a[threadIdx.x] = 1; // error: race-use-before-alloc
}
// CHECK: Race between write and allocation of global memory (4 bytes), in kernel tooEarly
// CHECK: the allocation by cudaMallocAsync
// CHECK: nothing orders the two
__global__ void tooLate(const int *a, int *b) {
  b[threadIdx.x] = a[threadIdx.x]; // error: race-use-after-free
}
// CHECK: Race between read and release of global memory (4 bytes), in kernel tooLate
// CHECK: the release by cudaFreeAsync
template <int> __global__ void right(int *a) { a[threadIdx.x] = 1; }

cudaStream_t one, two;
cudaEvent_t done;
void order(cudaStream_t before, cudaStream_t behind) {
  cudaEventRecord(done, before);
  cudaStreamWaitEvent(behind, done);
}

int main() {
  int *a, *b;
  cudaMalloc(&b, Bytes);
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEventCreate(&done);

  cudaMallocAsync(&a, Bytes, one);
  tooEarly<<<1, N, 0, two>>>(a);
  cudaDeviceSynchronize();
  cudaFreeAsync(a, one);

  cudaMallocAsync(&a, Bytes, one);
  cudaMemsetAsync(a, 0, Bytes, one);
  order(one, two);
  tooLate<<<1, N, 0, two>>>(a, b);
  cudaFreeAsync(a, one);
  cudaDeviceSynchronize();

  cudaMallocAsync(&a, Bytes, one);
  cudaMemsetAsync(a, 0, Bytes, two); // error: race-use-before-alloc
  cudaDeviceSynchronize();
  cudaFree(a);

  // One stream; and two in an order.
  cudaMallocAsync(&a, Bytes, one);
  right<0><<<1, N, 0, one>>>(a);
  cudaFreeAsync(a, one);
  cudaMallocAsync(&a, Bytes, one);
  order(one, two);
  right<1><<<1, N, 0, two>>>(a);
  order(two, one);
  cudaFreeAsync(a, one);
  // The host waits.
  cudaMallocAsync(&a, Bytes, one);
  cudaStreamSynchronize(one);
  right<2><<<1, N, 0, two>>>(a);
  cudaStreamSynchronize(two);
  cudaFreeAsync(a, one);
  // Memory that was another stream's.
  for (int i = 0; i < 4; ++i) {
    cudaStream_t stream = i % 2 ? one : two;
    cudaMallocAsync(&a, Bytes, stream);
    right<3><<<1, N, 0, stream>>>(a);
    cudaFreeAsync(a, stream);
    if (i == 1)
      cudaStreamSynchronize(stream);
  }
  return cudaDeviceSynchronize();
}
