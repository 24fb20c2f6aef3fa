// RUN: %heddle cc -O2 %s -o %t
// RUN: %widths %t
// RUN: %all env HEDDLE_DISABLE=stream-stores,prefetch-later-blocks %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %cpu(x86-64-v3) env HEDDLE_DISABLE=hoist-store-choices %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays larger than the last cache, which kernels only write: straight, in loops in steps of the grid, by rows, behind a
// barrier, in vectors of four, under masks that are full or not, at any alignment; read at once by the next kernel, by a
// copy, by the host.
#include "support.h"

__host__ __device__ inline unsigned value(size_t i) { return unsigned(i) * 2654435761u ^ unsigned(i >> 7); }

__global__ static void straight(size_t n, unsigned *out) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = value(i);
}

__global__ static void steps(int n, unsigned *out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = value(i);
}

__global__ static void rows(unsigned width, unsigned height, unsigned *out) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  size_t i = size_t(y) * width + x;
  if (x < width && y < height)
    out[i] = value(i);
}

/// All threads store, but those at the rim something else.
__global__ static void rim(unsigned width, unsigned height, const unsigned *zeros, unsigned *out) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  size_t i = size_t(y) * width + x;
  if (x >= width || y >= height)
    return;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
    out[i] = value(i) ^ zeros[x % 31] ^ zeros[y % 37];
  else
    out[i] = value(i);
}

/// Some threads of each row store: those whose number, modulo 5, is 3, or all others.
__global__ static void some(unsigned width, unsigned height, bool three, unsigned *out) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  size_t i = size_t(y) * width + x;
  if (x < width && y < height && (x % 5 == 3) == three)
    out[i] = value(i);
}

__global__ static void turned(size_t n, unsigned *out) {
  __shared__ unsigned cells[256];
  size_t first = size_t(blockIdx.x) * 256;
  cells[255 - threadIdx.x] = value(first + 255 - threadIdx.x);
  __syncthreads();
  if (first + threadIdx.x < n)
    out[first + threadIdx.x] = cells[threadIdx.x];
}

__global__ static void fours(size_t n, uint4 *out) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (4 * i + 3 < n)
    out[i] = make_uint4(value(4 * i), value(4 * i + 1), value(4 * i + 2), value(4 * i + 3));
}

__global__ static void count(size_t n, const unsigned *in, unsigned long long *wrong) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n && in[i] != value(i))
    atomicAdd(wrong, 1ull);
}

/// Runs `launch`, and looks at what it left from a kernel and from the host; the cells around stay.
template <class Launch> static void check(const char *name, size_t n, unsigned shift, Launch launch) {
  unsigned *out;
  unsigned long long *wrong;
  CUDA_OK(cudaMalloc(&out, (n + 64) * sizeof(unsigned)));
  CUDA_OK(cudaMallocManaged(&wrong, sizeof *wrong));
  CUDA_OK(cudaMemset(out, 0x55, (n + 64) * sizeof(unsigned)));
  *wrong = 0;
  launch(out + shift);
  count<<<unsigned((n + 255) / 256), 256>>>(n, out + shift, wrong);
  CUDA_OK(cudaDeviceSynchronize());
  std::string what = std::string(name) + " n " + std::to_string(n) + " shift " + std::to_string(shift);
  expect(what + " wrong cells", 0, *wrong, 0ull);
  std::vector<unsigned> got(n + 64);
  launch(out + shift);
  CUDA_OK(cudaMemcpy(got.data(), out, (n + 64) * sizeof(unsigned), cudaMemcpyDeviceToHost));
  size_t bad = 0;
  for (size_t i = 0; i < n; ++i)
    bad += got[shift + i] != value(i);
  for (size_t i = 0; i < 64; ++i)
    bad += (i < shift ? got[i] : got[n + i]) != 0x55555555u;
  expect(what + " on the host", 0, bad, size_t(0));
  CUDA_OK(cudaFree(out));
  CUDA_OK(cudaFree(wrong));
}

int main() {
  cudaDeviceProp properties;
  CUDA_OK(cudaGetDeviceProperties(&properties, 0));
  // More than the cache holds. Where that were too much for a test, the stores do not stream.
  size_t cache = properties.l2CacheSize <= 128 << 20 ? properties.l2CacheSize : 8 << 20;
  size_t n = cache / 2 * 3 / sizeof(unsigned) + 1000;
  unsigned *zeros;
  CUDA_OK(cudaMalloc(&zeros, 64 * sizeof(unsigned)));
  CUDA_OK(cudaMemset(zeros, 0, 64 * sizeof(unsigned)));
  for (unsigned shift : {0u, 16u, 5u}) {
    check("straight", n, shift, [&](unsigned *out) { straight<<<unsigned((n + 255) / 256), 256>>>(n, out); });
    check("steps", n, shift, [&](unsigned *out) { steps<<<100, 256>>>(int(n), out); });
    check("turned", n, shift, [&](unsigned *out) { turned<<<unsigned((n + 255) / 256), 256>>>(n, out); });
  }
  check("fours", n / 4 * 4, 0, [&](unsigned *out) {
    fours<<<unsigned((n / 4 + 127) / 128), 128>>>(n, reinterpret_cast<uint4 *>(out));
  });
  for (unsigned width : {4096u, 1111u}) {
    unsigned height = unsigned(n / width) + 1;
    check("rows", size_t(width) * height, 0, [&](unsigned *out) {
      rows<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(width, height, out);
    });
    dim3 blocks((width + 31) / 32, (height + 7) / 8), threads(32, 8);
    for (unsigned shift : {0u, 5u}) {
      check("rim", size_t(width) * height, shift,
            [&](unsigned *out) { rim<<<blocks, threads>>>(width, height, zeros, out); });
      check("some", size_t(width) * height, shift, [&](unsigned *out) {
        some<<<blocks, threads>>>(width, height, true, out);
        some<<<blocks, threads>>>(width, height, false, out);
      });
    }
  }
  CUDA_OK(cudaFree(zeros));
  return finish();
}
