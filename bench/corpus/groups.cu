// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "groups.h"

using namespace groups;
using bench::Data;

constexpr int Block = 128;
constexpr unsigned All = 0xffffffff;

__global__ static void normaliseKernel(int rows, int n, const float *a, float *out) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  float sum = 0;
  for (int j = lane; j < n; j += 32)
    sum += a[row * n + j] * a[row * n + j];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(All, sum, offset);
  float scale = rsqrtf(__shfl_sync(All, sum, 0));
  for (int j = lane; j < n; j += 32)
    out[row * n + j] = a[row * n + j] * scale;
}

static void normaliseRun(Data &data) {
  normaliseKernel<<<cover(Rows * 32, Block), Block>>>(Rows, Columns, data.get<float>(0),
                                                      data.get<float>(1));
}

/// The warp's first lane makes place for all that pass.
__global__ static void appendKernel(int n, const int *in, int *out, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  bool passes = i < n && in[i] % 3 == 0;
  unsigned mask = __ballot_sync(All, passes);
  int first = 0;
  if (lane == 0 && mask)
    first = atomicAdd(count, __popc(mask));
  first = __shfl_sync(All, first, 0);
  if (passes)
    out[first + __popc(mask & ((1u << lane) - 1))] = in[i];
}

/// How often each number is there, which no order changes.
__global__ static void tallyKernel(const int *count, const int *values, int *tally) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < *count && i < 20000)
    tally[values[i]] = 1;
}

static void appendRun(Data &data) {
  cudaMemsetAsync(data.get<int>(2), 0, sizeof(int));
  cudaMemsetAsync(data.get<int>(3), 0, 1000 * sizeof(int));
  appendKernel<<<cover(Candidates, Block), Block>>>(Candidates, data.get<int>(0), data.get<int>(1),
                                                    data.get<int>(2));
  tallyKernel<<<cover(20000, Block), Block>>>(data.get<int>(2), data.get<int>(1), data.get<int>(3));
}

__global__ static void segmentedKernel(int n, const float *values, const int *heads, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float sum = i < n ? values[i] : 0;
  unsigned starts = __ballot_sync(All, i < n && heads[i]) | 1;
  int start = 31 - __clz(starts & (All >> (31 - lane)));
  for (int distance = 1; distance < 32; distance *= 2) {
    float left = __shfl_up_sync(All, sum, distance);
    if (lane - distance >= start)
      sum += left;
  }
  if (i < n)
    sums[i] = sum;
}

static void segmentedRun(Data &data) {
  segmentedKernel<<<cover(Values, Block), Block>>>(Values, data.get<float>(0), data.get<int>(1),
                                                   data.get<float>(2));
}

/// A block a pair, a thread a letter of the first word; three diagonals in shared memory.
__global__ static void alignKernel(const int *first, const int *second, int *best) {
  __shared__ int before[Letters + 1], last[Letters + 1], next[Letters + 1], bests[Letters];
  int row = threadIdx.x, mine = 0, letter = first[blockIdx.x * Letters + row];
  before[row + 1] = last[row + 1] = next[row + 1] = 0;
  if (row == 0)
    before[0] = last[0] = next[0] = 0;
  __syncthreads();
  for (int diagonal = 0; diagonal < 2 * Letters - 1; diagonal++) {
    int column = diagonal - row;
    if (column >= 0 && column < Letters) {
      int score = before[row] + (letter == second[blockIdx.x * Letters + column] ? 3 : -2);
      score = max(max(score, 0), max(last[row], last[row + 1]) - 1);
      next[row + 1] = score;
      mine = max(mine, score);
    }
    __syncthreads();
    before[row + 1] = last[row + 1];
    last[row + 1] = next[row + 1];
    __syncthreads();
  }
  bests[row] = mine;
  __syncthreads();
  if (row == 0) {
    for (int i = 1; i < Letters; i++)
      mine = max(mine, bests[i]);
    best[blockIdx.x] = mine;
  }
}

static void alignRun(Data &data) {
  alignKernel<<<Pairs, Letters>>>(data.get<int>(0), data.get<int>(1), data.get<int>(2));
}

/// A block a signal: inverted order of bits, then halves of pairs, a barrier for each length.
__global__ static void fourierKernel(const float2 *in, const float2 *roots, float2 *out) {
  __shared__ float2 cells[Points];
  int thread = threadIdx.x;
  const float2 *signal = in + blockIdx.x * Points;
  for (int i = thread; i < Points; i += Points / 2)
    cells[__brev(i) >> 24] = signal[i];
  __syncthreads();
  for (int half = 1; half < Points; half *= 2) {
    int place = thread % half, i = 2 * (thread - place) + place;
    float2 root = roots[place * (Points / 2 / half)], a = cells[i], b = cells[i + half];
    float2 turned = {b.x * root.x - b.y * root.y, b.x * root.y + b.y * root.x};
    cells[i] = {a.x + turned.x, a.y + turned.y};
    cells[i + half] = {a.x - turned.x, a.y - turned.y};
    __syncthreads();
  }
  for (int i = thread; i < Points; i += Points / 2)
    out[blockIdx.x * Points + i] = cells[i];
}

static void fourierRun(Data &data) {
  fourierKernel<<<Signals, Points / 2>>>(data.get<float2>(0), data.get<float2>(1),
                                         data.get<float2>(2));
}

