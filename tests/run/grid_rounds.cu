// RUN: %heddle cc %s -o %t
// RUN: %widths(16,64) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flat indices that loops over the grid take apart (simt/thread/cut_rows.cpp): bounds below, at and far above the
// grid's size, none and below zero, of several types; rounds that write where others wrote; in place; loops that carry
// more than the number.
#include "support.h"

#include <climits>

template <class T> __global__ void rounds(const int *in, int *out, T n, int w, int h) {
  for (T i = T(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += T(gridDim.x) * blockDim.x) {
    int x = i % w, y = i / w % h;
    out[i] = in[y * w + x] + 3 * x + y;
  }
}
/// The last round's stays.
__global__ void again(const int *in, int *out, int n, int w) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i % (gridDim.x * blockDim.x)] = in[i % w] + i;
}
__global__ void inPlace(int *out, int n, int w) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = out[i] * 2 + i % w;
}
__global__ void carried(const int *in, int *out, int n, int w) {
  int round = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i % w] + round++;
}
__global__ void sums(const int *in, int *out, int n, int w) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int i = first; i < n; i += gridDim.x * blockDim.x)
    sum += in[i % w];
  out[first] = sum;
}

constexpr int Count = 5000;
static std::vector<int> input(Count), found(Count), wanted(Count);
static int *in, *out;

template <class Launch, class Value> void check(const char *name, Launch launch, Value value) {
  for (int i = 0; i < Count; i++)
    found[i] = wanted[i] = -i;
  CUDA_OK(cudaMemcpy(out, found.data(), Count * sizeof(int), cudaMemcpyHostToDevice));
  launch();
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaMemcpy(found.data(), out, Count * sizeof(int), cudaMemcpyDeviceToHost));
  value();
  for (int i = 0; i < Count; i++)
    if (found[i] != wanted[i]) {
      std::printf("%s: place %d is %d, not %d\n", name, i, found[i], wanted[i]);
      std::exit(1);
    }
}

template <class T> void checkRounds(const char *name, int block) {
  for (int grid : {1, 3, 17})
    for (int w : {1, 5, 31, 64, 100, 333, 6000})
      for (long long n : {-1ll, 0ll, 1ll, 255ll, 256ll, 769ll, 4999ll, (long long)INT_MIN}) {
        if (n < 0 && T(-1) > 0)
          continue;
        int h = std::min(7, Count / w + 1);
        if (w > Count)
          h = 1;
        check(name, [&] { rounds<T><<<grid, block>>>(in, out, T(n), w, h); },
              [&] {
                for (int i = 0; i < n; i++)
                  wanted[i] = input[i / w % h * w + i % w] + 3 * (i % w) + i / w % h;
              });
      }
}

int main() {
  for (int i = 0; i < Count; i++)
    input[i] = i * 7 % 1001;
  CUDA_OK(cudaMalloc(&in, Count * sizeof(int)));
  CUDA_OK(cudaMalloc(&out, Count * sizeof(int)));
  CUDA_OK(cudaMemcpy(in, input.data(), Count * sizeof(int), cudaMemcpyHostToDevice));
  checkRounds<int>("int", 256);
  checkRounds<unsigned>("unsigned", 96);
  checkRounds<long>("long", 128);
  checkRounds<size_t>("size_t", 256);
  for (int w : {40, 70, 200}) {
    constexpr int Stride = 3 * 128;
    check("again", [&] { again<<<3, 128>>>(in, out, 4321, w); },
          [&] {
            for (int i = 0; i < 4321; i++)
              wanted[i % Stride] = input[i % w] + i;
          });
    check("in place", [&] { inPlace<<<3, 128>>>(out, 4321, w); },
          [&] {
            for (int i = 0; i < 4321; i++)
              wanted[i] = wanted[i] * 2 + i % w;
          });
    check("carried", [&] { carried<<<3, 128>>>(in, out, 4321, w); },
          [&] {
            for (int i = 0; i < 4321; i++)
              wanted[i] = input[i % w] + i / Stride;
          });
    check("sums", [&] { sums<<<3, 128>>>(in, out, 4321, w); },
          [&] {
            for (int i = 0; i < Stride; i++)
              wanted[i] = 0;
            for (int i = 0; i < 4321; i++)
              wanted[i % Stride] += input[i % w];
          });
  }
  std::puts("ok");
}
