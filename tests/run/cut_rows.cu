// RUN: %heddle cc %s -o %t
// RUN: %widths(16,64) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flat indices taken apart (simt/thread/cut_rows.cpp): divisors of all sizes, also zero, one and below zero, numbers of
// several types and steps, lattices that go on at the other side, blocks and grids of odd sizes.
#include "support.h"

#include <cstdio>
#include <vector>

template <class T> __host__ __device__ int window(T i, T w, T h, T size, const int *in, int count) {
  T x = i % w, y = i / w % h, dx = i / (w * h) % size, layer = i / (w * h * size);
  T xx = x + dx - size / 2;
  return xx >= 0 && xx < w ? in[size_t(layer * 7 + y * w + xx) % count] : -1;
}
template <class T> __host__ __device__ int torus(T i, T w, T h, T d, const int *in, int count) {
  T x = i % w, y = i / w, sum = 0;
  for (T dx = -d; dx <= d; dx++)
    sum += in[size_t((y + dx + h) % h * w + (x + dx + w) % w) % count];
  return int(sum);
}
template <class T> __host__ __device__ int stepped(T i, T w, T h, T d, const int *in, int count) {
  T number = 3 * i + d;
  return in[size_t(number / w * h + number % w) % count] * 5 + int(number / w);
}
/// Below zero at first, and quotients of remainders of quotients.
template <class T> __host__ __device__ int shifted(T i, T w, T h, T d, const int *in, int count) {
  T number = i - 40, q = number / w, r = number % w;
  return in[unsigned(q * 11 + r + 100) % unsigned(count)] + int(q % h * 3) - int(r / d);
}

/// Two arrays side by side, borders, and comparisons of all kinds, also of what is below zero.
template <class T> __host__ __device__ int compared(T i, T w, T h, T d, const int *in, int count) {
  T x = i % w, y = i / w, before = x - d, most = T(~T(0)) >> 1;
  int sum = x < h ? in[size_t(y * h + x) % count] : in[size_t(y * 3 + x - h) % count];
  if (x > 0 && x < w - 1 && y > 0)
    sum += in[i - 1] + in[i + 1];
  if (before >= 0 && before < w)
    sum += in[size_t(before)];
  if (x == d)
    sum += in[size_t(x)] * 3;
  if (before <= most - 2)
    sum += in[size_t(y) % count] * 5;
  return h != i ? sum : -sum;
}

enum Kind { Window, Torus, Stepped, Shifted, Compared, Kinds };
template <class T> __host__ __device__ int value(int kind, T i, T w, T h, T d, const int *in, int count) {
  switch (kind) {
  case Window:
    return window(i, w, h, d, in, count);
  case Torus:
    return torus(i, w, h, d, in, count);
  case Stepped:
    return stepped(i, w, h, d, in, count);
  case Compared:
    return compared(i, w, h, d, in, count);
  default:
    return shifted(i, w, h, d, in, count);
  }
}

template <class T, int K> __global__ void flat(T n, T w, T h, T d, const int *in, int count, int *out) {
  T i = T(blockIdx.x) * T(blockDim.x) + T(threadIdx.x);
  if (i < n)
    out[i] = value<T>(K, i, w, h, d, in, count);
}
template <class T, int K> __global__ void rounds(T n, T w, T h, T d, const int *in, int count, int *out) {
  for (T i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += T(gridDim.x) * blockDim.x)
    out[i] = value<T>(K, i, w, h, d, in, count);
}
/// A row of the grid for each plane, without a guard.
template <int K> __global__ void planes(int w, int h, int d, const int *in, int count, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  out[blockIdx.y * n + i] = value<int>(K, i, w, h, d, in, count) + blockIdx.y;
}
/// What is left of the index, in another place than what is divided.
__global__ void apart(int n, int w, const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i / w * w + (w - 1 - i % w)] + threadIdx.x % 3;
}

