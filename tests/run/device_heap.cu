// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// malloc, free, new and delete in kernels: distinct, aligned, kept between kernels; null when the heap is exhausted;
// trees and lists of nodes.
#include "support.h"

__global__ void make(int **pointers, int n) {
  int i = threadInGrid();
  if (i >= n)
    return;
  pointers[i] = static_cast<int *>(malloc((i % 20 + 1) * sizeof(int)));
  if (pointers[i] && (size_t)pointers[i] % 16 == 0)
    for (int k = 0; k <= i % 20; k++)
      pointers[i][k] = i * 100 + k;
}
__global__ void sum(int *const *pointers, int *out, int n) {
  int i = threadInGrid();
  if (i >= n)
    return;
  int s = 0;
  for (int k = 0; k <= i % 20; k++)
    s += pointers[i][k];
  out[i] = s;
  free(pointers[i]);
}

struct Node {
  Node *left = nullptr, *right = nullptr;
  int key;
  __device__ explicit Node(int k) : key(k) {}
  __device__ ~Node() {
    delete left;
    delete right;
  }
};
__global__ void trees(int *out, int n) {
  int i = threadInGrid();
  if (i >= n)
    return;
  Node *root = new Node(i % 16);
  unsigned seed = i;
  int inserted = 1;
  for (int k = 0; k < i % 12; k++) {
    seed = seed * 1664525u + 1013904223u;
    int key = seed >> 28;
    Node **at = &root;
    while (*at && (*at)->key != key)
      at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    if (!*at)
      *at = new Node(key), inserted++;
  }
  int smallest = root->key;
  for (Node *p = root; p; p = p->left)
    smallest = p->key;
  out[i] = inserted * 100 + smallest;
  delete root;
  double *array = new double[i % 7 + 1];
  array[i % 7] = i;
  out[i] += int(array[i % 7]);
  delete[] array;
}

__device__ void *kept[20];
__global__ void exhaust(int *nulls) {
  void *p = malloc(size_t(1) << 40);
  kept[threadInGrid()] = p; // or the compiler may take the allocation away
  if (!p)
    atomicAdd(nulls, 1);
  free(p); // also of null
}

int main() {
  const int n = 300;
  Buffer<int *> pointers(n);
  Buffer<int> out(n), nulls(1);
  make<<<6, 50>>>(pointers, n);
  checkLaunch();
  sum<<<4, 96>>>(pointers, out, n);
  checkLaunch();
  std::vector<int> want(n);
  for (int i = 0; i < n; i++) {
    int c = i % 20 + 1;
    want[i] = c * i * 100 + c * (c - 1) / 2;
  }
  expectAll("sums", out.get(), want);

  trees<<<6, 50>>>(out, n);
  checkLaunch();
  for (int i = 0; i < n; i++) {
    bool keys[16] = {};
    int inserted = 1, smallest = i % 16;
    keys[i % 16] = true;
    unsigned seed = i;
    for (int k = 0; k < i % 12; k++) {
      seed = seed * 1664525u + 1013904223u;
      int key = seed >> 28;
      if (!keys[key])
        keys[key] = true, inserted++, smallest = std::min(smallest, key);
    }
    want[i] = inserted * 100 + smallest + i;
  }
  expectAll("trees", out.get(), want);

  exhaust<<<2, 10>>>(nulls);
  checkLaunch();
  expect("exhausted", 0, nulls.get()[0], 20);

  // The size of the heap is fixed once it is in use, until a reset.
  size_t bytes = 0;
  expect("limit in use", 0, cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20), cudaErrorInvalidValue);
  cudaGetLastError();
  cudaDeviceReset();
  expect("limit after reset", 0, cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20), cudaSuccess);
  cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize);
  expect("limit", 0, bytes >= 64 << 20, true);
  return finish();
}
