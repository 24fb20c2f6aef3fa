// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blocks.h"

using namespace blocks;
using bench::Data;

/// A tree in shared memory.
template <class T> __device__ static T blockSum(T mine, T *cells) {
  int thread = threadIdx.x;
  cells[thread] = mine;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half)
      cells[thread] += cells[thread + half];
    __syncthreads();
  }
  return cells[0];
}

__global__ static void sumTree(int n, const float *values, float *sums) {
  __shared__ float cells[Block];
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine += values[i];
  float sum = blockSum(mine, cells);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}

static void sumTreeRun(Data &data) {
  sumTree<<<Blocks, Block>>>(Count, data.get<float>(0), data.get<float>(1));
  sumTree<<<1, Block>>>(Blocks, data.get<float>(1), data.get<float>(2));
}

/// Shuffles in each warp, then in the first one.
__global__ static void sumWarps(int n, const float *values, float *sums) {
  __shared__ float warps[Block / 32];
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine += values[i];
  for (int offset = 16; offset > 0; offset /= 2)
    mine += __shfl_down_sync(0xffffffff, mine, offset);
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 32) {
    mine = threadIdx.x < Block / 32 ? warps[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
      mine += __shfl_down_sync(0xffffffff, mine, offset);
    if (threadIdx.x == 0)
      sums[blockIdx.x] = mine;
  }
}

static void sumWarpsRun(Data &data) {
  sumWarps<<<Blocks, Block>>>(Count, data.get<float>(0), data.get<float>(1));
  sumWarps<<<1, Block>>>(Blocks, data.get<float>(1), data.get<float>(2));
}

__global__ static void dotKernel(int n, const double *a, const double *b, double *sums) {
  __shared__ double cells[Block];
  double mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine += b ? a[i] * b[i] : a[i];
  double sum = blockSum(mine, cells);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}

static void dotRun(Data &data) {
  dotKernel<<<Blocks, Block>>>(Count, data.get<double>(0), data.get<double>(1),
                               data.get<double>(2));
  dotKernel<<<1, Block>>>(Blocks, data.get<double>(2), nullptr, data.get<double>(3));
}

/// The first place of the least value; `places` are candidates in the second launch.
__global__ static void argminKernel(int n, const int *values, const int *places, int *out) {
  __shared__ int best[Block];
  int mine = -1, thread = threadIdx.x;
  for (int i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x) {
    int place = places ? places[i] : i;
    if (mine < 0 || values[place] < values[mine] || (values[place] == values[mine] && place < mine))
      mine = place;
  }
  best[thread] = mine;
  __syncthreads();
  for (int half = Block / 2; half > 0; half /= 2) {
    if (thread < half && best[thread + half] >= 0) {
      int other = best[thread + half], own = best[thread];
      if (own < 0 || values[other] < values[own] || (values[other] == values[own] && other < own))
        best[thread] = other;
    }
    __syncthreads();
  }
  if (thread == 0)
    out[blockIdx.x] = best[0];
}

static void argminRun(Data &data) {
  argminKernel<<<Blocks, Block>>>(Count, data.get<int>(0), nullptr, data.get<int>(1));
  argminKernel<<<1, Block>>>(Blocks, data.get<int>(0), data.get<int>(1), data.get<int>(2));
}

/// Blelloch's scan: up the tree and down again; the sum before each thread.
__device__ static int scanTree(int mine, int *cells, int *total) {
  int thread = threadIdx.x;
  cells[thread] = mine;
  for (int stride = 1; stride < Block; stride *= 2) {
    __syncthreads();
    int i = (thread + 1) * 2 * stride - 1;
    if (i < Block)
      cells[i] += cells[i - stride];
  }
  __syncthreads();
  *total = cells[Block - 1];
  __syncthreads();
  if (thread == 0)
    cells[Block - 1] = 0;
  for (int stride = Block / 2; stride > 0; stride /= 2) {
    __syncthreads();
    int i = (thread + 1) * 2 * stride - 1;
    if (i < Block) {
      int left = cells[i - stride];
      cells[i - stride] = cells[i];
      cells[i] += left;
    }
  }
  __syncthreads();
  return cells[thread];
}

