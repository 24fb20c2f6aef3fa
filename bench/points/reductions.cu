// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, by the steps of M. Harris, "Optimizing Parallel Reduction in CUDA": 1 interleaved and divergent, 2 interleaved
// with conflicts, 3 sequential, 4 a first sum at the load, 5 the last warp unrolled, 6 all unrolled, 7 many elements
// of a thread, 8 with shuffles.
#include "points.h"

using namespace points;

template <class T> __device__ void lastWarp(volatile T *part, unsigned t) {
  part[t] += part[t + 32];
  part[t] += part[t + 16];
  part[t] += part[t + 8];
  part[t] += part[t + 4];
  part[t] += part[t + 2];
  part[t] += part[t + 1];
}

template <class T, int Step> __global__ void sumBlocks(const T *in, T *out, unsigned n) {
  extern __shared__ unsigned char bytes[];
  T *part = reinterpret_cast<T *>(bytes);
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * (Step >= 4 ? 2 : 1) + t;
  T value = i < n ? in[i] : T(0);
  if (Step >= 4 && i + blockDim.x < n)
    value += in[i + blockDim.x];
  part[t] = value;
  __syncthreads();
  if (Step == 1) {
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
      if (t % (2 * s) == 0)
        part[t] += part[t + s];
      __syncthreads();
    }
  } else if (Step == 2) {
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
      const unsigned k = 2 * s * t;
      if (k < blockDim.x)
        part[k] += part[k + s];
      __syncthreads();
    }
  } else {
    for (unsigned s = blockDim.x / 2; s > (Step >= 5 ? 32 : 0); s >>= 1) {
      if (t < s)
        part[t] += part[t + s];
      __syncthreads();
    }
    if (Step >= 5 && t < 32)
      lastWarp(part, t);
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

/// Steps 6 and 7.
template <class T, unsigned Block, bool Many> __global__ void sumUnrolled(const T *in, T *out, unsigned n) {
  __shared__ T part[Block < 64 ? 64 : Block];
  const unsigned t = threadIdx.x;
  T value = 0;
  unsigned i = blockIdx.x * Block * 2 + t;
  do {
    if (i < n)
      value += in[i];
    if (i + Block < n)
      value += in[i + Block];
    i += Block * 2 * gridDim.x;
  } while (Many && i < n);
  part[t] = value;
  __syncthreads();
  if (Block >= 512) {
    if (t < 256)
      part[t] += part[t + 256];
    __syncthreads();
  }
  if (Block >= 256) {
    if (t < 128)
      part[t] += part[t + 128];
    __syncthreads();
  }
  if (Block >= 128) {
    if (t < 64)
      part[t] += part[t + 64];
    __syncthreads();
  }
  if (t < 32)
    lastWarp(part, t);
  if (t == 0)
    out[blockIdx.x] = part[0];
}

template <class T> __global__ void sumShuffled(const T *in, T *out, unsigned n) {
  __shared__ T part[32];
  T value = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    value += in[i];
  for (int step = 16; step; step /= 2)
    value += __shfl_down_sync(0xffffffffu, value, step);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32)
    return;
  value = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : T(0);
  for (int step = 16; step; step /= 2)
    value += __shfl_down_sync(0xffffffffu, value, step);
  if (threadIdx.x == 0)
    out[blockIdx.x] = value;
}

template <class T, bool Many>
void launchUnrolled(unsigned grid, unsigned block, const T *in, T *out, unsigned n) {
  switch (block) {
  case 64: return sumUnrolled<T, 64, Many><<<grid, 64>>>(in, out, n);
  case 128: return sumUnrolled<T, 128, Many><<<grid, 128>>>(in, out, n);
  case 256: return sumUnrolled<T, 256, Many><<<grid, 256>>>(in, out, n);
  case 512: return sumUnrolled<T, 512, Many><<<grid, 512>>>(in, out, n);
  default: check(cudaErrorInvalidValue, "block");
  }
}

/// One level; returns its blocks. `most`: of the steps with many elements of a thread.
template <class T> unsigned level(int step, unsigned block, unsigned most, const T *in, T *out, unsigned n) {
  unsigned grid = blocksFor(n, step >= 4 && step <= 7 ? 2 * block : block);
  if (step >= 7 && grid > most)
    grid = most;
  const size_t shared = (block + 32) * sizeof(T);
  switch (step) {
  case 1: sumBlocks<T, 1><<<grid, block, shared>>>(in, out, n); break;
  case 2: sumBlocks<T, 2><<<grid, block, shared>>>(in, out, n); break;
  case 3: sumBlocks<T, 3><<<grid, block, shared>>>(in, out, n); break;
  case 4: sumBlocks<T, 4><<<grid, block, shared>>>(in, out, n); break;
  case 5: sumBlocks<T, 5><<<grid, block, shared>>>(in, out, n); break;
  case 6: launchUnrolled<T, false>(grid, block, in, out, n); break;
  case 7: launchUnrolled<T, true>(grid, block, in, out, n); break;
  default: sumShuffled<T><<<grid, block>>>(in, out, n);
  }
  return grid;
}

template <class T> Work reduce(const Arguments &a) {
  const unsigned n = unsigned(a("n", 1 << 22)), block = unsigned(a("block", 128)), most = unsigned(a("most", 1024));
  const int step = int(a("step", 3)), levels = int(a("levels", 9));
  Array<T> in(n), first(n / block + 2), second(n / block + 2);
  twice([&] {
    const T *from = in;
    T *to = first, *other = second;
    unsigned left = n;
    for (int done = 0; left > 1 && done < levels; ++done) {
      left = level<T>(step, block, most, from, to, left);
      from = to;
      T *const next = other;
      other = to, to = next;
    }
  });
  return {double(n) * sizeof(T), double(n)};
}
POINT(reduce) {
  if (a.text("type", "int") == "float")
    return reduce<float>(a);
  return a.text("type", "int") == "u32" ? reduce<unsigned>(a) : reduce<int>(a);
}

/// The dot product in two stages, as BabelStream has it.
template <int Block> __global__ void dot(long n, const double *a, const double *b, double *out) {
  __shared__ double part[Block];
  double value = 0;
  for (long i = long(blockIdx.x) * Block + threadIdx.x; i < n; i += long(Block) * gridDim.x)
    value += a[i] * b[i];
  part[threadIdx.x] = value;
  for (int s = Block / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s)
      part[threadIdx.x] += part[threadIdx.x + s];
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = part[0];
}
POINT(dot) {
  const long n = a("n", 33554432);
  Array<double> x(n), y(n), sums(4096);
  twice([&] { dot<1024><<<unsigned(a("grid", 256)), 1024>>>(n, x, y, sums); });
  return {16.0 * n, 2.0 * n};
}
