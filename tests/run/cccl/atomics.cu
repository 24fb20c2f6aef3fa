// RUN: %heddle cc -arch=sm_90 %s -o %t
// RUN: %widths %t
// RUN: %heddle cc -arch=sm_70 %s -o %t.old && %t.old
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::atomic and cuda::atomic_ref of integers and floats: in memory of blocks, clusters, the device and the host; signs
// in the least and the greatest; what waits.
#include "../support.h"

#include <cuda/atomic>

template <class T> void expectOne(const char *what, const T &got, const T &want) { expect(what, 0, got, want); }

template <class T> __global__ void addShared(T *out) {
  __shared__ T x;
  if (threadIdx.x == 0)
    x = T(0);
  __syncthreads();
  cuda::atomic_ref<T, cuda::thread_scope_device> a(x);
  a.fetch_add(T(1), cuda::memory_order_relaxed);
  cuda::atomic_ref<T, cuda::thread_scope_block> b(x);
  b.fetch_add(T(2));
  b.fetch_sub(T(1), cuda::memory_order_release);
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = x;
}

template <class T> struct Totals {
  cuda::atomic<T, cuda::thread_scope_device> sum;
  cuda::std::atomic<T> least, greatest;
  T exchanged, ahead;
};

template <class T> __host__ __device__ void count(Totals<T> *t, int i) {
  T value = T(i) - T(20);
  t->sum += value;
  t->least.fetch_min(value);
  t->greatest.fetch_max(value, cuda::std::memory_order_relaxed);
  cuda::atomic_ref<T> ahead(t->ahead);
  T before = ahead.load();
  while (!ahead.compare_exchange_weak(before, before + value, cuda::memory_order_acq_rel))
    ;
}
template <class T> __global__ void countAll(Totals<T> *t) { count(t, int(blockIdx.x * blockDim.x + threadIdx.x)); }

template <class T> void checkTotals(const char *name, Totals<T> *t, int n) {
  T sum = T(n) * T(n - 1) / 2 - T(20) * T(n);
  expectOne(name, t->sum.load(), sum);
  expectOne(name, t->ahead, sum);
  expectOne(name, T(t->least), T(-20));
  expectOne(name, T(t->greatest), T(n - 21));
}

template <class T> void testType(const char *name) {
  T *out;
  CUDA_OK(cudaMallocManaged(&out, 8 * sizeof(T)));
  for (int cluster : {0, 1, 2, 8}) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    config.gridDim = 8;
    config.blockDim = 100;
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = unsigned(cluster);
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = cluster ? 1 : 0;
    CUDA_OK(cudaLaunchKernelEx(&config, addShared<T>, out));
    CUDA_OK(cudaDeviceSynchronize());
    for (int i = 0; i < 8; ++i)
      expectOne(name, out[i], T(200));
  }
  Totals<T> *t;
  CUDA_OK(cudaMallocManaged(&t, sizeof *t));
  t = new (t) Totals<T>;
  for (bool onHost : {false, true}) {
    t->sum = T(0);
    t->least = t->greatest = t->ahead = T(0);
    if (onHost)
      for (int i = 0; i < 192; ++i)
        count(t, i);
    else
      countAll<<<3, 64>>>(t);
    CUDA_OK(cudaDeviceSynchronize());
    checkTotals(name, t, 192);
  }
}

__device__ cuda::atomic<int, cuda::thread_scope_device> turn{0};
__device__ int order[64];

/// Each block waits for its turn.
__global__ void inTurn() {
  if (threadIdx.x != 0)
    return;
  for (int now = turn.load(cuda::memory_order_acquire); now != int(blockIdx.x); now = turn.load())
    turn.wait(now);
  order[blockIdx.x] = turn.fetch_add(1, cuda::memory_order_release);
  turn.notify_all();
}

__global__ void bits(unsigned *u, long long *s, int *results) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_block> flags(*u);
  flags |= 1u << threadIdx.x;
  cuda::atomic_ref<long long, cuda::thread_scope_system> value(*s);
  ++value;
  value ^= 0;
  if (threadIdx.x == 0)
    results[0] = value.is_lock_free() + (value.exchange(value) >= 0);
}

int main() {
  testType<int>("int");
  testType<long>("long");
  testType<long long>("long long");
  testType<float>("float");
  testType<double>("double");
  inTurn<<<64, 32>>>();
  int seen[64];
  CUDA_OK(cudaMemcpyFromSymbol(seen, order, sizeof seen));
  for (int i = 0; i < 64; ++i)
    expectOne("turn", seen[i], i);
  unsigned *u;
  long long *s;
  int *results;
  CUDA_OK(cudaMallocManaged(&u, sizeof *u));
  CUDA_OK(cudaMallocManaged(&s, sizeof *s));
  CUDA_OK(cudaMallocManaged(&results, sizeof *results));
  *u = 0;
  *s = 5;
  bits<<<1, 32>>>(u, s, results);
  CUDA_OK(cudaDeviceSynchronize());
  expectOne("bits", *u, 0xffffffffu);
  expectOne("long long", *s, 37ll);
  expectOne("results", results[0], 2);
  return finish();
}