/// The same by shuffles; `cells` has one for each warp.
__device__ static int scanWarps(int mine, int *cells, int *total) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = mine;
  for (int offset = 1; offset < 32; offset *= 2) {
    int left = __shfl_up_sync(0xffffffff, sum, offset);
    if (lane >= offset)
      sum += left;
  }
  if (lane == 31)
    cells[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    int warps = lane < Block / 32 ? cells[lane] : 0;
    for (int offset = 1; offset < 32; offset *= 2) {
      int left = __shfl_up_sync(0xffffffff, warps, offset);
      if (lane >= offset)
        warps += left;
    }
    if (lane < Block / 32)
      cells[lane] = warps;
  }
  __syncthreads();
  *total = cells[Block / 32 - 1];
  return sum - mine + (warp > 0 ? cells[warp - 1] : 0);
}

template <bool Tree> __global__ static void scanBlocks(int n, const int *in, int *out, int *sums) {
  __shared__ int cells[Block];
  int i = blockIdx.x * Block + threadIdx.x, total;
  int mine = i < n ? in[i] : 0;
  int before = Tree ? scanTree(mine, cells, &total) : scanWarps(mine, cells, &total);
  if (i < n)
    out[i] = before;
  if (threadIdx.x == 0)
    sums[blockIdx.x] = total;
}

/// One thread for a short array.
__global__ static void scanSerial(int n, int *sums) {
  int running = 0;
  for (int i = 0; i < n; i++) {
    int mine = sums[i];
    sums[i] = running;
    running += mine;
  }
}

__global__ static void addSums(int n, const int *sums, int *out) {
  int i = blockIdx.x * Block + threadIdx.x;
  if (i < n)
    out[i] += sums[blockIdx.x];
}

template <bool Tree> static void scanRun(Data &data) {
  int *out = data.get<int>(1), *sums = data.get<int>(2);
  scanBlocks<Tree><<<ScanBlocks, Block>>>(Count, data.get<int>(0), out, sums);
  scanSerial<<<1, 1>>>(ScanBlocks, sums);
  addSums<<<ScanBlocks, Block>>>(Count, sums, out);
}

__global__ static void histogramGlobal(int n, const unsigned char *values, int *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[values[i]], 1);
}

static void histogramGlobalRun(Data &data) {
  cudaMemsetAsync(data.get<int>(1), 0, Bins * sizeof(int));
  histogramGlobal<<<cover(Count, Block), Block>>>(Count, data.get<unsigned char>(0),
                                                  data.get<int>(1));
}

