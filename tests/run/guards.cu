// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards that whole warps pass, parts of warps or none: bounds in all comparisons, chains of them, indices that wrap
// around, loops with the grid's stride, guards within guards, stores and atomics between them.
#include "support.h"

struct Args {
  unsigned n, m, base, stride;
};

/// out[2 * thread] and out[2 * thread + 1] are the thread's own, `total` is everybody's.
#define BODY                                                                                                           \
  __host__ __device__ static void run(unsigned x, unsigned y, unsigned t, unsigned threads, Args a,                    \
                                      const unsigned *in, unsigned *out, unsigned *total)

__host__ __device__ inline void addTo(unsigned *total, unsigned value) {
#ifdef __CUDA_ARCH__
  atomicAdd(total, value);
#else
  *total += value;
#endif
}

struct Simple {
  BODY {
    if (t < a.n)
      out[2 * t] = in[t] * 3;
  }
};

struct Returns {
  BODY {
    if (int(t) >= int(a.n))
      return;
    unsigned v = in[t];
    if (t + 3 > a.m)
      return;
    out[2 * t] = v / (a.m - t) + in[t + 1];
    if (t == a.base)
      return;
    out[2 * t + 1] = v;
  }
};

struct Inside {
  BODY {
    int w = a.n, h = a.m;
    if (int(x) > 0 && int(x) < w - 1 && int(y) > 0 && int(y) < h - 1)
      out[2 * t] = in[t - 1] + in[t + 1];
    else if (int(x) < w && int(y) < h)
      out[2 * t] = in[t];
    out[2 * t + 1] = t;
  }
};

struct Range { // becomes one unsigned comparison of t - 1
  BODY {
    unsigned v = 7;
    if (t >= 1 && t < a.n)
      v = in[t - 1];
    out[2 * t] = v;
  }
};

struct Wraps {
  BODY {
    unsigned i = a.base + t, bits = 0;
    if (i < a.n)
      out[2 * t] = in[t], bits |= 1;
    if (int(i) < int(a.n))
      out[2 * t] += in[t], bits |= 2;
    if (i > a.n)
      out[2 * t] += in[t] * 5, bits |= 4;
    if (int(i) >= int(a.n))
      out[2 * t] += in[t] * 7, bits |= 8;
    if (i != a.n)
      out[2 * t] ^= in[t], bits |= 16;
    if (i == a.n)
      out[2 * t] += 11, bits |= 32;
    if (a.n - i <= 100)
      out[2 * t] += in[t] * 9, bits |= 64;
    out[2 * t + 1] = bits;
  }
};

struct Strides {
  BODY {
    unsigned sum = 0, last = 1;
    for (unsigned i = t; i < a.n; i += threads) {
      last = in[i];
      sum += last;
      out[2 * i] = last + i;
    }
    out[2 * t + 1] = sum * 31 + last;
  }
};

struct AnyStride {
  BODY {
    unsigned sum = 0, steps = 0;
    for (int i = int(t) - int(a.base % 50); i < int(a.n); i += int(a.stride)) {
      if (i < 0)
        continue;
      sum += in[i];
      if (in[i] % 3 == 0)
        sum ^= in[i / 2];
      if (++steps == 40)
        break;
    }
    out[2 * t] = sum;
    out[2 * t + 1] = steps;
  }
};

struct Downwards {
  BODY {
    unsigned sum = 0;
    int i = int(a.n) - 1 - int(t);
    if (i >= 0)
      do {
        sum = sum * 5 + in[i];
        i -= int(threads);
      } while (i >= 0);
    out[2 * t] = sum;
  }
};

struct Nested {
  BODY {
    if (t < a.n) {
      out[2 * t] = in[t];
      for (unsigned k = 0; k < 5; ++k) {
        if (t + k * 13 < a.m)
          out[2 * t] += in[t + k * 13];
        else
          out[2 * t + 1] += k;
        if (in[t] % 5 == k)
          continue;
        if (k * t <= a.n)
          addTo(total, in[t + k] & 15);
      }
    } else if (t > a.m) {
      out[2 * t + 1] = in[t] - 1;
    }
  }
};

struct TwoArms {
  BODY {
    unsigned v;
    if (t < a.n / 2)
      v = in[t] + out[2 * t];
    else
      v = in[t] - out[2 * t + 1];
    if (!(t < a.m) || t < a.n % 64)
      out[2 * t] = v;
    addTo(total, v & 3);
  }
};

template <class Body> __global__ void kernel(Args a, const unsigned *in, unsigned *out, unsigned *total) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned width = gridDim.x * blockDim.x;
  Body::run(x, y, y * width + x, width * gridDim.y * blockDim.y, a, in, out, total);
}

constexpr unsigned Size = 8192;

