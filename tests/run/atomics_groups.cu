// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %all env HEDDLE_DISABLE=vectorize-atomics %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several atomics of a thread on neighbouring elements of shared memory: records of sums that lanes fight for, with
// gaps between the elements, in any order, one element twice, extremes, and only some lanes active.
#include "support.h"

constexpr int Places = 5, Threads = 80;

template <class T, int Size> struct Sums {
  T part[Size];
};

/// Element d of record places[i] gets values[i] + d.
template <class T, int Size> __global__ void add(int n, const int *places, const T *values, T *out) {
  __shared__ Sums<T, Size> sums[Places];
  T *all = &sums[0].part[0];
  for (int i = threadIdx.x; i < Places * Size; i += blockDim.x)
    all[i] = 0;
  __syncthreads();
  int i = threadInGrid();
  if (i < n && i % 7 != 3) {
    Sums<T, Size> &mine = sums[places[i]];
    for (int d = 0; d < Size; ++d)
      atomicAdd(&mine.part[d], values[i] + T(d));
  }
  __syncthreads();
  for (int i = threadIdx.x; i < Places * Size; i += blockDim.x)
    out[blockIdx.x * Places * Size + i] = all[i];
}

/// Points in planes, as they come, all threads active but in the last block. With `changes` a thread writes to its own
/// point before it adds what was there.
template <class T, int Size>
__global__ void addPoints(int n, const int *places, T *points, T *seen, T *out, bool changes) {
  __shared__ Sums<T, Size> sums[Places];
  T *all = &sums[0].part[0];
  for (int i = threadIdx.x; i < Places * Size; i += blockDim.x)
    all[i] = 0;
  __syncthreads();
  int i = threadInGrid();
  if (i < n) {
    T mine[Size];
    for (int d = 0; d < Size; ++d)
      mine[d] = points[d * n + i];
    if (changes)
      for (int d = 0; d < Size; ++d)
        points[d * n + i] = T(-1);
    seen[i] = mine[0] + T(1000);
    Sums<T, Size> &place = sums[places[i]];
    for (int d = 0; d < Size; ++d)
      atomicAdd(&place.part[d], mine[d]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < Places * Size; i += blockDim.x)
    out[blockIdx.x * Places * Size + i] = all[i];
}

struct Record {
  int least, most, bits, sums[6];
};

__global__ void mixed(int n, const int *places, const int *values, Record *out) {
  __shared__ Record records[Places];
  if (threadIdx.x < Places)
    records[threadIdx.x] = {1 << 30, -(1 << 30), 0, {}};
  __syncthreads();
  int i = threadInGrid();
  if (i < n) {
    Record &record = records[places[i]];
    int value = values[i];
    atomicMin(&record.least, value);
    atomicMax(&record.most, value);
    atomicOr(&record.bits, 1 << (value & 31));
    atomicAdd(&record.sums[5], value);
    atomicAdd(&record.sums[0], value * 2);
    atomicAdd(&record.sums[1], 1);
    atomicAdd(&record.sums[0], 3);
    atomicSub(&record.sums[3], value);
    atomicSub(&record.sums[4], 7);
  }
  __syncthreads();
  if (threadIdx.x < Places)
    out[blockIdx.x * Places + threadIdx.x] = records[threadIdx.x];
}

template <class T, int Size> void testAdd(int n) {
  Random random(n + Size);
  int blocks = (n + Threads - 1) / Threads;
  std::vector<int> places(n);
  std::vector<T> values(n), want(blocks * Places * Size);
  for (int i = 0; i < n; ++i) {
    places[i] = random.below(Places);
    values[i] = T(random.below(100)); // exact sums in floats
    for (int d = 0; d < Size && i % 7 != 3; ++d)
      want[(i / Threads * Places + places[i]) * Size + d] += values[i] + T(d);
  }
  Buffer<int> devicePlaces(places);
  Buffer<T> deviceValues(values), out(want.size());
  add<T, Size><<<blocks, Threads>>>(n, devicePlaces, deviceValues, out);
  checkLaunch();
  expectAll("sums", out.get(), want);
}

/// `together`: `seen` is the first plane of `points`, so nothing is constant.
template <class T, int Size> void testPoints(int n, bool changes, bool together) {
  Random random(n * 2 + Size);
  int blocks = (n + Threads - 1) / Threads;
  std::vector<int> places(n);
  std::vector<T> points(n * Size), want(blocks * Places * Size);
  for (int i = 0; i < n; ++i) {
    places[i] = random.below(Places);
    for (int d = 0; d < Size; ++d) {
      T value = points[d * n + i] = T(random.below(100));
      want[(i / Threads * Places + places[i]) * Size + d] += value;
    }
  }
  Buffer<int> devicePlaces(places);
  Buffer<T> devicePoints(points), seen(n), out(want.size());
  addPoints<T, Size>
      <<<blocks, Threads>>>(n, devicePlaces, devicePoints, together ? devicePoints : seen, out, changes);
  checkLaunch();
  expectAll("sums of points", out.get(), want);
}

void testMixed(int n) {
  Random random(n);
  int blocks = (n + Threads - 1) / Threads;
  std::vector<int> places(n), values(n);
  std::vector<Record> want(blocks * Places, Record{1 << 30, -(1 << 30), 0, {}});
  for (int i = 0; i < n; ++i) {
    Record &record = want[i / Threads * Places + (places[i] = random.below(Places))];
    int value = values[i] = random.below(2000) - 1000;
    record.least = std::min(record.least, value);
    record.most = std::max(record.most, value);
    record.bits |= 1 << (value & 31);
    record.sums[5] += value;
    record.sums[0] += value * 2 + 3;
    record.sums[1] += 1;
    record.sums[3] -= value;
    record.sums[4] -= 7;
  }
  Buffer<int> devicePlaces(places), deviceValues(values);
  Buffer<Record> out(want.size());
  mixed<<<blocks, Threads>>>(n, devicePlaces, deviceValues, out);
  checkLaunch();
  expectAll("records", out.get(), want);
}

int main() {
  for (int n : {1, 33, 80, 1000, 2051}) {
    testAdd<float, 9>(n);
    testAdd<float, 2>(n);
    testAdd<int, 4>(n);
    testAdd<unsigned, 17>(n);
    testAdd<double, 3>(n);
    testAdd<unsigned long long, 8>(n);
    testMixed(n);
    for (bool changes : {false, true})
      for (bool together : {false, true}) {
        testPoints<float, 9>(n, changes, together);
        testPoints<float, 2>(n, changes, together);
        testPoints<double, 5>(n, changes, together);
        testPoints<int, 17>(n, changes, together);
        testPoints<unsigned long long, 8>(n, changes, together);
      }
  }
  return finish();
}
