// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts and searches: Bitonic networks over the whole array and in shared memory, odd-even
// transposition, a merge by rank, buckets and then their insides (hybrid sort), ranks by counting,
// lookups in a B+ tree and in suffixes of a text.
#pragma once

#include "corpus.h"

#include <algorithm>
#include <numeric>

namespace sorting {
using namespace corpus;
using bench::Problem;

constexpr int Sorted = 1 << 14;                              // bitonic_global
constexpr int Pieces = 96, Piece = 512;                      // bitonic_shared, odd_even
constexpr int Left = 70001, Right = 50021;                   // merge
constexpr int Buckets = 64, BucketRoom = 1024, Keys = 30011; // bucket_sort
constexpr int Ranked = 1409;                                 // rank_sort
constexpr int Order = 16, Levels = 4, Queries = 20011;       // btree: Order^Levels keys
constexpr int Text = 30011, Words = 3001, WordLength = 12;

/// Values, the same in order.
inline Problem sortAll() {
  return items(Sorted, 0).input(randomInts(Sorted, 1 << 30, 1)).output<int>(Sorted);
}
inline Problem sortPieces() {
  return items(double(Pieces) * Piece, 0)
      .input(randomInts(Pieces * Piece, 1 << 30, 1))
      .output<int>(Pieces * Piece);
}
/// Two sequences in order, both in order.
inline Problem merge() {
  std::vector<int> a = randomInts(Left, 1 << 30, 1), b = randomInts(Right, 1 << 30, 2);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return items(Left + Right, 0).input(a).input(b).output<int>(Left + Right);
}
/// Keys below 1, numbers of the buckets, buckets, sorted keys.
inline Problem bucketSort() {
  return items(Keys, 0)
      .input(randomFloats(Keys, 0, 1, 1))
      .scratch<int>(Buckets)
      .scratch<float>(Buckets * BucketRoom)
      .output<float>(Keys);
}
/// Values with repetitions, the same in order.
inline Problem rankSort() {
  return items(double(Ranked) * Ranked, 0).input(randomInts(Ranked, 500, 1)).output<int>(Ranked);
}

/// Keys of a full tree's nodes, level by level from the root (a node's key is the least below it),
/// what is asked, the value of the greatest key that is not above it.
inline Problem btree() {
  std::vector<int> keys(size_t(std::pow(Order, Levels)));
  bench::Random random(1);
  for (size_t i = 0, key = 0; i < keys.size(); ++i)
    keys[i] = int(key += 1 + random.below(9));
  keys[0] = 0;
  std::vector<int> tree;
  for (size_t stride = keys.size() / Order; stride > 0; stride /= Order)
    for (size_t i = 0; i < keys.size(); i += stride)
      tree.push_back(keys[i]);
  return items(double(Queries) * Levels * Order, 0)
      .input(tree)
      .input(randomInts(Queries, keys.back(), 2))
      .output<int>(Queries);
}

/// A text, its suffixes in order, words, how many suffixes start with each.
inline Problem suffixes() {
  std::vector<unsigned char> text = randomInts<unsigned char>(Text + WordLength, 4, 1), words;
  std::vector<int> order(Text);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    int difference = std::memcmp(&text[a], &text[b], WordLength);
    return difference ? difference < 0 : a < b;
  });
  bench::Random random(2);
  for (int word = 0; word < Words; ++word) {
    int from = random.below(Text);
    for (int i = 0; i < WordLength; ++i)
      words.push_back(i + word % 3 < WordLength ? text[from + i] : random.below(4));
  }
  return items(double(Words) * WordLength * 30, 0)
      .input(text)
      .input(order)
      .input(words)
      .output<int>(Words);
}
} // namespace sorting
