// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sorting.h"

using namespace sorting;
using bench::Data;

__global__ static void bitonicStep(int k, int j, int *values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other > i) {
    bool up = (i & k) == 0;
    if ((values[i] > values[other]) == up) {
      int swapped = values[i];
      values[i] = values[other];
      values[other] = swapped;
    }
  }
}

static void bitonicRun(Data &data) {
  int *values = data.get<int>(1);
  cudaMemcpyAsync(values, data.get<int>(0), Sorted * sizeof(int), cudaMemcpyDeviceToDevice);
  for (int k = 2; k <= Sorted; k *= 2)
    for (int j = k / 2; j > 0; j /= 2)
      bitonicStep<<<Sorted / 256, 256>>>(k, j, values);
}

__global__ static void bitonicShared(const int *in, int *out) {
  __shared__ int cells[Piece];
  int i = threadIdx.x;
  cells[i] = in[blockIdx.x * Piece + i];
  __syncthreads();
  for (int k = 2; k <= Piece; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int other = i ^ j;
      if (other > i && (cells[i] > cells[other]) == ((i & k) == 0)) {
        int swapped = cells[i];
        cells[i] = cells[other];
        cells[other] = swapped;
      }
      __syncthreads();
    }
  out[blockIdx.x * Piece + i] = cells[i];
}

static void bitonicSharedRun(Data &data) {
  bitonicShared<<<Pieces, Piece>>>(data.get<int>(0), data.get<int>(1));
}

/// A thread has two neighbours; odd and even pairs in turns.
__global__ static void oddEven(const int *in, int *out) {
  __shared__ int cells[Piece];
  int i = threadIdx.x;
  cells[i] = in[blockIdx.x * Piece + i];
  cells[i + Piece / 2] = in[blockIdx.x * Piece + i + Piece / 2];
  __syncthreads();
  for (int turn = 0; turn < Piece; turn++) {
    int left = 2 * i + turn % 2;
    if (left + 1 < Piece && cells[left] > cells[left + 1]) {
      int swapped = cells[left];
      cells[left] = cells[left + 1];
      cells[left + 1] = swapped;
    }
    __syncthreads();
  }
  out[blockIdx.x * Piece + i] = cells[i];
  out[blockIdx.x * Piece + i + Piece / 2] = cells[i + Piece / 2];
}

static void oddEvenRun(Data &data) {
  oddEven<<<Pieces, Piece / 2>>>(data.get<int>(0), data.get<int>(1));
}

/// An element's place is its own index and its rank in the other sequence.
__global__ static void mergeKernel(int n, int m, const int *a, const int *b, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n + m)
    return;
  bool first = i < n;
  int own = first ? i : i - n, value = first ? a[own] : b[own];
  const int *other = first ? b : a;
  int low = 0, high = first ? m : n;
  while (low < high) {
    int middle = (low + high) / 2;
    bool before = first ? other[middle] < value : other[middle] <= value;
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  out[own + low] = value;
}

static void mergeRun(Data &data) {
  mergeKernel<<<cover(Left + Right, 256), 256>>>(Left, Right, data.get<int>(0), data.get<int>(1),
                                                 data.get<int>(2));
}

__global__ static void fillBuckets(int n, const float *keys, int *counts, float *buckets) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int bucket = int(keys[i] * Buckets);
    buckets[bucket * BucketRoom + atomicAdd(&counts[bucket], 1)] = keys[i];
  }
}

/// A block a bucket: it is filled up with ones and sorted, and goes behind all before it.
__global__ static void sortBuckets(const int *counts, const float *buckets, float *out) {
  __shared__ float cells[BucketRoom];
  int count = counts[blockIdx.x], before = 0;
  for (int bucket = 0; bucket < blockIdx.x; bucket++)
    before += counts[bucket];
  for (int i = threadIdx.x; i < BucketRoom; i += blockDim.x)
    cells[i] = i < count ? buckets[blockIdx.x * BucketRoom + i] : 1;
  __syncthreads();
  for (int k = 2; k <= BucketRoom; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      for (int i = threadIdx.x; i < BucketRoom; i += blockDim.x) {
        int other = i ^ j;
        if (other > i && (cells[i] > cells[other]) == ((i & k) == 0)) {
          float swapped = cells[i];
          cells[i] = cells[other];
          cells[other] = swapped;
        }
      }
      __syncthreads();
    }
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    out[before + i] = cells[i];
}

static void bucketRun(Data &data) {
  int *counts = data.get<int>(1);
  cudaMemsetAsync(counts, 0, Buckets * sizeof(int));
  fillBuckets<<<cover(Keys, 256), 256>>>(Keys, data.get<float>(0), counts, data.get<float>(2));
  sortBuckets<<<Buckets, 256>>>(counts, data.get<float>(2), data.get<float>(3));
}

__global__ static void rankKernel(int n, const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int value = in[i], rank = 0;
  for (int j = 0; j < n; j++)
    if (in[j] < value || (in[j] == value && j < i))
      rank++;
  out[rank] = value;
}

static void rankRun(Data &data) {
  rankKernel<<<cover(Ranked, 128), 128>>>(Ranked, data.get<int>(0), data.get<int>(1));
}

/// A block a query, a thread a key of the node: the one whose key and successor enclose the query
/// goes down.
__global__ static void btreeKernel(const int *tree, const int *queries, int *found) {
  __shared__ int node;
  int query = queries[blockIdx.x], key = threadIdx.x, level = 0, size = Order;
  if (key == 0)
    node = 0;
  __syncthreads();
  for (int depth = 0; depth < Levels; depth++) {
    int at = node * Order + key;
    bool mine = tree[level + at] <= query && (key == Order - 1 || tree[level + at + 1] > query);
    __syncthreads();
    if (mine)
      node = at;
    __syncthreads();
    level += size;
    size *= Order;
  }
  if (key == 0)
    found[blockIdx.x] = node * 3 + 1;
}

static void btreeRun(Data &data) {
  btreeKernel<<<Queries, Order>>>(data.get<int>(0), data.get<int>(1), data.get<int>(2));
}

/// The first suffix that is not below the word, or with `after` the first above it.
__device__ static int boundOf(const unsigned char *text, const int *order,
                              const unsigned char *word, bool after) {
  int low = 0, high = Text;
  while (low < high) {
    int middle = (low + high) / 2, difference = 0;
    for (int i = 0; i < WordLength && difference == 0; i++)
      difference = text[order[middle] + i] - word[i];
    if (difference < 0 || (after && difference == 0))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__global__ static void suffixKernel(int words, const unsigned char *text, const int *order,
                                    const unsigned char *all, int *counts) {
  int word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word < words) {
    const unsigned char *mine = all + word * WordLength;
    counts[word] = boundOf(text, order, mine, true) - boundOf(text, order, mine, false);
  }
}

static void suffixRun(Data &data) {
  suffixKernel<<<cover(Words, 64), 64>>>(Words, data.get<unsigned char>(0), data.get<int>(1),
                                         data.get<unsigned char>(2), data.get<int>(3));
}

BENCHMARK("bitonic_global", sortAll, bitonicRun)
BENCHMARK("bitonic_shared", sortPieces, bitonicSharedRun)
BENCHMARK("odd_even", sortPieces, oddEvenRun)
BENCHMARK("merge_ranks", merge, mergeRun)
BENCHMARK("bucket_sort", bucketSort, bucketRun)
BENCHMARK("rank_sort", rankSort, rankRun)
BENCHMARK("btree", btree, btreeRun)
BENCHMARK("suffix_search", suffixes, suffixRun)
