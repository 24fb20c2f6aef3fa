// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive device functions whose depth differs between lanes: Fibonacci, Ackermann, mutual recursion, quicksort,
// a walk over a tree; values live across the calls are kept.
#include "support.h"

__host__ __device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__host__ __device__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__host__ __device__ bool isOdd(unsigned n);
__host__ __device__ bool isEven(unsigned n) { return n == 0 ? true : isOdd(n - 1); }
__host__ __device__ bool isOdd(unsigned n) { return n == 0 ? false : isEven(n - 1); }

__host__ __device__ void quicksort(int *a, int low, int high) {
  if (low >= high)
    return;
  int pivot = a[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot)
      i++;
    while (a[j] > pivot)
      j--;
    if (i <= j) {
      int t = a[i];
      a[i] = a[j], a[j] = t;
      i++, j--;
    }
  }
  quicksort(a, low, j);
  quicksort(a, i, high);
}

struct Fibonacci {
  __host__ __device__ int operator()(unsigned x) const { return fibonacci(int(x % 12)) * 3 + int(x & 1); }
};
struct Ackermann {
  __host__ __device__ int operator()(unsigned x) const { return ackermann(int(x % 3), int(x / 3 % 4)); }
};
struct Mutual {
  __host__ __device__ int operator()(unsigned x) const { return isEven(x % 40) + 2 * isOdd(x % 23); }
};
struct Quicksort {
  __host__ __device__ unsigned operator()(unsigned x) const {
    int a[20], n = int(x % 20) + 1;
    for (int i = 0; i < n; i++)
      a[i] = int((x * (i + 1) * 2654435761u) >> 20);
    quicksort(a, 0, n - 1);
    unsigned r = 0;
    for (int i = 0; i < n; i++)
      r = r * 31 + unsigned(a[i]);
    return r;
  }
};

struct Node {
  int left, right, value;
};
__host__ __device__ int sumTree(const Node *nodes, int at, int limit) {
  if (at < 0)
    return 0;
  int left = sumTree(nodes, nodes[at].left, limit);
  int own = nodes[at].value < limit ? nodes[at].value : 1;
  return left + own + 2 * sumTree(nodes, nodes[at].right, limit);
}
__global__ void sumTrees(const Node *nodes, const int *roots, const int *limits, int *out, int n) {
  int i = threadInGrid();
  if (i < n)
    out[i] = sumTree(nodes, roots[i], limits[i]);
}

int main() {
  Random random(32);
  std::vector<unsigned> in;
  for (int i = 0; i < 200; i++)
    in.push_back(random.bits());
  std::vector<dim3> shapes = {dim3(96), dim3(33)};
  mapOnDevice<Fibonacci>("fibonacci", in, shapes);
  mapOnDevice<Ackermann>("ackermann", in, shapes);
  mapOnDevice<Mutual>("mutual", in, shapes);
  mapOnDevice<Quicksort>("quicksort", in, shapes);

  std::vector<Node> nodes;
  for (int i = 0; i < 100; i++)
    nodes.push_back({random.below(2) && i ? random.below(i) / 2 : -1, random.below(2) && i ? i / 2 : -1, random.below(100)});
  // A child has at most half its parent's number, so depth is at most 7.
  std::vector<int> roots, limits, want;
  for (int i = 0; i < 150; i++) {
    roots.push_back(random.below(100));
    limits.push_back(random.below(100));
    want.push_back(sumTree(nodes.data(), roots[i], limits[i]));
  }
  Buffer<Node> deviceNodes(nodes);
  Buffer<int> deviceRoots(roots), deviceLimits(limits), out(150);
  sumTrees<<<3, 50>>>(deviceNodes, deviceRoots, deviceLimits, out, 150);
  checkLaunch();
  expectAll("trees", out.get(), want);
  return finish();
}
