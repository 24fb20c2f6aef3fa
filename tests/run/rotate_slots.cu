// RUN: %heddle cc %s -o %t
// RUN: %widths(128,256) %t
// RUN: %cpu(x86-64-v3) %at(256) %t
// RUN: %cpu(x86-64-v2) %at(256) %t
// RUN: %all env HEDDLE_DISABLE=rotate-slots %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with barriers that hand values on from round to round: two, three and five of them, known before the loop or
// not, wanted behind it, changed on the way, two chains at once, in a loop within a loop, in blocks whose threads leave
// early, in rows of a tile. The output may be the input.
#include "support.h"

/// `Values` values back, in a ring through shared memory; round r adds the one that is `Values` rounds old.
template <class T, int Values, int Threads>
__global__ void delay(int rounds, int stride, const T *in, T *out, T *last) {
  __shared__ T tile[Threads];
  int t = threadIdx.x, i = blockIdx.x * Threads + t;
  T old[Values];
#pragma unroll
  for (int k = 0; k < Values; ++k)
    old[k] = k % 2 ? in[i] + T(k) : T(0);
  for (int r = 0; r < rounds; ++r, i += stride) {
    T next = r + 1 < rounds ? in[i + stride] : T(0);
    tile[t] = next;
    __syncthreads();
    T sum = old[0] + T(3) * tile[Threads - 1 - t];
#pragma unroll
    for (int k = 1; k < Values; ++k)
      sum += old[k] * T(k);
    out[i] = sum;
    __syncthreads();
#pragma unroll
    for (int k = 0; k + 1 < Values; ++k)
      old[k] = old[k + 1];
    old[Values - 1] = next;
  }
  T all = T(0);
#pragma unroll
  for (int k = 0; k < Values; ++k)
    all = all * T(2) + old[k];
  last[blockIdx.x * Threads + t] = all;
}

