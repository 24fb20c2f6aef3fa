// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __device__, __constant__ and static variables: initialisers, arrays, structs, pointers between them, string
// literals, cudaMemcpyToSymbol and FromSymbol with offsets, symbol addresses and sizes, templates' statics.
#include "support.h"

__device__ int counter = 5;
__device__ float table[4] = {1, 2.5f, -3};
__device__ double zeros[100];
__device__ int *pointer = &counter;
__device__ float *middle = table + 2;
__device__ int **pointerToPointer = &pointer;
__constant__ int coefficients[8] = {1, 2, 3, 4, 5};
__constant__ struct Settings {
  char name[6];
  short level;
  double scale;
  const int *link;
} settings = {"hello", 7, 0.25, &coefficients[3]};
static __device__ unsigned char bytes[3] = {'a', 'b', 'c'};
__device__ const char *words[3] = {"zero", "one", "two"};
__constant__ float3 origin = {1, 2, 3};
namespace space {
__device__ long long big = 1ll << 40;
}
template <class T> __device__ T holder = T(11);

__device__ int next() {
  static int calls = 100; // one for the whole grid
  return atomicAdd(&calls, 1);
}

__global__ void read(double *out) {
  double *o = out;
  *o++ = counter;
  *o++ = table[1] + table[2] + table[3];
  *o++ = zeros[99];
  *o++ = *pointer;
  *o++ = *middle;
  *o++ = **pointerToPointer;
  *o++ = coefficients[4] + coefficients[7];
  *o++ = settings.level * settings.scale + settings.name[4] + *settings.link;
  *o++ = bytes[1];
  *o++ = words[2][0] + words[1][2] + words[0][4];
  *o++ = origin.x + origin.y * 2 + origin.z * 3;
  *o++ = double(space::big);
  *o++ = holder<int> + holder<double>;
  *o++ = next() + next();
}

__global__ void dynamicIndex(const int *index, int *out, int n) {
  int i = threadInGrid();
  if (i < n)
    out[i] = coefficients[index[i] & 7] + settings.name[index[i] % 5] + bytes[index[i] % 3] + words[index[i] % 3][1];
}

__global__ void write(int by) {
  int i = threadInGrid();
  if (i < 100)
    zeros[i] = i * by;
  if (i == 0)
    counter += by, middle = table, space::big++;
}

int main() {
  Buffer<double> out(14);
  std::vector<double> want = {5, -0.5, 0, 5, -3, 5, 5, 7 * 0.25 + 'o' + 4, 'b', 't' + 'e', 14, double(1ll << 40), 22, 201};
  read<<<1, 1>>>(out);
  checkLaunch();
  expectAll("initial", out.get(), want);

  std::vector<int> index(70), wantIndex(70);
  const int hostCoefficients[8] = {1, 2, 3, 4, 5};
  const char *hostWords[3] = {"zero", "one", "two"};
  for (int i = 0; i < 70; i++) {
    index[i] = i * 7;
    wantIndex[i] = hostCoefficients[(i * 7) & 7] + "hello"[(i * 7) % 5] + "abc"[(i * 7) % 3] + hostWords[(i * 7) % 3][1];
  }
  Buffer<int> deviceIndex(index), outIndex(70);
  dynamicIndex<<<2, 40>>>(deviceIndex, outIndex, 70);
  checkLaunch();
  expectAll("dynamic index", outIndex.get(), wantIndex);

  write<<<4, 32>>>(3);
  int hostCounter, newCoefficients[3] = {70, 80, 90};
  CUDA_OK(cudaMemcpyFromSymbol(&hostCounter, counter, sizeof hostCounter));
  expect("counter", 0, hostCounter, 8);
  double two[2];
  CUDA_OK(cudaMemcpyFromSymbol(two, zeros, sizeof two, 50 * sizeof(double)));
  expect("zeros", 50, two[0], 150.0);
  expect("zeros", 51, two[1], 153.0);
  CUDA_OK(cudaMemcpyToSymbol(coefficients, newCoefficients, sizeof newCoefficients, 4 * sizeof(int)));
  float3 newOrigin = {10, 20, 30};
  CUDA_OK(cudaMemcpyToSymbolAsync(origin, &newOrigin, sizeof newOrigin, 0, cudaMemcpyHostToDevice, 0));
  void *address;
  size_t size;
  CUDA_OK(cudaGetSymbolAddress(&address, table));
  CUDA_OK(cudaGetSymbolSize(&size, table));
  expect("size", 0, size, sizeof(float) * 4);
  float newTable[4] = {9, 8, 7, 6};
  CUDA_OK(cudaMemcpy(address, newTable, sizeof newTable, cudaMemcpyHostToDevice));
  read<<<1, 1>>>(out);
  checkLaunch();
  want = {8, 21, 297, 8, 9, 8, 70 + 0, 7 * 0.25 + 'o' + 4, 'b', 't' + 'e', 140, double((1ll << 40) + 1), 22, 205};
  want[6] = 70;
  expectAll("changed", out.get(), want);
  CUDA_OK(cudaGetSymbolSize(&size, coefficients));
  expect("size", 1, size, sizeof(int) * 8);
  return finish();
}