template <class Body> void check(const char *name, dim3 grid, dim3 block, Args a, const std::vector<unsigned> &in) {
  std::vector<unsigned> want(2 * Size, 99), got(2 * Size, 99);
  unsigned wantTotal = 0, gotTotal = 0, width = grid.x * block.x, threads = width * grid.y * block.y;
  for (unsigned t = 0; t < threads; ++t)
    Body::run(t % width, t / width, t, threads, a, in.data(), want.data(), &wantTotal);
  unsigned *device;
  CUDA_OK(cudaMalloc(&device, (3 * Size + 1) * sizeof(unsigned)));
  CUDA_OK(cudaMemcpy(device, in.data(), Size * sizeof(unsigned), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(device + Size, got.data(), 2 * Size * sizeof(unsigned), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(device + 3 * Size, &gotTotal, sizeof(unsigned), cudaMemcpyHostToDevice));
  kernel<Body><<<grid, block>>>(a, device, device + Size, device + 3 * Size);
  CUDA_OK(cudaMemcpy(got.data(), device + Size, 2 * Size * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(&gotTotal, device + 3 * Size, sizeof(unsigned), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaFree(device));
  std::string what = std::string(name) + " n " + std::to_string(a.n) + " m " + std::to_string(a.m) + " base " +
                     std::to_string(a.base) + " block " + std::to_string(block.x) + "x" + std::to_string(block.y);
  expectAll(what, got, want);
  expect(what + " total", 0, gotTotal, wantTotal);
}

/// Threads write to shared memory behind one guard and read behind another, with a barrier between.
__global__ void barrierKernel(unsigned n, const unsigned *in, unsigned *out) {
  __shared__ unsigned tile[128];
  unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
  tile[t] = 5;
  if (i < n)
    tile[t] = in[i];
  __syncthreads();
  if (i < n)
    out[i] = tile[127 - t];
  if (i >= n + 40)
    return;
  __syncthreads();
  tile[t] += 1;
  __syncthreads();
  if (i < n)
    out[i] += tile[t ^ 1];
}

void checkBarrier(unsigned n, const std::vector<unsigned> &in) {
  std::vector<unsigned> got(1024, 3), want(1024, 3);
  for (unsigned i = 0; i < n; ++i) {
    auto tile = [&](unsigned j) { return j < n ? in[j] : 5; };
    want[i] = tile(i / 128 * 128 + 127 - i % 128) + tile(i ^ 1) + 1;
  }
  unsigned *device;
  CUDA_OK(cudaMalloc(&device, 2048 * sizeof(unsigned)));
  CUDA_OK(cudaMemcpy(device, in.data(), 1024 * sizeof(unsigned), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(device + 1024, got.data(), 1024 * sizeof(unsigned), cudaMemcpyHostToDevice));
  barrierKernel<<<8, 128>>>(n, device, device + 1024);
  CUDA_OK(cudaMemcpy(got.data(), device + 1024, 1024 * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaFree(device));
  expectAll("barrier, n " + std::to_string(n), got, want);
}

int main() {
  Random random(7);
  std::vector<unsigned> in;
  for (unsigned i = 0; i < Size; i++)
    in.push_back(random.bits());
  struct {
    dim3 grid, block;
  } shapes[] = {{{3}, {256}}, {{7}, {33}}, {{1}, {100}}, {{3, 2}, {16, 16}}, {{2, 3}, {48, 5}}};
  for (auto [grid, block] : shapes) {
    unsigned threads = grid.x * block.x * grid.y * block.y;
    for (unsigned n : {0u, 1u, 31u, 32u, 96u, threads / 2 + 5, threads - 1, threads, threads + 77}) {
      Args a = {n, threads - n / 3, n / 2, threads / 3 + 7};
      check<Simple>("simple", grid, block, a, in);
      check<Range>("range", grid, block, a, in);
      check<Nested>("nested", grid, block, a, in);
      check<TwoArms>("two arms", grid, block, a, in);
      check<Returns>("returns", grid, block, a, in);
    }
    for (unsigned n : {0u, 63u, 640u, 2000u, 3333u}) {
      Args a = {n, 0, n / 7, threads};
      check<Strides>("strides", grid, block, a, in);
      check<Downwards>("downwards", grid, block, a, in);
      check<AnyStride>("any stride", grid, block, a, in);
      a.stride = 37;
      check<AnyStride>("any stride", grid, block, a, in);
    }
    for (unsigned w : {grid.x * block.x, grid.x * block.x - 3, 2u, 64u})
      for (unsigned h : {grid.y * block.y, 1u, 9u})
        check<Inside>("inside", grid, block, {w, h, 0, 0}, in);
    for (unsigned base : {0u, 0u - 5, 0u - 64, 0x7fffffe0u, 0x7ffffff3u, 0x80000000u, 0x80000000u - 300, 1000u})
      for (unsigned n : {0u, 3u, 40u, 0x7fffffffu, 0x80000000u, 0x80000010u, ~0u, 1100u})
        check<Wraps>("wraps", grid, block, {n, 0, base, 0}, in);
  }
  for (unsigned n : {0u, 1u, 64u, 128u, 300u, 1000u, 1024u})
    checkBarrier(n, in);
  return finish();
}
