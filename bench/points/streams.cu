// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are read and written once: by operation, element, block, occupancy, and elements of a thread.
#include "points.h"

using namespace points;

template <class T> __global__ void copyKernel(long n, const T *__restrict__ a, T *__restrict__ c) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i];
}
template <class T> __global__ void scaleKernel(long n, const T *__restrict__ a, T *__restrict__ c) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] * T(0.4);
}
template <class T>
__global__ void addKernel(long n, const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}
template <class T>
__global__ void triadKernel(long n, const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + T(0.4) * b[i];
}
/// c = a * b + d, of four arrays.
template <class T>
__global__ void fmaKernel(long n, const T *__restrict__ a, const T *__restrict__ b, const T *__restrict__ d,
                          T *__restrict__ c) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] * b[i] + d[i];
}
/// Reads; writes what does not occur.
template <class T> __global__ void readKernel(long n, const T *__restrict__ a, T *__restrict__ c) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n && a[i] == T(1.23))
    c[i] = a[i];
}
template <class T> __global__ void stencilKernel(long n, const T *__restrict__ a, T *__restrict__ c) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    c[i] = T(0.5) * a[i - 1] - T(0.4) * a[i] + T(0.3) * a[i + 1];
}

template <class T> Work stream(const Arguments &a) {
  const long n = a("n", 1 << 25), block = a("block", 256);
  const size_t shared = size_t(a("shared", 0));
  const std::string kind = a.text("kind", "copy");
  Array<T> x(n), y(n), z(n), w(kind == "fma" ? n : 1);
  const unsigned grid = blocksFor(n, block);
  int arrays = 2;
  twice([&] {
    if (kind == "copy")
      copyKernel<T><<<grid, block, shared>>>(n, x, z);
    else if (kind == "scale")
      scaleKernel<T><<<grid, block, shared>>>(n, x, z);
    else if (kind == "read")
      readKernel<T><<<grid, block, shared>>>(n, x, z), arrays = 1;
    else if (kind == "stencil")
      stencilKernel<T><<<grid, block, shared>>>(n, x, z);
    else if (kind == "add")
      addKernel<T><<<grid, block, shared>>>(n, x, y, z), arrays = 3;
    else if (kind == "triad")
      triadKernel<T><<<grid, block, shared>>>(n, x, y, z), arrays = 3;
    else if (kind == "fma")
      fmaKernel<T><<<grid, block, shared>>>(n, x, y, w, z), arrays = 4;
    else
      check(cudaErrorInvalidValue, kind.c_str());
  });
  return {double(n) * arrays * sizeof(T), 0};
}
POINT(stream) { return a("bytes", 4) == 8 ? stream<double>(a) : stream<float>(a); }

/// Copies of vectors: float2, float4, and sixteen floats.
struct Float16 {
  float4 part[4];
};
template <class T> Work vectors(const Arguments &a) {
  const long n = a("floats", 1 << 26) * long(sizeof(float)) / long(sizeof(T)), block = a("block", 256);
  Array<T> x(n), z(n);
  twice([&] { copyKernel<T><<<blocksFor(n, block), block>>>(n, x, z); });
  return {2.0 * n * sizeof(T), 0};
}
POINT(vectors) {
  switch (a("width", 1)) {
  case 2: return vectors<float2>(a);
  case 4: return vectors<float4>(a);
  case 16: return vectors<Float16>(a);
  default: return vectors<float>(a);
  }
}

/// Double precision, several elements of a thread, a block's distance apart; shared memory limits the blocks.
template <int Each> __global__ void copySome(double *c, const double *a) {
  const int i = blockIdx.x * blockDim.x * Each + threadIdx.x;
  double values[Each];
  for (int k = 0; k < Each; ++k)
    values[k] = a[i + k * blockDim.x];
  for (int k = 0; k < Each; ++k)
    c[i + k * blockDim.x] = values[k];
}
POINT(parallel) {
  const long n = a("n", 1 << 20), block = a("block", 128);
  const size_t shared = size_t(a("shared", 0));
  Array<double> x(n), z(n);
  twice([&] {
    if (a("each", 1) == 4)
      copySome<4><<<unsigned(n / block / 4), block, shared>>>(z, x);
    else
      copySome<1><<<unsigned(n / block), block, shared>>>(z, x);
  });
  return {2.0 * n * sizeof(double), 0};
}

