// RUN: %heddle cc -rdc=true --extended-lambda %s -I %S -o %t
// RUN: %widths %t
// RUN: env HEDDLE_WORKERS=1 %t
// NVCC: -rdc=true --extended-lambda
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels launched from device code: by every lane, by some, by one; templates, default arguments, structures by
// value, lambdas, kernels through pointers and tables, kernels that nothing else launches; many blocks, odd shapes,
// dynamic shared memory; nested deeply. What a parent has written its children see, and what they write is there when
// the parent's grid is over.
#include "../support.h"

struct Range {
  int first, count;
  double factor;
  char tail;
};

template <class T> __global__ void scale(T *data, Range range) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < range.count)
    data[range.first + i] = T(data[range.first + i] * range.factor + range.tail);
}

static __global__ void add(unsigned *place, unsigned amount = 3) { atomicAdd(place, amount); }

/// Each thread scales a row of its own; lanes with `skip` leave theirs alone.
template <class T> __global__ void scaleRows(T *data, const int *ends, int rows, unsigned skip) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || (skip >> (row % 32) & 1))
    return;
  int first = row ? ends[row - 1] : 0, count = ends[row] - first;
  for (int i = first; i < first + count; i++)
    data[i] += T(row); // seen by the child
  if (count > 0)
    scale<T><<<(count + 20) / 21, 21>>>(data, Range{first, count, 0.5 + row % 4, char(row % 7)});
}

template <class T> void testRows(uint32_t skip, int rows, unsigned threads) {
  Random random(rows + skip);
  std::vector<int> ends;
  int total = 0;
  for (int i = 0; i < rows; i++)
    ends.push_back(total += random.below(60));
  std::vector<T> data(total);
  for (T &value : data)
    value = T(random.below(1000));
  Buffer<T> device(data);
  Buffer<int> deviceEnds(ends);
  scaleRows<T><<<(rows + threads - 1) / threads, threads>>>(device, deviceEnds, rows, skip);
  checkLaunch();
  for (int row = 0; row < rows; row++)
    for (int i = row ? ends[row - 1] : 0; !(skip >> (row % 32) & 1) && i < ends[row]; i++)
      data[i] = T(T(data[i] + T(row)) * (0.5 + row % 4) + char(row % 7));
  expectAll("rows", device.get(), data);
}

__global__ void oneLane(unsigned *sums, int lane) {
  if (threadIdx.x == lane) {
    add<<<dim3(3, 2, 2), dim3(5, 3, 2)>>>(sums + blockIdx.x);
    add<<<1, 1>>>(sums + blockIdx.x, 1000);
  }
}

void testOneLane() {
  for (int lane : {0, 7, 31, 32, 70}) {
    Buffer<unsigned> sums(std::vector<unsigned>(9, 0));
    oneLane<<<9, 71>>>(sums, lane);
    checkLaunch();
    expectAll("one lane", sums.get(), std::vector<unsigned>(9, 12 * 30 * 3 + 1000));
  }
}

__global__ void increment(int *p) { *p += 1; }
__global__ void negate(int *p) { *p = -*p; }
template <class F> __global__ void call(F body, int *p) { body(p); }
__device__ void (*const table[])(int *) = {increment, negate, increment};

__global__ void throughPointers(int *data, const int *choice) {
  int i = threadIdx.x;
  table[choice[i]]<<<1, 1>>>(data + i);
  void (*kernel)(int *) = choice[i] == 1 ? increment : negate;
  kernel<<<1, 1>>>(data + i);
  int offset = 10 * i;
  call<<<1, 1>>>([=] __device__(int *p) { *p += offset; }, data + i);
}

void testPointers() {
  constexpr int N = 45;
  Random random(5);
  std::vector<int> data(N), choice(N);
  for (int i = 0; i < N; i++)
    data[i] = random.below(100), choice[i] = random.below(3);
  Buffer<int> device(data), choices(choice);
  throughPointers<<<1, N>>>(device, choices);
  checkLaunch();
  for (int i = 0; i < N; i++) {
    int value = choice[i] == 1 ? -data[i] : data[i] + 1;
    data[i] = (choice[i] == 1 ? value + 1 : -value) + 10 * i;
  }
  expectAll("pointers", device.get(), data);
}

/// The sum over a slice, in dynamic shared memory.
__global__ void sumSlice(const int *in, int *out, int n) {
  extern __shared__ int part[];
  part[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step)
      part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    *out = part[0];
}

__global__ void sumSlices(const int *in, int *out, int n, int slice) {
  int first = threadIdx.x * slice;
  if (first < n)
    sumSlice<<<1, 64, 64 * sizeof(int)>>>(in + first, out + threadIdx.x, min(slice, n - first));
}

void testShared() {
  constexpr int N = 1000, Slice = 37, Slices = (N + Slice - 1) / Slice;
  Random random(9);
  std::vector<int> in(N), want(Slices);
  for (int i = 0; i < N; i++)
    want[i / Slice] += in[i] = random.below(1000) - 500;
  Buffer<int> device(in), out(std::vector<int>(Slices, 0));
  sumSlices<<<1, 32>>>(device, out, N, Slice);
  checkLaunch();
  expectAll("slices", out.get(), want);
}

/// A tree: each block launches two of the next level, each of which adds to what it finds.
__global__ void tree(unsigned *counts, int level, int deepest) {
  if (threadIdx.x == 0)
    atomicAdd(counts + level, 1);
  if (level < deepest && threadIdx.x == 17 + level % 3)
    tree<<<level < 5 ? 2 : 1, 32>>>(counts, level + 1, deepest);
}

void testDepth() {
  constexpr int Deepest = 40; // the guide has 24; an H200 goes on
  Buffer<unsigned> counts(std::vector<unsigned>(Deepest + 1, 0));
  tree<<<1, 32>>>(counts, 0, Deepest);
  checkLaunch();
  std::vector<unsigned> want;
  for (int level = 0; level <= Deepest; level++)
    want.push_back(1u << std::min(level, 5));
  expectAll("tree", counts.get(), want);
}

/// What comes behind the parent in its stream sees what all its descendants have done.
__global__ void chain(int *data, int n, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(data + i, depth); // other blocks of the parent may still run
  if (i == 0 && depth > 1)
    chain<<<(n + 47) / 48, 48>>>(data, n, depth - 1);
}
__global__ void doubled(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] *= 2;
}

void testBehind() {
  constexpr int N = 333;
  Buffer<int> data(std::vector<int>(N, 1));
  std::vector<int> want(N, 1);
  for (int round = 0; round < 20; round++) {
    int depth = 1 + round % 5;
    chain<<<(N + 31) / 32, 32>>>(data, N, depth);
    doubled<<<(N + 63) / 64, 64>>>(data, N);
    for (int &value : want)
      value = int(unsigned(value + depth * (depth + 1) / 2) * 2);
  }
  checkLaunch();
  expectAll("behind", data.get(), want);
}

int main() {
  for (unsigned threads : {1u, 31u, 64u, 100u})
    testRows<int>(0, 130, threads);
  testRows<float>(0x5a5a0ff1, 97, 33);
  testRows<double>(0xfffffffe, 64, 64);
  testOneLane();
  testPointers();
  testShared();
  testDepth();
  testBehind();
  return finish();
}