template <class T, int Values, int Threads>
void testDelay(const char *name, int rounds, bool inPlace, int seed) {
  constexpr int Blocks = 5, Stride = Blocks * Threads;
  Random random(seed);
  std::vector<T> in(size_t(Stride) * (rounds + 1)), want(in.size()), wantLast(Stride);
  for (T &value : in)
    value = T(random.below(100) - 50);
  if (inPlace)
    want = in;
  for (int block = 0; block < Blocks; ++block) {
    std::vector<std::vector<T>> old(Threads, std::vector<T>(Values));
    int base = block * Threads;
    for (int t = 0; t < Threads; ++t)
      for (int k = 0; k < Values; ++k)
        old[t][k] = k % 2 ? in[base + t] + T(k) : T(0);
    for (int r = 0; r < rounds; ++r) {
      auto next = [&](int t) { return r + 1 < rounds ? in[base + t + (r + 1) * Stride] : T(0); };
      for (int t = 0; t < Threads; ++t) {
        T sum = old[t][0] + T(3) * next(Threads - 1 - t);
        for (int k = 1; k < Values; ++k)
          sum += old[t][k] * T(k);
        want[base + t + r * Stride] = sum;
      }
      for (int t = 0; t < Threads; ++t) {
        old[t].erase(old[t].begin());
        old[t].push_back(next(t));
      }
    }
    for (int t = 0; t < Threads; ++t) {
      T all = T(0);
      for (int k = 0; k < Values; ++k)
        all = all * T(2) + old[t][k];
      wantLast[base + t] = all;
    }
  }
  T *deviceIn, *deviceOut, *deviceLast;
  size_t bytes = in.size() * sizeof(T);
  CUDA_OK(cudaMalloc(&deviceIn, bytes));
  CUDA_OK(cudaMalloc(&deviceOut, bytes));
  CUDA_OK(cudaMalloc(&deviceLast, Stride * sizeof(T)));
  CUDA_OK(cudaMemcpy(deviceIn, in.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemset(deviceOut, 0, bytes));
  T *to = inPlace ? deviceIn : deviceOut;
  delay<T, Values, Threads><<<Blocks, Threads>>>(rounds, Stride, deviceIn, to, deviceLast);
  std::vector<T> got(in.size()), gotLast(Stride);
  CUDA_OK(cudaMemcpy(got.data(), to, bytes, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(gotLast.data(), deviceLast, Stride * sizeof(T), cudaMemcpyDeviceToHost));
  expectAll(name, got, want);
  expectAll(std::string(name) + ", last", gotLast, wantLast);
  for (T *memory : {deviceIn, deviceOut, deviceLast})
    CUDA_OK(cudaFree(memory));
}

/// Two chains, one of them of doubles; a value that is changed when it is handed on; sweeps over the same planes; threads
/// beyond `width` store nothing.
template <int X, int Y>
__global__ void smooth(int width, int planes, int sweeps, const float *in, const double *weights, float *out) {
  __shared__ float tile[Y + 2][X];
  int x = blockIdx.x * X + threadIdx.x, y = threadIdx.y;
  bool inside = x < width;
  int plane = width * Y;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    int i = y * width + x;
    float below = 0, here = inside ? in[i] : 0, trace = 1;
    double first = 1, second = 2;
    for (int z = 0; z < planes; ++z, i += plane) {
      float above = inside && z + 1 < planes ? in[i + plane] : 0;
      double third = weights[z * X + threadIdx.x];
      tile[y + 1][threadIdx.x] = here;
      if (y == 0)
        tile[0][threadIdx.x] = tile[Y + 1][threadIdx.x] = float(sweep);
      __syncthreads();
      float sum = tile[y][threadIdx.x] + tile[y + 2][threadIdx.x] + below + above + trace;
      if (inside)
        out[i] = sum + float(first * 2 + second - third);
      __syncthreads();
      trace = below * 0.5f;
      below = here;
      here = above;
      first = second;
      second = third;
    }
  }
}

template <int X, int Y> void testSmooth(const char *name, int width, int planes, int sweeps, int seed) {
  int plane = width * Y, blocks = (width + X - 1) / X;
  Random random(seed);
  std::vector<float> in(size_t(plane) * planes), want(in.size()), got(in.size());
  std::vector<double> weights(planes * X);
  for (float &value : in)
    value = float(random.below(64));
  for (double &value : weights)
    value = random.below(32);
  for (int y = 0; y < Y; ++y)
    for (int x = 0; x < width; ++x) {
      float below = 0, trace = 1, border = float(sweeps - 1);
      double first = 1, second = 2;
      for (int z = 0; z < planes; ++z) {
        auto at = [&](int row, int level) {
          return row < 0 || row >= Y ? border : level < planes ? in[size_t(level) * plane + row * width + x] : 0;
        };
        double third = weights[z * X + x % X];
        float above = at(y, z + 1);
        float sum = at(y - 1, z) + at(y + 1, z) + below + above + trace;
        want[size_t(z) * plane + y * width + x] = sum + float(first * 2 + second - third);
        trace = below * 0.5f;
        below = at(y, z);
        first = second;
        second = third;
      }
    }
  float *deviceIn, *deviceOut;
  double *deviceWeights;
  CUDA_OK(cudaMalloc(&deviceIn, in.size() * sizeof(float)));
  CUDA_OK(cudaMalloc(&deviceOut, in.size() * sizeof(float)));
  CUDA_OK(cudaMalloc(&deviceWeights, weights.size() * sizeof(double)));
  CUDA_OK(cudaMemcpy(deviceIn, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(deviceWeights, weights.data(), weights.size() * sizeof(double), cudaMemcpyHostToDevice));
  smooth<X, Y><<<blocks, dim3(X, Y)>>>(width, planes, sweeps, deviceIn, deviceWeights, deviceOut);
  CUDA_OK(cudaMemcpy(got.data(), deviceOut, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
  expectAll(name, got, want);
  CUDA_OK(cudaFree(deviceIn));
  CUDA_OK(cudaFree(deviceOut));
  CUDA_OK(cudaFree(deviceWeights));
}

int main() {
  testDelay<float, 2, 256>("two floats", 17, false, 1);
  testDelay<float, 2, 256>("two floats in place", 17, true, 2);
  testDelay<float, 3, 256>("three floats", 9, false, 3);
  testDelay<int, 5, 128>("five ints", 12, true, 4);
  testDelay<double, 2, 128>("two doubles", 8, false, 5);
  testDelay<short, 3, 512>("three shorts", 8, false, 6);
  testDelay<float, 2, 512>("two floats of 512 threads", 9, true, 14);
  testDelay<float, 4, 1024>("four floats of 1024 threads", 6, false, 15);
  testDelay<double, 3, 512>("three doubles of 512 threads", 5, true, 16);
  testDelay<float, 2, 400>("two floats of 400 threads", 5, false, 17);
  testDelay<float, 2, 200>("two floats of 200 threads", 7, false, 7);
  testDelay<float, 2, 256>("one round", 1, false, 8);
  testDelay<float, 2, 256>("no round", 0, false, 9);
  testSmooth<32, 8>("smooth", 128, 11, 1, 10);
  testSmooth<32, 8>("smooth partly", 75, 6, 1, 11);
  testSmooth<32, 8>("smooth again", 64, 5, 3, 12);
  testSmooth<64, 4>("smooth wide", 100, 4, 2, 13);
  testSmooth<64, 8>("smooth large", 150, 5, 2, 18);
  return finish();
}