/// Copies of structs by few threads (64 blocks of 256), which go through the array in steps of the grid.
template <class T, int Bytes> struct alignas(Bytes) Aligned {
  T value;
};
template <class T, int Count> struct Packed {
  T value[Count];
};
template <class T> __global__ void copyStructs(T *c, const T *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = a[i];
}
template <class T> Work structs(long bytes) {
  const long n = bytes / long(sizeof(T));
  Array<T> x(n), z(n);
  twice([&] { copyStructs<T><<<64, 256>>>(z, x, int(n)); });
  return {2.0 * n * sizeof(T), 0};
}
POINT(structs) {
  const std::string kind = a.text("kind", "u8");
  const long bytes = a("bytes", 49999872);
  if (kind == "u8") return structs<unsigned char>(bytes);
  if (kind == "u16") return structs<unsigned short>(bytes);
  if (kind == "u32") return structs<unsigned>(bytes);
  if (kind == "rgba8-packed") return structs<Packed<unsigned char, 4>>(bytes);
  if (kind == "rgba8") return structs<Aligned<Packed<unsigned char, 4>, 4>>(bytes);
  if (kind == "la32-packed") return structs<Packed<unsigned, 2>>(bytes);
  if (kind == "la32") return structs<Aligned<Packed<unsigned, 2>, 8>>(bytes);
  if (kind == "rgb32-packed") return structs<Packed<unsigned, 3>>(bytes);
  if (kind == "rgb32") return structs<Aligned<Packed<unsigned, 3>, 16>>(bytes);
  if (kind == "rgba32-packed") return structs<Packed<unsigned, 4>>(bytes);
  if (kind == "rgba32") return structs<Aligned<Packed<unsigned, 4>, 16>>(bytes);
  if (kind == "rgba32x2") return structs<Packed<Aligned<Packed<unsigned, 4>, 16>, 2>>(bytes);
  check(cudaErrorInvalidValue, kind.c_str());
  return {};
}

/// Two-dimensional sums with x along rows, or along columns.
__global__ void addRows(const float *a, const float *b, float *c, int rows, int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < rows && x < columns)
    c[y * columns + x] = a[y * columns + x] + b[y * columns + x];
}
__global__ void addColumns(const float *a, const float *b, float *c, int rows, int columns) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < rows && x < columns)
    c[y * columns + x] = a[y * columns + x] + b[y * columns + x];
}
POINT(addPlane) {
  const int n = int(a("n", 8192));
  const dim3 block(16, 16), grid(n / 16, n / 16);
  Array<float> x(size_t(n) * n), y(size_t(n) * n), z(size_t(n) * n);
  twice([&] {
    if (a("columns", 0))
      addColumns<<<grid, block>>>(x, y, z, n, n);
    else
      addRows<<<grid, block>>>(x, y, z, n, n);
  });
  return {12.0 * n * n, 0};
}

__global__ void grayscale(const unsigned char *rgb, unsigned char *gray, int rows, int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= rows || x >= columns)
    return;
  const int i = y * columns + x;
  gray[i] = static_cast<unsigned char>(0.21f * rgb[3 * i] + 0.71f * rgb[3 * i + 1] + 0.07f * rgb[3 * i + 2]);
}
POINT(grayscale) {
  const int n = int(a("n", 8192));
  Array<unsigned char> rgb(size_t(n) * n * 3), gray(size_t(n) * n);
  twice([&] { grayscale<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(rgb, gray, n, n); });
  return {4.0 * n * n, 0};
}

/// A plane of ints, incremented.
__global__ void increment(int *a, int b, int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  a[y * columns + x] += b;
}
POINT(increment) {
  Array<int> plane(1024 * 512);
  twice([&] { increment<<<dim3(32, 64), dim3(32, 8)>>>(plane, 3, 1024); });
  return {8.0 * 1024 * 512, 0};
}

/// a = sin(b), the sine alone, and the memory alone; `fast`: the machine's sine.
template <bool Fast> __global__ void sines(float *a, const float *b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = Fast ? __sinf(b[i]) : sinf(b[i]);
}
template <bool Fast> __global__ void sinesAlone(float *a, float b, int flag) {
  const float value = Fast ? __sinf(b * threadIdx.x) : sinf(b * threadIdx.x);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (value * flag == 1.0f)
    a[i] = value;
}
POINT(sines) {
  const long n = a("n", 8 << 20);
  const std::string kind = a.text("kind", "base");
  const bool fast = a("fast", 0);
  Array<float> x(n), z(n);
  twice([&] {
    if (kind == "memory")
      copyKernel<float><<<unsigned(n / 256), 256>>>(n, x, z);
    else if (kind == "math")
      fast ? sinesAlone<true><<<unsigned(n / 256), 256>>>(z, 1.0f, 0)
           : sinesAlone<false><<<unsigned(n / 256), 256>>>(z, 1.0f, 0);
    else
      fast ? sines<true><<<unsigned(n / 256), 256>>>(z, x) : sines<false><<<unsigned(n / 256), 256>>>(z, x);
  });
  return {8.0 * n, double(n)};
}

/// One element of `stride`; a line of offsets.
__global__ void strided(float *a, int stride) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  a[i] = a[i] + 1;
}
__global__ void shifted(float *a, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + shift;
  a[i] = a[i] + 1;
}
POINT(strided) {
  const long n = a("n", 1 << 20), stride = a("stride", 1);
  Array<float> x(n * stride);
  twice([&] { strided<<<unsigned(n / 256), 256>>>(x, int(stride)); });
  return {8.0 * n, 0};
}
POINT(shifted) {
  const long n = a("n", 1 << 20), shift = a("shift", 0);
  Array<float> x(n + shift);
  twice([&] { shifted<<<unsigned(n / 256), 256>>>(x, int(shift)); });
  return {8.0 * n, 0};
}
