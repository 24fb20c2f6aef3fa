// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// && and || and ?: evaluate their right side only where they must: a guard protects what it guards.
#include "support.h"

__device__ __host__ inline bool count(int &calls, bool result) {
  calls++;
  return result;
}

struct Calls {
  __host__ __device__ int operator()(int x) const {
    int calls = 0;
    bool r = (count(calls, x & 1) && count(calls, x & 2)) ||
             (count(calls, x & 4) && (count(calls, x & 8) || count(calls, x & 16)));
    int v = r ? (count(calls, x & 32) ? 100 : 200) : 300;
    return calls * 1000 + v + r;
  }
};

__global__ void guarded(const int *const *pointers, const int *table, int size, const int *index, int *out, int n) {
  int i = threadInGrid();
  if (i >= n)
    return;
  const int *p = pointers[i];
  int k = index[i];
  int r = 0;
  if (p && *p > 10)
    r += 1;
  if (!p || *p < 5)
    r += 2;
  if (k >= 0 && k < size && table[k] % 2 == 0)
    r += 4;
  r += k < 0 || k >= size ? 8 : table[k] * 16;
  while (p && k >= 0 && k < size && table[k] > 3)
    k += *p, r += 100000;
  out[i] = r;
}

static int reference(const int *p, const std::vector<int> &table, int k) {
  int size = int(table.size()), r = 0;
  if (p && *p > 10)
    r += 1;
  if (!p || *p < 5)
    r += 2;
  if (k >= 0 && k < size && table[k] % 2 == 0)
    r += 4;
  r += k < 0 || k >= size ? 8 : table[k] * 16;
  while (p && k >= 0 && k < size && table[k] > 3)
    k += *p, r += 100000;
  return r;
}

int main() {
  Random random(5);
  std::vector<int> calls;
  for (int i = 0; i < 300; i++)
    calls.push_back(random.below(64));
  mapOnDevice<Calls>("calls", calls);

  const int n = 613;
  std::vector<int> values(n), table(50), index(n), want(n);
  std::vector<const int *> pointers(n);
  for (int &v : values)
    v = random.below(20) + 1;
  for (int &v : table)
    v = random.below(30);
  Buffer<int> deviceValues(values), deviceTable(table);
  for (int i = 0; i < n; i++) {
    bool null = random.below(3) == 0;
    pointers[i] = null ? nullptr : deviceValues + i;
    // Far outside: such an access would fault.
    index[i] = random.below(2) ? random.below(50) : (random.below(2) ? 1 : -1) * (1 << 29);
    want[i] = reference(null ? nullptr : &values[i], table, index[i]);
  }
  Buffer<const int *> devicePointers(pointers);
  Buffer<int> deviceIndex(index);
  for (int block : {64, 100, 7}) {
    Buffer<int> out(n);
    guarded<<<(n + block - 1) / block, block>>>(devicePointers, deviceTable, 50, deviceIndex, out, n);
    checkLaunch();
    expectAll("guarded", out.get(), want);
  }
  return finish();
}