__global__ static void histogramShared(int n, const unsigned char *values, int *bins) {
  __shared__ int mine[Bins];
  for (int bin = threadIdx.x; bin < Bins; bin += blockDim.x)
    mine[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[values[i]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < Bins; bin += blockDim.x)
    if (mine[bin] > 0)
      atomicAdd(&bins[bin], mine[bin]);
}

static void histogramSharedRun(Data &data) {
  cudaMemsetAsync(data.get<int>(1), 0, Bins * sizeof(int));
  histogramShared<<<Blocks, Block>>>(Count, data.get<unsigned char>(0), data.get<int>(1));
}

/// Places by votes: a thread's is the number of votes before its own.
__global__ static void countKept(int n, const int *in, int *counts) {
  int i = blockIdx.x * Block + threadIdx.x;
  int count = __syncthreads_count(i < n && in[i] >= 500);
  if (threadIdx.x == 0)
    counts[blockIdx.x] = count;
}

__global__ static void keep(int n, const int *in, const int *counts, int *out, int *kept) {
  __shared__ int warps[Block / 32];
  int i = blockIdx.x * Block + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  bool mine = i < n && in[i] >= 500;
  unsigned votes = __ballot_sync(0xffffffff, mine);
  if (lane == 0)
    warps[warp] = __popc(votes);
  __syncthreads();
  int place = counts[blockIdx.x] + __popc(votes & ((1u << lane) - 1));
  for (int w = 0; w < warp; w++)
    place += warps[w];
  if (mine)
    out[place] = in[i];
  if (i == n - 1)
    *kept = place + mine;
}

static void compactRun(Data &data) {
  int *counts = data.get<int>(3);
  cudaMemsetAsync(data.get<int>(1), 0, Count * sizeof(int));
  countKept<<<ScanBlocks, Block>>>(Count, data.get<int>(0), counts);
  scanSerial<<<1, 1>>>(ScanBlocks, counts);
  keep<<<ScanBlocks, Block>>>(Count, data.get<int>(0), counts, data.get<int>(1), data.get<int>(2));
}

/// A block of 128 a row.
__global__ static void rowSum(int n, const float *a, float *sums) {
  __shared__ float cells[128];
  float mine = 0;
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    mine += a[blockIdx.x * n + j];
  float sum = blockSum(mine, cells);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}

static void rowSumRun(Data &data) {
  rowSum<<<Rows, 128>>>(Columns, data.get<float>(0), data.get<float>(1));
}

__global__ static void layerNorm(int n, const float *a, float *out) {
  __shared__ float cells[128];
  const float *row = a + blockIdx.x * n;
  float mine = 0, squares = 0;
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    mine += row[j];
  float mean = blockSum(mine, cells) / n;
  __syncthreads();
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    squares += (row[j] - mean) * (row[j] - mean);
  float scale = rsqrtf(blockSum(squares, cells) / n + 1e-5f);
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    out[blockIdx.x * n + j] = (row[j] - mean) * scale;
}

static void layerNormRun(Data &data) {
  layerNorm<<<Rows, 128>>>(Columns, data.get<float>(0), data.get<float>(1));
}

/// A warp a row, with shuffles to all lanes.
__global__ static void softmaxWarp(int m, int n, const float *a, float *out) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= m)
    return;
  float most = -1e30f, sum = 0;
  for (int j = lane; j < n; j += 32)
    most = fmaxf(most, a[row * n + j]);
  for (int offset = 16; offset > 0; offset /= 2)
    most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, offset));
  for (int j = lane; j < n; j += 32)
    sum += expf(a[row * n + j] - most);
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, offset);
  for (int j = lane; j < n; j += 32)
    out[row * n + j] = expf(a[row * n + j] - most) / sum;
}

static void softmaxWarpRun(Data &data) {
  softmaxWarp<<<cover(Rows, 4), 128>>>(Rows, Columns, data.get<float>(0), data.get<float>(1));
}

/// A thread adds up a run of its elements and hands each segment on with an atomic.
__global__ static void segmentSum(int n, const int *keys, const float *values, float *sums) {
  constexpr int Each = 8;
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * Each;
  if (first >= n)
    return;
  int key = keys[first];
  float sum = 0;
  for (int i = first; i < min(first + Each, n); i++) {
    if (keys[i] != key) {
      atomicAdd(&sums[key], sum);
      key = keys[i];
      sum = 0;
    }
    sum += values[i];
  }
  atomicAdd(&sums[key], sum);
}

static void segmentRun(Data &data) {
  cudaMemsetAsync(data.get<float>(2), 0, Segments * sizeof(float));
  segmentSum<<<cover(cover(Count, 8), 128), 128>>>(Count, data.get<int>(0), data.get<float>(1),
                                                   data.get<float>(2));
}

BENCHMARK("reduce_tree", sum, sumTreeRun)
BENCHMARK("reduce_warps", sum, sumWarpsRun)
BENCHMARK("dot_double", dot, dotRun)
BENCHMARK("argmin", argmin, argminRun)
BENCHMARK("scan_tree", scan, scanRun<true>)
BENCHMARK("scan_warps", scan, scanRun<false>)
BENCHMARK("histogram_global", histogram, histogramGlobalRun)
BENCHMARK("histogram_shared", histogram, histogramSharedRun)
BENCHMARK("compact", compact, compactRun)
BENCHMARK("block_row_sum", rowSums, rowSumRun)
BENCHMARK("layer_norm", rowMatrices, layerNormRun)
BENCHMARK("softmax_warp", rowMatrices, softmaxWarpRun)
BENCHMARK("segment_sum", segments, segmentRun)
