// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %all env HEDDLE_DISABLE=test-and-test-and-set %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics at an address of its own for each lane, with lanes that meet at one: a hash table with open addressing in
// 32 and 64 bits, tickets, counters with and without their old values. Odd sizes leave warps and blocks in part empty.
#include "support.h"

#include <map>

constexpr unsigned Slots = 1 << 12;
constexpr int Threads = 96; // no power of two

template <class T> __global__ void insert(int n, const T *keys, T *slots, unsigned *counts, unsigned *won) {
  int i = threadInGrid();
  if (i >= n)
    return;
  T key = keys[i];
  unsigned slot = unsigned(key * 2654435761u) % Slots;
  while (true) {
    T found = atomicCAS(&slots[slot], T(-1), key);
    if (found == T(-1))
      atomicAdd(won, 1u);
    if (found == T(-1) || found == key)
      break;
    slot = (slot + 1) % Slots;
  }
  atomicAdd(&counts[slot], 1u);
}

/// Whoever swaps first wins the cell; the others must see who did.
__global__ void claim(int n, const int *cells, int *owners, int *seen) {
  int i = threadInGrid();
  if (i < n && i % 3 != 1)
    seen[i] = atomicCAS(&owners[cells[i]], -1, i);
}

__global__ void ticket(int n, const int *cells, int *next, int *tickets, unsigned long long *sums, float *floats) {
  int i = threadInGrid();
  if (i >= n)
    return;
  tickets[i] = atomicAdd(&next[cells[i]], 1);
  atomicAdd(&sums[cells[i]], 1ull << 33);
  atomicAdd(&floats[cells[i]], 0.5f);
}

template <class T> void testInsert(int n, int distinct) {
  Random random(n);
  std::vector<T> keys(n);
  std::map<T, unsigned> want;
  for (T &key : keys) {
    key = T(random.below(distinct)) * T(0x9e3779b97f4a7c15ull) & T(0x7fffffffffffffffull);
    ++want[key];
  }
  Buffer<T> deviceKeys(keys), slots(std::vector<T>(Slots, T(-1)));
  Buffer<unsigned> counts(std::vector<unsigned>(Slots, 0)), won(std::vector<unsigned>(1, 0));
  insert<T><<<(n + Threads - 1) / Threads, Threads>>>(n, deviceKeys, slots, counts,
                                                    won);
  checkLaunch();
  std::vector<T> found = slots.get();
  std::vector<unsigned> times = counts.get();
  std::map<T, unsigned> got;
  for (unsigned slot = 0; slot < Slots; ++slot)
    if (found[slot] != T(-1))
      got[found[slot]] = times[slot];
  expect("distinct keys", n, got.size(), want.size());
  expect("won", n, size_t(won.get()[0]), want.size());
  for (auto [key, count] : want)
    expect("count", (long long)(key), got[key], count);
}

void testClaims(int n, int cells) {
  Random random(n + 1);
  std::vector<int> cellOf(n);
  for (int &cell : cellOf)
    cell = random.below(cells);
  Buffer<int> deviceCells(cellOf), owners(std::vector<int>(cells, -1)), seen(std::vector<int>(n, -2));
  claim<<<(n + Threads - 1) / Threads, Threads>>>(n, deviceCells, owners, seen);
  checkLaunch();
  std::vector<int> owner = owners.get(), saw = seen.get(), winners(cells, 0);
  for (int i = 0; i < n; ++i) {
    if (i % 3 == 1)
      expect("inactive", i, saw[i], -2);
    else if (saw[i] == -1)
      ++winners[cellOf[i]], expect("winner", i, owner[cellOf[i]], i);
    else
      expect("loser", i, saw[i], owner[cellOf[i]]);
  }
  for (int cell = 0; cell < cells; ++cell)
    expect("winners", cell, winners[cell], int(owner[cell] != -1));
}

void testTickets(int n, int cells) {
  Random random(n + 2);
  std::vector<int> cellOf(n), count(cells, 0);
  for (int &cell : cellOf)
    ++count[cell = random.below(cells)];
  Buffer<int> deviceCells(cellOf), next(std::vector<int>(cells, 0)), tickets(std::vector<int>(n, -1));
  Buffer<unsigned long long> sums(std::vector<unsigned long long>(cells, 0));
  Buffer<float> floats(std::vector<float>(cells, 0));
  ticket<<<(n + Threads - 1) / Threads, Threads>>>(n, deviceCells, next, tickets,
                                                    sums, floats);
  checkLaunch();
  std::vector<int> got = tickets.get();
  std::vector<unsigned long long> total = sums.get();
  std::vector<float> halves = floats.get();
  std::vector<std::vector<bool>> taken(cells);
  for (int cell = 0; cell < cells; ++cell)
    taken[cell].resize(count[cell]);
  for (int i = 0; i < n; ++i) {
    bool fits = got[i] >= 0 && got[i] < count[cellOf[i]] && !taken[cellOf[i]][got[i]];
    expect("ticket", i, fits, true);
    if (fits)
      taken[cellOf[i]][got[i]] = true;
  }
  for (int cell = 0; cell < cells; ++cell) {
    expect("sum", cell, total[cell], (unsigned long long)(count[cell]) << 33);
    expect("float", cell, halves[cell], 0.5f * count[cell]);
  }
}

int main() {
  for (int n : {1, 31, 96, 1000, 3001}) {
    testInsert<unsigned>(n, 1 + n / 2);
    testInsert<unsigned long long>(n, 1 + n / 3);
    testClaims(n, 1 + n / 4);
    testTickets(n, 1 + n / 5);
    testTickets(n, 7);
  }
  return finish();
}
