// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor copies that are not waited for, that leave their allocation, and that bring what nothing has
// written, beside their correct twins.
// RUN: %heddle cc -arch=sm_90a %s -o %t -lcuda
// RUN: %check --tool racecheck,memcheck,initcheck %s %t
#include <cstdint>
#include <cuda.h>
constexpr unsigned W = 16, H = 8, Bytes = W * H * sizeof(int), Threads = 128;

__device__ unsigned at(const void *shared) { return unsigned(__cvta_generic_to_shared(shared)); }
__device__ void begin(uint64_t *barrier) {
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(barrier)) : "memory");
  __syncthreads();
}
__device__ __forceinline__ void load(void *to, const CUtensorMap *map, int x, int y, uint64_t *barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(at(barrier)), "n"(Bytes)
               : "memory");
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at(to)), // error: out-of-bounds-access
               "l"(map), "r"(x), "r"(y), "r"(at(barrier))
               : "memory");
}
__device__ __forceinline__ void store(const CUtensorMap *map, const void *from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), // error: race-write-write
               "r"(at(from))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void wait(uint64_t *barrier) {
  asm volatile("{ .reg .pred done;\n"
               "again: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n"
               "@!done bra again; }" ::"r"(at(barrier))
               : "memory");
}
__device__ void written() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

__global__ void notWaited(const __grid_constant__ CUtensorMap map, int *out) {
  __shared__ alignas(128) int s[W * H];
  __shared__ uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0)
    load(s, &map, 0, 0, &barrier);
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x]; // error: race-asynchronous-copy
}
__global__ void waited(const __grid_constant__ CUtensorMap map, int *out) {
  __shared__ alignas(128) int s[W * H];
  __shared__ uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0)
    load(s, &map, 0, 0, &barrier);
  wait(&barrier);
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void sameBox(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int s[W * H];
  s[threadIdx.x] = blockIdx.x;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0)
    store(&map, s, 0, 0);
  written();
}
__global__ void ownBox(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int s[W * H];
  s[threadIdx.x] = blockIdx.x;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0)
    store(&map, s, 0, blockIdx.x * H);
  written();
}
__global__ void overwritten(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int s[W * H];
  s[threadIdx.x] = 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0)
    store(&map, s, 0, 0);
  s[threadIdx.x] = 2; // error: race-asynchronous-copy, race-read-write
  written();
}
// What another block writes.
__global__ void written(const __grid_constant__ CUtensorMap map, int *in, int *out) {
  __shared__ alignas(128) int s[W * H];
  __shared__ uint64_t barrier;
  begin(&barrier);
  if (blockIdx.x == 1) {
    in[threadIdx.x] = 3; // error: race-read-write
    return;
  }
  if (threadIdx.x == 0)
    load(s, &map, 0, 0, &barrier);
  wait(&barrier);
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void tooFar(const __grid_constant__ CUtensorMap map, int *out) {
  __shared__ alignas(128) int s[W * H];
  __shared__ uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0)
    load(s, &map, 0, H, &barrier);
  wait(&barrier);
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void used(const __grid_constant__ CUtensorMap map, int *out) {
  __shared__ alignas(128) int s[W * H];
  __shared__ uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0)
    load(s, &map, 0, 0, &barrier);
  wait(&barrier);
  out[threadIdx.x] = s[threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void handedOn(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(128) int s[W * H];
  __shared__ uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0) {
    load(s, &from, 0, 0, &barrier);
    wait(&barrier);
    store(&to, s, 0, H);
  }
  written();
}
__global__ void add(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x] + 1; // error: uninitialized-read
}

CUtensorMap mapOf(int *memory, unsigned rows) {
  cuuint64_t sizes[] = {W, rows}, strides[] = {W * sizeof(int)};
  cuuint32_t box[] = {W, H}, steps[] = {1, 1};
  CUtensorMap map;
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, memory, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                         CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

int main() {
  int *in, *out, *fresh, *copy;
  cudaMalloc(&in, 2 * Bytes);
  cudaMalloc(&out, 2 * Bytes);
  cudaMalloc(&fresh, Bytes);
  cudaMalloc(&copy, 2 * Bytes);
  cudaMemset(in, 1, 2 * Bytes);
  cudaMemset(out, 1, 2 * Bytes);
  CUtensorMap map = mapOf(in, 2 * H), unwritten = mapOf(fresh, H), wrong = mapOf(fresh, 2 * H);
  notWaited<<<1, Threads>>>(map, out);
  waited<<<1, Threads>>>(map, out);
  sameBox<<<2, Threads>>>(mapOf(out, 2 * H));
  ownBox<<<2, Threads>>>(mapOf(out, 2 * H));
  overwritten<<<1, Threads>>>(mapOf(out, 2 * H));
  written<<<2, Threads>>>(map, in, out);
  used<<<1, Threads>>>(unwritten, out);
  handedOn<<<1, Threads>>>(unwritten, mapOf(copy, 2 * H));
  add<<<1, Threads>>>(copy + W * H, out);
  cudaMemset(fresh, 1, Bytes);
  tooFar<<<1, Threads>>>(wrong, out);
  return cudaDeviceSynchronize();
}
