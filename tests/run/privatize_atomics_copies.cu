// RUN: %heddle cc %s -o %t
// RUN: %widths(128) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=privatize-atomics %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Additions to arrays of which workers keep copies, by addresses of all forms: corners of cells, rows and columns, with a
// stride forwards and backwards, neighbours in another place for each block; of several kinds and in more arrays than
// copies are kept of; two parameters into one array; both kinds in one array; small arrays and large ones.
#include "support.h"

__global__ void corners(int n, int width, const int *xs, const int *ys, float *grid) {
  int i = threadInGrid();
  if (i >= n)
    return;
  int x = xs[i], y = ys[i];
  atomicAdd(&grid[y * width + x], 1.0f);
  atomicAdd(&grid[y * width + x + 1], 2.0f);
  atomicAdd(&grid[(y + 1) * width + x], 3.0f);
  if (x & 1)
    atomicAdd(&grid[(y + 1) * width + x + 1], 4.0f);
}

void testCorners(int threads, int n, int width, int height) {
  Random random(n + width);
  std::vector<int> xs(n), ys(n);
  std::vector<float> want(width * height);
  for (int i = 0; i < n; ++i) {
    int x = xs[i] = random.below(width - 1), y = ys[i] = random.below(height - 1);
    want[y * width + x] += 1;
    want[y * width + x + 1] += 2;
    want[(y + 1) * width + x] += 3;
    want[(y + 1) * width + x + 1] += x & 1 ? 4 : 0;
  }
  Buffer<int> deviceXs(xs), deviceYs(ys);
  Buffer<float> grid(width * height);
  corners<<<(n + threads - 1) / threads, threads>>>(n, width, deviceXs, deviceYs, grid);
  checkLaunch();
  expectAll("corners", grid.get(), want);
}

/// Sums of four kinds in six arrays, then what only this thread looks at.
__global__ void kinds(int n, int groups, const int *in, float *a, int *b, double *c, unsigned long long *d, unsigned *e,
                      float *f, int *own) {
  int i = threadInGrid();
  if (i >= n)
    return;
  int group = (in[i] & 0xffff) % groups;
  atomicAdd(&a[group], float(in[i] & 7));
  atomicAdd(&b[group], 1);
  atomicAdd(&c[group], 0.5);
  atomicAdd(&d[group], 1ull << 33);
  atomicAdd(&e[groups - 1 - group], 3u);
  atomicAdd(&f[0], 1.0f);
  own[i] = group;
}

void testKinds(int threads, int n, int groups) {
  Random random(n);
  std::vector<int> in(n), b(groups), own(n);
  std::vector<float> a(groups), f(1);
  std::vector<double> c(groups);
  std::vector<unsigned long long> d(groups);
  std::vector<unsigned> e(groups);
  for (int i = 0; i < n; ++i) {
    in[i] = random.below(1 << 20);
    int group = own[i] = (in[i] & 0xffff) % groups;
    a[group] += float(in[i] & 7);
    b[group] += 1;
    c[group] += 0.5;
    d[group] += 1ull << 33;
    e[groups - 1 - group] += 3;
    f[0] += 1;
  }
  Buffer<int> deviceIn(in), deviceB(groups), deviceOwn(n);
  Buffer<float> deviceA(groups), deviceF(1);
  Buffer<double> deviceC(groups);
  Buffer<unsigned long long> deviceD(groups);
  Buffer<unsigned> deviceE(groups);
  kinds<<<(n + threads - 1) / threads, threads>>>(n, groups, deviceIn, deviceA, deviceB, deviceC, deviceD, deviceE, deviceF,
                                                  deviceOwn);
  checkLaunch();
  expectAll("floats", deviceA.get(), a);
  expectAll("ints", deviceB.get(), b);
  expectAll("doubles", deviceC.get(), c);
  expectAll("longs", deviceD.get(), d);
  expectAll("unsigned", deviceE.get(), e);
  expectAll("one", deviceF.get(), f);
  expectAll("own", deviceOwn.get(), own);
}

/// Neighbours, which go on by a part of a block from block to block; every third element; backwards.
__global__ void lines(int n, int length, int *ahead, int *apart, int *back) {
  int i = threadInGrid(), place = (blockIdx.x * 7 + threadIdx.x) % length;
  if (i >= n)
    return;
  if (blockIdx.x * 7 % length + blockDim.x <= length)
    place = blockIdx.x * 7 % length + threadIdx.x;
  atomicAdd(&ahead[place], i % 11);
  atomicAdd(&ahead[threadIdx.x + blockIdx.x % 3], 1);
  atomicAdd(&apart[threadIdx.x * 3 + blockIdx.x % 5], 1);
  atomicAdd(&back[length - 1 - threadIdx.x], i % 5);
}

void testLines(int threads, int n, int length) {
  std::vector<int> ahead(length), apart(length * 3 + 5), back(length);
  for (int i = 0; i < n; ++i) {
    int block = i / threads, thread = i % threads;
    int place = block * 7 % length + threads <= length ? block * 7 % length + thread : (block * 7 + thread) % length;
    ahead[place] += i % 11;
    ahead[thread + block % 3] += 1;
    apart[thread * 3 + block % 5] += 1;
    back[length - 1 - thread] += i % 5;
  }
  Buffer<int> deviceAhead(length), deviceApart(length * 3 + 5), deviceBack(length);
  lines<<<(n + threads - 1) / threads, threads>>>(n, length, deviceAhead, deviceApart, deviceBack);
  checkLaunch();
  expectAll("ahead", deviceAhead.get(), ahead);
  expectAll("apart", deviceApart.get(), apart);
  expectAll("back", deviceBack.get(), back);
}

struct Entry {
  int count;
  float sum;
};
__global__ void entries(int n, const int *in, Entry *all, int *sameArray, int offset) {
  int i = threadInGrid();
  if (i >= n)
    return;
  atomicAdd(&all[in[i]].count, 1);
  atomicAdd(&all[in[i]].sum, 2.0f);
  atomicAdd(&sameArray[offset + 2 * in[i]], 100000);
}

void testEntries(int threads, int n, int count) {
  Random random(n);
  std::vector<int> in(n), want(count);
  for (int &value : in)
    want[value = random.below(count)] += 1;
  Buffer<int> deviceIn(in);
  Buffer<Entry> all(count);
  entries<<<(n + threads - 1) / threads, threads>>>(n, deviceIn, all, reinterpret_cast<int *>(all.data), 0);
  checkLaunch();
  std::vector<Entry> got = all.get();
  for (int i = 0; i < count; ++i) {
    expect("count", i, got[i].count, want[i] * 100001);
    expect("sum", i, got[i].sum, 2.0f * want[i]);
  }
}

int main() {
  for (int threads : {33, 256})
    for (int n : {63, 20011, 200003}) {
      testCorners(threads, n, 64, 48);
      testCorners(threads, n, 129, 160);
      testKinds(threads, n, 5);
      testKinds(threads, n, 3000);
      testLines(threads, n, 300);
      testLines(threads, n, 9001);
      testEntries(threads, n, 100);
      testEntries(threads, n, 6000);
    }
  return finish();
}