/// A block a tile of queries, a thread a query: keys and values by tiles through shared memory,
/// with the greatest score and the sum so far.
__global__ static void attentionKernel(const float *queries, const float *keys, const float *values,
                                       float *out) {
  __shared__ float k[Tile][Depth], v[Tile][Depth];
  int head = blockIdx.y, place = blockIdx.x * Tile + threadIdx.x;
  float query[Depth], sums[Depth], most = -1e30f, total = 0;
  for (int d = 0; d < Depth; d++) {
    query[d] = queries[(head * Places + place) * Depth + d];
    sums[d] = 0;
  }
  for (int tile = 0; tile < Places; tile += Tile) {
    for (int i = threadIdx.x; i < Tile * Depth; i += Tile) {
      k[i / Depth][i % Depth] = keys[(head * Places + tile) * Depth + i];
      v[i / Depth][i % Depth] = values[(head * Places + tile) * Depth + i];
    }
    __syncthreads();
    for (int j = 0; j < Tile; j++) {
      float score = 0;
      for (int d = 0; d < Depth; d++)
        score += query[d] * k[j][d];
      float greatest = fmaxf(most, score), old = expf(most - greatest);
      float weight = expf(score - greatest);
      total = total * old + weight;
      for (int d = 0; d < Depth; d++)
        sums[d] = sums[d] * old + weight * v[j][d];
      most = greatest;
    }
    __syncthreads();
  }
  for (int d = 0; d < Depth; d++)
    out[(head * Places + place) * Depth + d] = sums[d] / total;
}

static void attentionRun(Data &data) {
  attentionKernel<<<dim3(Places / Tile, Heads), Tile>>>(data.get<float>(0), data.get<float>(1),
                                                        data.get<float>(2), data.get<float>(3));
}

/// Backtracking with a stack of free columns.
__global__ static void queensKernel(int n, int *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n)
    return;
  unsigned all = (1u << n) - 1, a = 1u << i / n, b = 1u << i % n;
  unsigned columns[Queens + 1], lefts[Queens + 1], rights[Queens + 1], frees[Queens + 1];
  int count = 0, depth = 2;
  if (!(b & (a | a << 1 | a >> 1))) {
    columns[2] = a | b;
    lefts[2] = (a << 1 | b) << 1;
    rights[2] = (a >> 1 | b) >> 1;
    frees[2] = all & ~(columns[2] | lefts[2] | rights[2]);
    while (depth >= 2) {
      if (frees[depth] == 0) {
        depth--;
        continue;
      }
      unsigned place = frees[depth] & -frees[depth];
      frees[depth] ^= place;
      if (depth == n - 1) {
        count++;
        continue;
      }
      columns[depth + 1] = columns[depth] | place;
      lefts[depth + 1] = (lefts[depth] | place) << 1;
      rights[depth + 1] = (rights[depth] | place) >> 1;
      depth++;
      frees[depth] = all & ~(columns[depth] | lefts[depth] | rights[depth]);
    }
  }
  counts[i] = count;
}

static void queensRun(Data &data) {
  queensKernel<<<cover(Queens * Queens, 64), 64>>>(Queens, data.get<int>(0));
}

/// The nearest so far in a sorted array of the thread.
__global__ static void nearestKernel(int n, int known, const float *points, const float *queries,
                                     float *means) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float best[Nearest], x = queries[3 * i], y = queries[3 * i + 1], z = queries[3 * i + 2];
  for (int k = 0; k < Nearest; k++)
    best[k] = 1e30f;
  for (int j = 0; j < known; j++) {
    float dx = points[3 * j] - x, dy = points[3 * j + 1] - y, dz = points[3 * j + 2] - z;
    float distance = dx * dx + dy * dy + dz * dz;
    if (distance < best[Nearest - 1]) {
      int k = Nearest - 1;
      while (k > 0 && best[k - 1] > distance) {
        best[k] = best[k - 1];
        k--;
      }
      best[k] = distance;
    }
  }
  float sum = 0;
  for (int k = 0; k < Nearest; k++)
    sum += sqrtf(best[k]);
  means[i] = sum / Nearest;
}

static void nearestRun(Data &data) {
  nearestKernel<<<cover(Queries, Block), Block>>>(Queries, Known, data.get<float>(0),
                                                  data.get<float>(1), data.get<float>(2));
}

__global__ static void neighboursKernel(int n, int neighbours, const float4 *places,
                                        const int *lists, float4 *forces) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 me = places[i], force = {0, 0, 0, 0};
  for (int j = 0; j < neighbours; j++) {
    float4 other = places[lists[i * neighbours + j]];
    float dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
    float square = dx * dx + dy * dy + dz * dz + 0.01f, inverse = rsqrtf(square);
    float pull = me.w * other.w * inverse * inverse * inverse;
    force.x += pull * dx;
    force.y += pull * dy;
    force.z += pull * dz;
    force.w += me.w * other.w * inverse;
  }
  forces[i] = force;
}

static void neighboursRun(Data &data) {
  neighboursKernel<<<cover(Particles, Block), Block>>>(Particles, Neighbours, data.get<float4>(0),
                                                       data.get<int>(1), data.get<float4>(2));
}

BENCHMARK("normalise_rows_warp", normalised, normaliseRun)
BENCHMARK("append_ballot", appended, appendRun)
BENCHMARK("segmented_scan_warp", segmented, segmentedRun)
BENCHMARK("align_wavefront", aligned, alignRun)
BENCHMARK("fourier_shared", spectra, fourierRun)
BENCHMARK("attention_shared", attention, attentionRun)
BENCHMARK("queens", queens, queensRun)
BENCHMARK("nearest_sorted", nearest, nearestRun)
BENCHMARK("neighbour_lists", neighbours, neighboursRun)
