// RUN: %heddle cc -std=c++17 --extended-lambda %s -o %t
// RUN: %check --tool memcheck %s %t | FileCheck %s
// CHECK: Invalid global write of 4 bytes, in kernel indexAfter(int*, int)
// CHECK: p[n] = 1;
// CHECK: by thread (0,0,0) in block (0,0,0), and 31 more
// CHECK: is 0 bytes behind an allocation of 400 bytes
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses outside of allocations, each beside its correct twin.
#include <cstdint>
#include <cstring>

constexpr int N = 100; // ints of each allocation

__global__ void indexAfter(int *p, int n) {
  p[n] = 1; // error: out-of-bounds-access
}
__global__ void indexLast(int *p, int n) {
  p[n - 1] = 1;
}

__global__ void loopOver(int *p, int n) {
  for (int i = threadIdx.x; i <= n; i += blockDim.x)
    p[i] = i; // error: out-of-bounds-access
}
__global__ void loopTo(int *p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    p[i] = i;
}

__global__ void before(int *p, int *out) {
  int i = threadIdx.x;
  out[i] = p[i - 1]; // error: out-of-bounds-access
}
__global__ void beforeGuarded(int *p, int *out) {
  int i = threadIdx.x;
  out[i] = i ? p[i - 1] : 0;
}

// One column too many in each row: only the last row's is outside.
__global__ void rows(int *p, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x <= width && y < height)
    p[y * width + x]++; // error: out-of-bounds-access
}
__global__ void rowsGuarded(int *p, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < width && y < height)
    p[y * width + x]++;
}

__global__ void gather(const int *index, const int *p, int *out) {
  int i = threadIdx.x;
  out[i] = p[index[i]]; // error: out-of-bounds-access
}
__global__ void gatherChecked(const int *index, const int *p, int *out, int n) {
  int i = threadIdx.x, at = index[i];
  out[i] = at >= 0 && at < n ? p[at] : 0;
}

// The last vector is cut off by the end.
__global__ void vectors(float4 *p, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    p[i] = make_float4(1, 2, 3, 4); // error: out-of-bounds-access
}
__global__ void vectorsInside(float4 *p, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    p[i] = make_float4(1, 2, 3, 4);
}

__global__ void wide(int *p) {
  *(int4 *)(p + 90) = make_int4(1, 2, 3, 4); // error: misaligned-access
}
__global__ void wideAligned(int *p) {
  *(int4 *)(p + 96) = make_int4(1, 2, 3, 4);
}
__global__ void oddBytes(char *p, double *out) {
  out[threadIdx.x] = *(double *)(p + 4 + 8 * threadIdx.x); // error: misaligned-access
}
__global__ void evenBytes(char *p, double *out) {
  out[threadIdx.x] = *(double *)(p + 8 + 8 * threadIdx.x);
}
__global__ void packed(char *p, int *out) { // copied byte by byte
  int value;
  memcpy(&value, p + 1 + 5 * threadIdx.x, sizeof(value));
  out[threadIdx.x] = value;
}

// Another allocation lies there, but that is not what the pointer means.
__global__ void neighbour(int *p, long distance) {
  p[distance + threadIdx.x] = 1; // error: out-of-bounds-access
}
__global__ void neighbourByName(int *, int *q) {
  q[threadIdx.x] = 1;
}

__global__ void atomics(int *p, int n) {
  atomicAdd(&p[n], 1); // error: out-of-bounds-access
  atomicCAS(&p[n + 1], 0, 1); // error: out-of-bounds-access
  atomicMax((unsigned long long *)&p[n - 1], 7ull); // error: misaligned-access
}
__global__ void atomicsInside(int *p, int n) {
  atomicAdd(&p[n - 1], 1);
  atomicCAS(&p[n - 2], 0, 1);
  atomicMax((unsigned long long *)&p[n - 2], 7ull);
}

struct View {
  int *data;
  int size;
  __device__ int &operator[](int i) const { return data[i]; }
};
__global__ void ofView(View v) {
  v[v.size] = 1; // error: out-of-bounds-access
}
__global__ void ofViewInside(View v) { v.data[v.size - 1] = 1; }

// Through a table of pointers: the object is what lies at the address.
__global__ void table(int **rows, int n) {
  rows[threadIdx.x][n + 3] = 1; // error: out-of-bounds-access
}
__global__ void tableOver(int **rows, int n) {
  *rows[threadIdx.x + 1] = n; // error: out-of-bounds-access
}
__global__ void tableInside(int **rows, int n) {
  rows[threadIdx.x][n - 1] = 1;
}

__device__ __noinline__ void put(int *at, int value) {
  *at = value; // error: out-of-bounds-access
}
__device__ __noinline__ void putInside(int *at, int value) { *at = value + 1; }
__global__ void inFunction(int *p, int n) { put(p + n + 1, 1); }
__global__ void inFunctionInside(int *p, int n) { putInside(p + n - 1, 1); }

__device__ int sumTo(const int *p, int i) {
  return i < 0 ? 0 : p[i] + sumTo(p, i - 1); // error: out-of-bounds-access
}
__device__ int sumInside(const int *p, int i) { return i < 0 ? 1 : p[i] + sumInside(p, i - 1); }
__global__ void recursive(int *p, int n) { p[0] = sumTo(p, n); }
__global__ void recursiveInside(int *p, int n) { p[0] = sumInside(p, n - 1); }

template <class F> __global__ void apply(F f) { f(threadIdx.x); }

__global__ void copyLong(int *p, const int *q, int n) {
  memcpy(p, q, n * sizeof(int) + 4); // error: out-of-bounds-access
}
__global__ void fillLong(int *p, int n) {
  memset(p + 1, 0, n * sizeof(int)); // error: out-of-bounds-access
}
__global__ void copyInside(int *p, const int *q, int n) {
  memcpy(p, q, n * sizeof(int));
  memset(p + 1, 0, (n - 1) * sizeof(int));
}

