// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers and warp operations in functions that stay functions: recursive ones, functions called through pointers
// and virtual functions, __noinline__ ones, with cooperative groups; local arrays live across the waits, blocks that
// are not full, threads that end early, many blocks.
#include "support.h"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int linear() { return int(threadInBlock()); }
__device__ int threadsOfBlock() { return int(blockDim.x * blockDim.y * blockDim.z); }

// The sum of a block by halves: each level of the recursion has a barrier before and after.
__device__ void foldRecursively(int *s, int length) {
  __syncthreads();
  if (length == 1)
    return;
  int half = (length + 1) / 2, t = linear(), mine = t < length - half ? s[t + half] : 0;
  __syncthreads();
  if (t < length - half)
    s[t] += mine;
  foldRecursively(s, half);
  if (t == 0)
    s[length + threadsOfBlock() - 1] = s[0] + half; // the way back
  __syncthreads();
}

__global__ void recursive(const int *in, int *out) {
  extern __shared__ int s[];
  int n = threadsOfBlock(), t = linear();
  s[t] = in[blockIdx.x * n + t];
  foldRecursively(s, n);
  out[blockIdx.x * n + t] = s[0] * 7 + (n > 1 ? s[2 * n - 1] : 0);
}

// The same through a pointer and through virtual functions: a prefix sum, by warps and by the block.
using Scan = int (*)(int *, int);
__device__ int scanBlock(int *s, int value) {
  int n = threadsOfBlock(), t = linear();
  s[t] = value;
  for (int step = 1; step < n; step *= 2) {
    __syncthreads();
    int before = t >= step ? s[t - step] : 0;
    __syncthreads();
    s[t] += before;
  }
  int result = s[t];
  __syncthreads();
  return result;
}
__device__ int scanWarp(int *, int value) {
  int n = threadsOfBlock(), t = linear(), first = t & ~31, lanes = n - first < 32 ? n - first : 32;
  unsigned mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
  for (int step = 1; step < 32; step *= 2) {
    int before = __shfl_up_sync(mask, value, step);
    if ((t & 31) >= step)
      value += before;
  }
  unsigned odd = __ballot_sync(mask, value & 1);
  __syncwarp(mask);
  return value * 64 + __popc(odd);
}
__device__ Scan scans[2] = {scanBlock, scanWarp};

__global__ void throughPointer(const int *in, int *out, const int *which) {
  extern __shared__ int s[];
  int at = blockIdx.x * threadsOfBlock() + linear();
  out[at] = scans[which[blockIdx.x]](s, in[at]);
}

struct Step {
  __device__ virtual int apply(int *s, int value) const = 0;
};
struct Rotate : Step {
  int by;
  __device__ Rotate(int by) : by(by) {}
  __device__ int apply(int *s, int value) const override {
    int n = threadsOfBlock();
    cg::thread_block block = cg::this_thread_block();
    s[block.thread_rank()] = value;
    block.sync();
    int result = s[(block.thread_rank() + by) % n];
    block.sync();
    return result;
  }
};
struct CountAbove : Step {
  int limit;
  __device__ CountAbove(int limit) : limit(limit) {}
  __device__ int apply(int *, int value) const override { return value + __syncthreads_count(value > limit); }
};

__global__ void throughVirtual(const int *in, int *out, int steps) {
  extern __shared__ int s[];
  int at = blockIdx.x * threadsOfBlock() + linear(), local[8];
  Rotate rotate(3);
  CountAbove count(500);
  int value = in[at];
  for (int i = 0; i < steps; i++) {
    local[i & 7] = value;
    const Step *step = (blockIdx.x + i) % 2 ? static_cast<const Step *>(&rotate) : &count;
    value = step->apply(s, value) + local[(i * 5) % (i < 7 ? i + 1 : 8)];
  }
  out[at] = value;
}

// __noinline__, with a tile of a cooperative group; some threads have left before.
template <int Size> __device__ __noinline__ int tileMaximum(cg::thread_block_tile<Size> tile, int value) {
  for (int i = Size / 2; i > 0; i /= 2)
    value = max(value, tile.shfl_xor(value, i));
  return tile.all(value > 300) ? value : -value;
}
__global__ void early(const int *in, int *out, int leave) {
  extern __shared__ int s[];
  int n = threadsOfBlock(), t = linear(), at = blockIdx.x * n + t;
  if (t >= leave) {
    out[at] = -1;
    return;
  }
  int value = in[at];
  if (t / 8 < leave / 8)
    value = tileMaximum<8>(cg::tiled_partition<8>(cg::this_thread_block()), value);
  s[t] = value;
  __syncthreads();
  out[at] = s[leave - 1 - t];
}

