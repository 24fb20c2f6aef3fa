// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sorting.h"

using namespace sorting;
using bench::Data;

/// Chunks by std::sort, then merges of pairs.
static void sortRun(Data &data) {
  constexpr int Chunk = Sorted / 8;
  int *values = data.get<int>(1);
  std::memcpy(values, data.get<int>(0), Sorted * sizeof(int));
#pragma omp parallel for
  for (int first = 0; first < Sorted; first += Chunk)
    std::sort(values + first, values + first + Chunk);
  for (int size = Chunk; size < Sorted; size *= 2) {
#pragma omp parallel for
    for (int first = 0; first < Sorted; first += 2 * size)
      std::inplace_merge(values + first, values + first + size, values + first + 2 * size);
  }
}

static void sortPiecesRun(Data &data) {
  int *values = data.get<int>(1);
  std::memcpy(values, data.get<int>(0), Pieces * Piece * sizeof(int));
#pragma omp parallel for
  for (int first = 0; first < Pieces * Piece; first += Piece)
    std::sort(values + first, values + first + Piece);
}

/// Parts of the first sequence, each with its part of the second.
static void mergeRun(Data &data) {
  const int *a = data.get<int>(0), *b = data.get<int>(1);
  int *out = data.get<int>(2);
  constexpr int Part = 8192;
#pragma omp parallel for
  for (int first = 0; first < Left; first += Part) {
    int last = std::min(first + Part, Left);
    int low = first == 0 ? 0 : int(std::lower_bound(b, b + Right, a[first]) - b);
    int high = last == Left ? Right : int(std::lower_bound(b, b + Right, a[last]) - b);
    std::merge(a + first, a + last, b + low, b + high, out + first + low);
  }
}

static void bucketRun(Data &data) {
  const float *keys = data.get<float>(0);
  float *out = data.get<float>(3);
  int starts[Buckets + 1] = {}, places[Buckets];
  for (int i = 0; i < Keys; i++)
    starts[int(keys[i] * Buckets) + 1]++;
  for (int bucket = 0; bucket < Buckets; bucket++)
    places[bucket] = starts[bucket + 1] += starts[bucket];
  for (int i = 0; i < Keys; i++)
    out[--places[int(keys[i] * Buckets)]] = keys[i];
#pragma omp parallel for schedule(dynamic)
  for (int bucket = 0; bucket < Buckets; bucket++)
    std::sort(out + starts[bucket], out + starts[bucket + 1]);
}

static void rankRun(Data &data) {
  const int *in = data.get<int>(0);
  int *out = data.get<int>(1);
#pragma omp parallel for
  for (int i = 0; i < Ranked; i++) {
    int value = in[i], rank = 0;
    for (int j = 0; j < i; j++)
      rank += in[j] <= value;
    for (int j = i + 1; j < Ranked; j++)
      rank += in[j] < value;
    out[rank] = value;
  }
}

static void btreeRun(Data &data) {
  const int *tree = data.get<int>(0), *queries = data.get<int>(1);
  int *found = data.get<int>(2);
#pragma omp parallel for
  for (int query = 0; query < Queries; query++) {
    int node = 0, level = 0, size = Order;
    for (int depth = 0; depth < Levels; depth++) {
      const int *keys = tree + level + node * Order;
      int key = 0;
      for (int i = 1; i < Order; i++)
        key += keys[i] <= queries[query];
      node = node * Order + key;
      level += size;
      size *= Order;
    }
    found[query] = node * 3 + 1;
  }
}

static void suffixRun(Data &data) {
  const unsigned char *text = data.get<unsigned char>(0), *words = data.get<unsigned char>(2);
  const int *order = data.get<int>(1);
  int *counts = data.get<int>(3);
#pragma omp parallel for
  for (int word = 0; word < Words; word++) {
    const unsigned char *mine = words + word * WordLength;
    auto low =
        std::lower_bound(order, order + Text, mine, [&](int suffix, const unsigned char *sought) {
          return std::memcmp(text + suffix, sought, WordLength) < 0;
        });
    auto high =
        std::upper_bound(low, order + Text, mine, [&](const unsigned char *sought, int suffix) {
          return std::memcmp(text + suffix, sought, WordLength) > 0;
        });
    counts[word] = int(high - low);
  }
}

BENCHMARK("bitonic_global", sortAll, sortRun)
BENCHMARK("bitonic_shared", sortPieces, sortPiecesRun)
BENCHMARK("odd_even", sortPieces, sortPiecesRun)
BENCHMARK("merge_ranks", merge, mergeRun)
BENCHMARK("bucket_sort", bucketSort, bucketRun)
BENCHMARK("rank_sort", rankSort, rankRun)
BENCHMARK("btree", btree, btreeRun)
BENCHMARK("suffix_search", suffixes, suffixRun)