__global__ void readOnly(const int *__restrict__ p, int *out, int n) {
  out[0] = __ldg(p + n); // error: out-of-bounds-access
  out[1] = __ldcs(p + n + 1); // error: out-of-bounds-access
  __stcg(out + n, 1); // error: out-of-bounds-access
}
__global__ void readOnlyInside(const int *__restrict__ p, int *out, int n) {
  out[0] = __ldg(p + n - 1) + __ldcs(p + n - 2);
  __stcg(out + n - 1, 1);
}

__global__ void assembly(int *p, int n) {
  asm volatile("st.global.u32 [%0], 5;" ::"l"(p + n) : "memory"); // error: out-of-bounds-access
}
__global__ void assemblyInside(int *p, int n) {
  asm volatile("st.global.u32 [%0], 5;" ::"l"(p + n - 1) : "memory");
}

// 32 bits are too few for the index, and it turns negative.
__global__ void overflow(char *p, int stride) {
  int i = (threadIdx.x + 65536) * stride;
  p[i] = 1; // error: out-of-bounds-access
}
__global__ void overflowInside(char *p, int stride) {
  int i = threadIdx.x * stride % 128;
  p[i] = 1;
}

__global__ void null(int *p) {
  if (threadIdx.x == 3)
    *p = 1; // error: out-of-bounds-access
}
__global__ void notNull(int *p) {
  if (p)
    *p = 1;
}

// Pointers into two objects: each is inside of its own.
__global__ void either(int *p, int *q, int n) {
  int *r = threadIdx.x & 1 ? p : q;
  r[n - 1] = 1;
  r += n - 1;
  r[threadIdx.x & 2 ? 0 : -1] = 2;
}
// A distance of pointers leads into the other one.
__global__ void byDistance(int *p, int *q) {
  long d = q - p;
  p[d + threadIdx.x] = 1;
}
// One past the end is no access.
__global__ void pastEnd(int *p, int *end) {
  for (int *at = p + threadIdx.x; at < end; at += blockDim.x)
    *at = 1;
}

int *make(int n) {
  int *p;
  cudaMalloc(&p, n * sizeof(int));
  cudaMemset(p, 0, n * sizeof(int));
  return p;
}

int main() {
  int *p = make(N), *q = make(N), *out = make(N);
  indexAfter<<<1, 32>>>(p, N), indexLast<<<1, 32>>>(p, N);
  loopOver<<<1, 32>>>(p, N), loopTo<<<1, 32>>>(p, N);
  before<<<1, 32>>>(p, out), beforeGuarded<<<1, 32>>>(p, out);
  rows<<<10, 32>>>(p, 10, 10), rowsGuarded<<<10, 32>>>(p, 10, 10);
  int index[32] = {}, *deviceIndex = make(32);
  index[5] = -3, index[6] = N, index[7] = N - 1;
  cudaMemcpy(deviceIndex, index, sizeof(index), cudaMemcpyHostToDevice);
  gather<<<1, 32>>>(deviceIndex, p, out), gatherChecked<<<1, 32>>>(deviceIndex, p, out, N);
  int *odd = make(N + 2);
  vectors<<<1, 32>>>((float4 *)odd, N / 4 + 1), vectorsInside<<<1, 32>>>((float4 *)odd, N / 4);
  wide<<<1, 1>>>(p), wideAligned<<<1, 1>>>(p);
  oddBytes<<<1, 16>>>((char *)p, (double *)out), evenBytes<<<1, 16>>>((char *)p, (double *)out);
  packed<<<1, 32>>>((char *)p, out);
  neighbour<<<1, 32>>>(p, q - p), neighbourByName<<<1, 32>>>(p, q);
  atomics<<<1, 32>>>(p, N), atomicsInside<<<1, 32>>>(p, N);
  ofView<<<1, 32>>>({p, N}), ofViewInside<<<1, 32>>>({p, N});
  int *rowsOnHost[2] = {p, q}, **rowsOnDevice;
  cudaMalloc(&rowsOnDevice, sizeof(rowsOnHost));
  cudaMemcpy(rowsOnDevice, rowsOnHost, sizeof(rowsOnHost), cudaMemcpyHostToDevice);
  table<<<1, 2>>>(rowsOnDevice, N), tableInside<<<1, 2>>>(rowsOnDevice, N);
  tableOver<<<1, 1>>>(rowsOnDevice + 1, 1);
  inFunction<<<1, 32>>>(p, N), inFunctionInside<<<1, 32>>>(p, N);
  recursive<<<1, 1>>>(p, N), recursiveInside<<<1, 1>>>(p, N);
  apply<<<1, 32>>>([=] __device__(int i) { p[N + i] = 1; }); // error: out-of-bounds-access
  apply<<<1, 32>>>([=] __device__(int i) { p[N - 1 - i] = 1; });
  copyLong<<<1, 1>>>(p, q, N), fillLong<<<1, 1>>>(p, N), copyInside<<<1, 1>>>(p, q, N);
  readOnly<<<1, 1>>>(p, out, N), readOnlyInside<<<1, 1>>>(p, out, N);
  assembly<<<1, 1>>>(p, N), assemblyInside<<<1, 1>>>(p, N);
  overflow<<<1, 32>>>((char *)p, 40000), overflowInside<<<1, 32>>>((char *)p, 40000);
  null<<<1, 32>>>(nullptr), notNull<<<1, 32>>>(nullptr);
  either<<<1, 32>>>(p, q, N), byDistance<<<1, 32>>>(p, q), pastEnd<<<1, 32>>>(p, p + N);
  cudaDeviceSynchronize();
}
