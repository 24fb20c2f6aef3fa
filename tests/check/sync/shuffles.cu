// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shuffles from threads that have ended or are not there: an error where the value is used.
// RUN: %heddle cc %s -o %t && %check --tool synccheck %s %t | FileCheck %s
// CHECK: '__shfl_sync' that reads from a thread that has ended or is not there, in kernel fromEnded
// CHECK: by thread (0,0,0) in block (0,0,0), and 19 more
// CHECK: the value is used
constexpr unsigned All = ~0u;

__global__ void fromEnded(int *out) {
  int t = threadIdx.x;
  if (t >= 20)
    return;
  out[t] = __shfl_sync(All, t, 25); // error: shuffle-from-absent-thread
}
__global__ void fromLiving(int *out) {
  int t = threadIdx.x;
  if (t >= 20)
    return;
  out[t] = __shfl_sync(All, t, 19);
}
__global__ void neighbour(int *out) { // of the last thread that has stayed
  int t = threadIdx.x;
  if (t >= 20)
    return;
  out[t] = __shfl_down_sync(0xfffff, 2 * t, 1) + 1; // error: shuffle-from-absent-thread
}
__global__ void neighbourAbove(int *out) {
  int t = threadIdx.x;
  if (t >= 20)
    return;
  int next = __shfl_down_sync(0xfffff, 2 * t, 1);
  if (t < 19)
    out[t] = next + 1;
}
// The second warp has 16 threads.
__global__ void sumOfBlock(int *out) {
  int t = threadIdx.x, sum = t;
  for (int o = 16; o; o /= 2)
    sum += __shfl_down_sync(All, sum, o); // error: shuffle-from-absent-thread
  if (t % 32 == 0)
    out[t / 32] = sum;
}
__global__ void sumOfHalves(int *out) { // what the upper threads have read nobody uses
  int t = threadIdx.x, sum = t;
  for (int o = 8; o; o /= 2)
    sum += __shfl_down_sync(0xffff, sum, o);
  if (t == 0)
    *out = sum;
}
__global__ void sumOfChosen(int *out) {
  int t = threadIdx.x, sum = t;
  for (int o = 16; o; o /= 2) {
    int other = __shfl_down_sync(All, sum, o);
    sum += t % 32 + o < blockDim.x - t / 32 * 32 ? other : 0;
  }
  if (t % 32 == 0)
    out[t / 32] = sum;
}
__global__ void added(int *out) {
  int t = threadIdx.x;
  if (t >= 16)
    return;
  atomicAdd(out, __shfl_xor_sync(All, t, 16)); // error: shuffle-from-absent-thread
}
__global__ void addedLow(int *out) {
  int t = threadIdx.x;
  if (t >= 16)
    return;
  atomicAdd(out, __shfl_xor_sync(All, t, 8));
}
__global__ void meeting(int *out) { // both arms are there
  int t = threadIdx.x;
  if (t < 16)
    out[t] = __shfl_xor_sync(All, t, 16);
  else
    out[t] = __shfl_xor_sync(All, 2 * t, 16);
}
__global__ void inRounds(int *out, int n) { // threads leave the loop one after the other
  int t = threadIdx.x, sum = 0;
  for (int i = t; i < n; i += 2) {
    unsigned here = __activemask();
    sum += __shfl_sync(here, i, __ffs(here) - 1);
  }
  out[t] = sum;
}

int main() {
  int *out;
  cudaMalloc(&out, 256 * sizeof(int));
  cudaMemset(out, 0, 256 * sizeof(int));
  fromEnded<<<1, 32>>>(out);
  fromLiving<<<1, 32>>>(out);
  neighbour<<<1, 32>>>(out);
  neighbourAbove<<<1, 32>>>(out);
  sumOfBlock<<<1, 48>>>(out);
  sumOfHalves<<<1, 16>>>(out);
  sumOfChosen<<<1, 48>>>(out);
  added<<<1, 32>>>(out);
  addedLow<<<1, 32>>>(out);
  meeting<<<1, 32>>>(out);
  inRounds<<<1, 32>>>(out, 40);
  return cudaDeviceSynchronize();
}
