// RUN: %heddle cc -g -std=c++17 %s -o %t
// RUN: %check --tool memcheck %s %t | FileCheck %s
// CHECK: Use after free: global write of 4 bytes, in kernel write(int*)
// CHECK: is in freed memory
// CHECK: allocated by cudaMalloc
// CHECK: freed by cudaFree
// CHECK: Use after free: read of 4 bytes, in kernel usedAfterFree(
// CHECK: allocated by thread (0,0,0) in block (0,0,0) of kernel usedAfterFree(
// CHECK-NEXT: freed_memory.cu:[[#]]:{{[0-9]+}} in usedAfterFree
// CHECK: freed by thread (0,0,0)
// CHECK: Free of freed memory, in kernel freedTwice(
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is gone, and the heap of malloc in kernels; each error beside its correct twin.
#include <new>

__global__ void write(int *p) {
  p[threadIdx.x] = 1; // error: use-after-free
}
__global__ void writeLive(int *p) { p[threadIdx.x] = 2; }
__global__ void writeAsync(int *p) {
  p[threadIdx.x] = 3; // error: use-after-free
}
__global__ void readManaged(const int *p, int *out) {
  out[threadIdx.x] = p[threadIdx.x]; // error: use-after-free
}
__global__ void readPinned(const int *p, int *out) {
  out[threadIdx.x] = p[threadIdx.x] + 1; // error: use-after-free
}
__global__ void throughTable(int **table) {
  table[0][threadIdx.x] = 1;
  table[1][threadIdx.x] = 1; // error: use-after-free
}
struct List {
  int value;
  List *next;
};
__global__ void walk(const List *list, int *sum) {
  for (; list; list = list->next) // error: use-after-free
    *sum += list->value; // error: use-after-free
}
__global__ void atomicOnFreed(unsigned *p) {
  atomicInc(p, 10); // error: use-after-free
}

// malloc, free, new and delete in kernels, of which compilers leave out what nobody sees.
__device__ void *volatile seen[32];
template <typename T> __device__ T *see(T *p) {
  seen[threadIdx.x] = p;
  return (T *)seen[threadIdx.x];
}
__global__ void usedAfterFree(int *out) {
  int *p = see((int *)malloc(8 * sizeof(int)));
  p[1] = 5;
  free(p);
  *out = p[1]; // error: use-after-free
}
__global__ void usedBeforeFree(int *out) {
  int *p = see((int *)malloc(8 * sizeof(int)));
  p[1] = 5;
  *out = p[1];
  free(p);
}
__global__ void freedTwice() {
  char *p = see((char *)malloc(100));
  free(p);
  free(p); // error: double-free
}
__global__ void freedOnce() {
  char *p = see((char *)malloc(100));
  free(p);
  free(nullptr);
}
__global__ void freedInside(int n) {
  char *p = see((char *)malloc(100));
  free(p + n); // error: invalid-free
  free(p);
}
__global__ void freedForeign(int *p) {
  free(p); // error: invalid-free
}
__global__ void freedLocal() {
  int here[4];
  here[threadIdx.x & 3] = 1;
  free(see(&here[0])); // error: invalid-free
}
__global__ void overHeap(int n) {
  int *p = see((int *)malloc(n * sizeof(int)));
  for (int i = 0; i <= n; ++i)
    p[i] = i; // error: out-of-bounds-access
  free(p);
}
__global__ void insideHeap(int n) {
  int *p = see((int *)malloc(n * sizeof(int)));
  for (int i = 0; i < n; ++i)
    p[i] = i;
  free(p);
}
__global__ void beforeHeap() {
  int *p = see(new int[4]);
  p[-1] = 1; // error: out-of-bounds-access
  delete[] p;
}
__global__ void objects(int *out) {
  List *a = see(new List{1, nullptr}), *b = see(new List{2, a});
  *out = b->next->value;
  delete a;
  *out += b->next->value; // error: use-after-free
  delete b;
}
__device__ int *kept;
__global__ void keep() {
  if (threadIdx.x == 0)
    kept = (int *)malloc(sizeof(int) * blockDim.x);
  __syncthreads();
  kept[threadIdx.x] = threadIdx.x;
}
__global__ void useKept() { kept[threadIdx.x] += 1; }
__global__ void freeKept() { free(kept); }
__global__ void useGone() {
  kept[threadIdx.x] += 1; // error: use-after-free
}
__global__ void noMemory(int *out) {
  int *p = (int *)malloc(size_t(1) << 40);
  if (p)
    *p = 1;
  *out = p != nullptr;
}
// More than the heap holds, one after the other.
__global__ void again() {
  for (int i = 0; i < 40; ++i) {
    char *p = see((char *)malloc(1 << 19));
    if (p)
      p[i] = 1;
    else
      __trap();
    free(p);
  }
}
__global__ void afterEnd(int *p) {
  if (threadIdx.x == 0)
    p[0] = 4; // error: use-after-free
}