static unsigned state = 1;
static unsigned random(unsigned below) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % below;
}
static int wrong = 0;
static void expect(const std::vector<int> &found, const std::vector<int> &expected, const char *what, long w, long d) {
  for (size_t i = 0; i < expected.size(); i++)
    if (found[i] != expected[i]) {
      if (wrong++ < 10)
        printf("%s: w %ld, d %ld, thread %zu: %d in place of %d\n", what, w, d, i, found[i], expected[i]);
      return;
    }
}

constexpr int Count = 20000;
static int *in, *out;
static std::vector<int> input(Count);

/// Integer division as the device does it: by zero it gives all ones, and the remainder is the number.
static bool hostCan(long w, long h, long d, int kind) {
  return w != 0 && (kind != Compared || (w > 0 && h > 0)) && (kind == Stepped || kind == Torus || kind == Compared || d != 0) && (kind == Stepped || h != 0) &&
         (kind != Window || (w * h != 0 && w * h * d != 0));
}

template <class T, int K> static void check(const char *name, T n, int block, T w, T h, T d) {
  if (!hostCan(long(w), long(h), long(d), K))
    return;
  std::vector<int> found(n, -7), expected(n);
  cudaMemcpy(out, found.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  flat<T, K><<<unsigned((n + block - 1) / block), block>>>(n, w, h, d, in, Count, out);
  cudaMemcpy(found.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (T i = 0; i < n; i++)
    expected[i] = value<T>(K, i, w, h, d, input.data(), Count);
  expect(found, expected, name, long(w), long(d));
  rounds<T, K><<<3, block>>>(n, w, h, d, in, Count, out);
  cudaMemcpy(found.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  expect(found, expected, name, long(w), long(d));
}

/// With numbers of type T, too; a kernel is compiled for each type and block.
template <int K, class T> static void checkKind(const char *name, int otherBlock) {
  const int widths[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 71, 100, 127, 128, 129, 255, 300, 1000, 5000};
  for (int w : widths) {
    int n = 1 + random(3000), h = 1 + random(40), d = 1 + random(4);
    check<int, K>(name, n, 256, w, h, d);
    check<T, K>(name, n, otherBlock, w, h, d);
    if (K != Torus) {
      check<int, K>(name, n, 256, -w, h, d);
      check<int, K>(name, n, 256, w, -h, d);
    }
  }
}
static void checkPlanes() {
  constexpr int Plane = 2 * 96;
  for (int w : {3, 31, 64, 80, 200}) {
    std::vector<int> found(3 * Plane), expected(3 * Plane);
    planes<Window><<<dim3(2, 3), 96>>>(w, 5, 3, in, Count, out);
    cudaMemcpy(found.data(), out, found.size() * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3 * Plane; i++)
      expected[i] = value<int>(Window, i % Plane, w, 5, 3, input.data(), Count) + i / Plane;
    expect(found, expected, "planes", w, 3);
  }
}

int main() {
  for (int &x : input)
    x = random(1000);
  cudaMalloc(&in, Count * sizeof(int));
  cudaMalloc(&out, Count * sizeof(int));
  cudaMemcpy(in, input.data(), Count * sizeof(int), cudaMemcpyHostToDevice);
  checkKind<Window, long long>("window", 48);
  checkKind<Torus, unsigned>("torus", 128);
  checkKind<Stepped, size_t>("stepped", 96);
  checkKind<Shifted, unsigned>("shifted", 32);
  checkKind<Compared, unsigned>("compared", 64);
  checkKind<Compared, long long>("compared", 128);
  checkPlanes();
  for (int w : {5, 64, 100}) {
    std::vector<int> found(1000), expected(1000);
    apart<<<4, 256>>>(1000, w, in, out);
    cudaMemcpy(found.data(), out, found.size() * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 1000; i++)
      expected[i] = input[i / w * w + (w - 1 - i % w)] + i % 256 % 3;
    expect(found, expected, "apart", w, 0);
  }
  if (cudaError_t error = cudaGetLastError())
    printf("%s\n", cudaGetErrorString(error));
  puts(wrong ? "failed" : "ok");
  return wrong != 0;
}
