// RUN: %heddle cc -rdc=true %s -o %t
// RUN: %widths %t
// NVCC: -rdc=true
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quicksort by grids: each divides its part by a pivot and launches a grid for each side, in streams of their own, so
// that they run side by side. Short parts, and those that lie deep, are sorted by one thread. `quicksort N` sorts N
// numbers and prints how many grids there were, for measurements.
#include "../support.h"

#include <algorithm>

constexpr int Short = 24, Deep = 22;

__device__ unsigned grids;

template <class T> __device__ void insertionSort(T *data, int n) {
  for (int i = 1; i < n; i++) {
    T value = data[i];
    int j = i;
    for (; j > 0 && value < data[j - 1]; j--)
      data[j] = data[j - 1];
    data[j] = value;
  }
}

template <class T> __device__ T median(T a, T b, T c) {
  return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

template <class T> __global__ void quicksort(T *data, int n, int depth) {
  atomicAdd(&grids, 1);
  if (n <= Short || depth >= Deep)
    return insertionSort(data, n);
  T pivot = median(data[0], data[n / 2], data[n - 1]);
  int i = 0, j = n - 1;
  for (;; i++, j--) {
    while (data[i] < pivot)
      i++;
    while (pivot < data[j])
      j--;
    if (i >= j)
      break;
    T low = data[j];
    data[j] = data[i];
    data[i] = low;
  }
  int split = j + 1;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (split > 1)
    quicksort<<<1, 1, 0, stream>>>(data, split, depth + 1);
  cudaStreamDestroy(stream);
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (n - split > 1)
    quicksort<<<1, 1, 0, stream>>>(data + split, n - split, depth + 1);
  cudaStreamDestroy(stream);
}

template <class T> unsigned sort(std::vector<T> values) {
  Buffer<T> data(values);
  unsigned count = 0;
  CUDA_OK(cudaMemcpyToSymbol(grids, &count, sizeof count));
  quicksort<T><<<1, 1>>>(data, int(values.size()), 0);
  checkLaunch();
  std::sort(values.begin(), values.end());
  expectAll("sorted", data.get(), values);
  CUDA_OK(cudaMemcpyFromSymbol(&count, grids, sizeof count));
  return count;
}

template <class T> std::vector<T> numbers(int n, int range) {
  Random random(n + range);
  std::vector<T> values;
  for (int i = 0; i < n; i++)
    values.push_back(T(random.below(range)));
  return values;
}

int main(int argc, char **argv) {
  if (argc > 1) {
    std::printf("%u grids\n", sort(numbers<unsigned>(std::atoi(argv[1]), 1 << 30)));
    return finish();
  }
  for (int n : {1, 2, 24, 25, 100, 1000, 5000})
    for (int range : {1, 10, 1 << 30}) {
      sort(numbers<int>(n, range));
      sort(numbers<double>(n, range));
    }
  return finish();
}