template <typename T> T *make(int n) {
  T *p;
  cudaMalloc(&p, n * sizeof(T));
  cudaMemset(p, 0, n * sizeof(T));
  return p;
}

int main() {
  int *p = make<int>(32), *out = make<int>(32), *q;
  writeLive<<<1, 32>>>(p);
  cudaFree(p);
  write<<<1, 32>>>(p);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocAsync(&q, 128, stream);
  writeLive<<<1, 32, 0, stream>>>(q);
  cudaFreeAsync(q, stream);
  writeAsync<<<1, 32, 0, stream>>>(q);
  cudaStreamSynchronize(stream);
  cudaMallocManaged(&q, 128);
  cudaFree(q);
  readManaged<<<1, 32>>>(q, out);
  cudaMallocHost(&q, 128);
  cudaFreeHost(q);
  readPinned<<<1, 32>>>(q, out);
  int *rows[2] = {make<int>(32), make<int>(32)}, **table = make<int *>(2);
  cudaMemcpy(table, rows, sizeof(rows), cudaMemcpyHostToDevice);
  cudaFree(rows[1]);
  throughTable<<<1, 32>>>(table);
  List *first = make<List>(1), *second = make<List>(1), head = {1, second};
  cudaMemcpy(first, &head, sizeof(head), cudaMemcpyHostToDevice);
  walk<<<1, 1>>>(second, out);
  cudaFree(second);
  walk<<<1, 1>>>(first, out);
  unsigned *counter = make<unsigned>(1);
  cudaFree(counter);
  atomicOnFreed<<<1, 32>>>(counter);
  usedAfterFree<<<1, 1>>>(out), usedBeforeFree<<<1, 1>>>(out);
  freedTwice<<<1, 2>>>(), freedOnce<<<1, 2>>>();
  freedInside<<<1, 1>>>(16), freedForeign<<<1, 1>>>(out), freedLocal<<<1, 1>>>();
  overHeap<<<1, 32>>>(9), insideHeap<<<1, 32>>>(9), beforeHeap<<<1, 1>>>();
  objects<<<1, 1>>>(out);
  keep<<<1, 32>>>(), useKept<<<1, 32>>>(), freeKept<<<1, 1>>>(), useGone<<<1, 32>>>();
  noMemory<<<1, 1>>>(out), again<<<1, 1>>>();
  cudaDeviceSynchronize();
  cudaMemPool_t pool;
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPoolCreate(&pool, &properties);
  cudaMallocFromPoolAsync((void **)&q, 64, pool, stream);
  writeLive<<<1, 16, 0, stream>>>(q);
  cudaFreeAsync(q, stream);
  cudaStreamSynchronize(stream);
  cudaMemPoolDestroy(pool);
  afterEnd<<<1, 32>>>(q);
  cudaDeviceSynchronize();
}
