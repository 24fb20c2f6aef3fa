// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data decides which threads write to shared memory: a block stands for others only if none could race,
// whatever its data are.
// RUN: %heddle cc %s -o %t && %check --tool racecheck %s %t
// RUN: env HEDDLE_WORKERS=1 %check --tool racecheck %s %t
constexpr int N = 64, Blocks = 40;

// Each pair of words has a thread of its own: a network that sorts.
__global__ void sorted(int *data) {
  __shared__ int s[2 * N];
  int t = threadIdx.x, base = blockIdx.x * 2 * N;
  s[t] = data[base + t];
  s[t + N] = data[base + t + N];
  for (int size = 2; size <= 2 * N; size *= 2)
    for (int stride = size / 2; stride; stride /= 2) {
      __syncthreads();
      int low = 2 * t - (t & (stride - 1)), a = s[low], b = s[low + stride];
      if ((a > b) == ((low & size) == 0)) {
        s[low] = b;
        s[low + stride] = a;
      }
    }
  __syncthreads();
  data[base + t] = s[t];
  data[base + t + N] = s[t + N];
}
// In the last block only, threads write what their neighbours read.
__global__ void rare(const int *data, int *out) {
  __shared__ int s[N + 1];
  int t = threadIdx.x;
  s[t] = data[blockIdx.x * N + t];
  if (t == 0)
    s[N] = 0;
  __syncthreads();
  int own = s[t], next = s[t + 1];
  if (own < 0)
    s[t] = next + 1; // error: race-read-write
  __syncthreads();
  out[blockIdx.x * N + t] = s[t];
}
// ... and behind a barrier.
__global__ void rareRight(const int *data, int *out) {
  __shared__ int s[N + 1];
  int t = threadIdx.x;
  s[t] = data[blockIdx.x * N + t];
  if (t == 0)
    s[N] = 0;
  __syncthreads();
  int next = s[t + 1];
  __syncthreads();
  int own = s[t];
  if (own < 0)
    s[t] = next + 1;
  __syncthreads();
  out[blockIdx.x * N + t] = s[t];
}
int main() {
  int *data, *out, host[Blocks * 2 * N];
  for (int i = 0; i < Blocks * 2 * N; i++)
    host[i] = i * 7919 % 1000;
  cudaMalloc(&data, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice);
  sorted<<<Blocks, N>>>(data);
  for (int i = 0; i < N; i++)
    host[(Blocks - 1) * N + i] = -i;
  cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice);
  rare<<<Blocks, N>>>(data, out);
  rareRight<<<Blocks, N>>>(data, out);
  return cudaDeviceSynchronize();
}