static std::vector<int> input(size_t n) {
  Random random(n);
  std::vector<int> in(n);
  for (int &v : in)
    v = random.below(1000);
  return in;
}

static void testRecursive(dim3 shape, int blocks) {
  int n = shape.x * shape.y * shape.z;
  std::vector<int> in = input(size_t(n) * blocks);
  Buffer<int> from(in), to(in.size());
  recursive<<<blocks, shape, 2 * n * sizeof(int)>>>(from, to);
  std::vector<int> out = to.get();
  for (int b = 0; b < blocks; b++) {
    int sum = 0;
    for (int t = 0; t < n; t++)
      sum += in[b * n + t];
    int want = sum * 7 + (n > 1 ? sum + (n + 1) / 2 : 0);
    for (int t = 0; t < n; t++)
      expect("recursive", b * n + t, out[b * n + t], want);
  }
}

static void testPointer(dim3 shape, int blocks) {
  int n = shape.x * shape.y * shape.z;
  std::vector<int> in = input(size_t(n) * blocks), which(blocks);
  for (int b = 0; b < blocks; b++)
    which[b] = b / 2 % 2;
  Buffer<int> from(in), to(in.size()), choice(which);
  throughPointer<<<blocks, shape, n * sizeof(int)>>>(from, to, choice);
  std::vector<int> out = to.get();
  for (int b = 0; b < blocks; b++)
    for (int first = 0, end; first < n; first = end) {
      end = which[b] ? std::min(first + 32, n) : n;
      int sum = 0, odd = 0;
      for (int t = first; t < end; t++)
        odd += (sum += in[b * n + t]) & 1;
      sum = 0;
      for (int t = first; t < end; t++) {
        sum += in[b * n + t];
        expect("pointer", b * n + t, out[b * n + t], which[b] ? sum * 64 + odd : sum);
      }
    }
}

static void testVirtual(dim3 shape, int blocks, int steps) {
  int n = shape.x * shape.y * shape.z;
  std::vector<int> in = input(size_t(n) * blocks);
  Buffer<int> from(in), to(in.size());
  throughVirtual<<<blocks, shape, n * sizeof(int)>>>(from, to, steps);
  std::vector<int> out = to.get();
  for (int b = 0; b < blocks; b++) {
    std::vector<int> value(in.begin() + b * n, in.begin() + (b + 1) * n);
    std::vector<std::vector<int>> history;
    for (int i = 0; i < steps; i++) {
      history.push_back(value);
      std::vector<int> old = value;
      int above = 0;
      for (int v : old)
        above += v > 500;
      for (int t = 0; t < n; t++) {
        value[t] = (b + i) % 2 ? old[(t + 3) % n] : old[t] + above;
        int index = (i * 5) % (i < 7 ? i + 1 : 8), last = i - ((i - index) & 7);
        value[t] += history[last][t];
      }
    }
    for (int t = 0; t < n; t++)
      expect("virtual", b * n + t, out[b * n + t], value[t]);
  }
}

static void testEarly(int n, int blocks, int leave) {
  std::vector<int> in = input(size_t(n) * blocks);
  Buffer<int> from(in), to(in.size());
  early<<<blocks, n, n * sizeof(int)>>>(from, to, leave);
  std::vector<int> out = to.get();
  for (int b = 0; b < blocks; b++)
    for (int t = 0; t < n; t++) {
      int from = leave - 1 - t, most = -1;
      if (t < leave) {
        most = in[b * n + from];
        if (from / 8 < leave / 8) {
          for (int k = from / 8 * 8; k < from / 8 * 8 + 8; k++)
            most = std::max(most, in[b * n + k]);
          most = most > 300 ? most : -most;
        }
      }
      expect("early", b * n + t, out[b * n + t], most);
    }
}

int main() {
  for (dim3 shape : {dim3(1), dim3(7), dim3(32), dim3(33), dim3(64), dim3(16, 5), dim3(8, 4, 3), dim3(256), dim3(1000)}) {
    testRecursive(shape, 5);
    testPointer(shape, 9);
    testVirtual(shape, 4, 11);
  }
  testRecursive(128, 300);
  testEarly(64, 3, 64);
  testEarly(96, 3, 41);
  testEarly(100, 3, 7);
  return finish();
}
