// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What random programs share. A program's text is there twice, in `namespace gpu` and in `namespace host`. The
// first half is CUDA; in the second the same text is plain C++ (fuzz_host.h) that runs a kernel thread by thread.
//
// The text consists of units: namespaces with kernels and a function `run`, which makes arrays, launches kernels
// and gives results. KERNEL, DEVICE, CONSTANT, SHARED, DYNAMIC, LAUNCH and CHILD stand for what is spelled differently
// in the two halves.
//
//     program gpu [-N] [FIRST [LAST]]   what the device computes, a line with a digest for each result, of these units
//     program host                      what plain C++ computes; "open" where the order of threads, of blocks or what
//                                       shared memory holds at first would show: such a program proves nothing
//     program check                     both; says which units differ, exit code 1 if any does
//     program dump FIRST LAST           all arrays at the end, of both
//
// FUZZ_WAY (fuzz_steps.h) says how launches get to the device.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

/// One array of a unit, in device or host memory.
struct Array {
  void *data;
  size_t count, size;
  enum Kind { Bits, Float, Double, Half } kind;
  double tolerance = 0; ///< of floats that the two halves compute in different ways
};

struct Arrays {
  Array list[16];
  int count = 0;
};

inline bool dumps = false;

inline unsigned long long mixed(unsigned long long h, unsigned long long v) {
  h = (h ^ v) * 1099511628211ull;
  return h ^ h >> 29;
}

/// Of the bytes of an array in host memory: all NaNs are the same, and so are both zeros.
inline unsigned long long digest(const Array &array, const void *data, unsigned long long h) {
  for (size_t i = 0; i < array.count; ++i) {
    unsigned long long bits = 0;
    const char *at = (const char *)data + i * array.size;
    if (array.kind == Array::Float) {
      float value;
      memcpy(&value, at, 4);
      value = value == 0 ? 0 : value;
      memcpy(&bits, &value, 4);
      if (value != value)
        bits = 0x7fc00000;
    } else if (array.kind == Array::Double) {
      double value;
      memcpy(&value, at, 8);
      value = value == 0 ? 0 : value;
      memcpy(&bits, &value, 8);
      if (value != value)
        bits = 0x7ff8000000000000;
    } else {
      memcpy(&bits, at, array.size);
    }
    h = mixed(h, bits);
    if (dumps)
      printf("%zu: %llx\n", i, bits);
  }
  return h;
}

template <class T> struct KindOf {
  static constexpr Array::Kind kind = Array::Bits;
};
template <> struct KindOf<float> {
  static constexpr Array::Kind kind = Array::Float;
};
template <> struct KindOf<double> {
  static constexpr Array::Kind kind = Array::Double;
};

/// The start values of an array: of integers bits, below `limit` if it is not 0; of floating point numbers whole
/// numbers around 0, less than `limit / 2` away, so that sums and products of a few have no rounding.
template <class T> void fill(T *data, size_t count, unsigned limit, unsigned seed) {
  unsigned state = (seed + 1) * 2654435761u + 12345u;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    unsigned bits = state ^ state >> 15;
    unsigned long long value = limit ? bits % limit : bits;
    if (limit == 0 && sizeof(T) == 8)
      value |= (unsigned long long)(state * 22695477u + 1u) << 32;
    if constexpr (KindOf<T>::kind == Array::Bits)
      data[i] = T(value);
    else
      data[i] = T(int(value) - int(limit / 2));
  }
}

/// Where results go.
struct Results {
  unsigned long long digests[8];
  int count = 0;
  const char *error = nullptr;
};

/// One unit of a program, in both halves.
struct Unit {
  const char *name;
  void (*gpu)();
  void (*host)();
  bool isNear; ///< it has arrays of `nearby`
};

/// What plain C++ made of the arrays with a tolerance, result by result. The half for the device compares its own with
/// them; they are in no digest.
inline std::vector<std::vector<float>> expected;

/// What is to be done behind a unit, the last first.
using Endings = std::vector<std::function<void()>>;
inline void finish(Endings &endings) {
  for (; !endings.empty(); endings.pop_back())
    endings.back()();
}

namespace gpu {

inline Arrays arrays;
inline Results results;
inline size_t compared; ///< of `expected`
inline Endings endings;

inline void atEnd(std::function<void()> what) { endings.push_back(std::move(what)); }

inline void complain(cudaError_t error) {
  if (error != cudaSuccess && !results.error)
    results.error = cudaGetErrorName(error);
}

} // namespace gpu

#include "fuzz_steps.h"

namespace gpu {

/// A unit's next array.
template <class T> T *array(size_t count, unsigned limit) {
  T *data = nullptr, *values = (T *)malloc(count * sizeof(T));
  fill(values, count, limit, arrays.count);
  complain(cudaMalloc(&data, count * sizeof(T)));
  complain(cudaMemcpy(data, values, count * sizeof(T), cudaMemcpyHostToDevice));
  free(values);
  arrays.list[arrays.count++] = {data, count, sizeof(T), KindOf<T>::kind};
  return data;
}

template <class T> T *nearby(size_t count, unsigned limit, double tolerance) {
  T *data = array<T>(count, limit);
  arrays.list[arrays.count - 1].tolerance = tolerance;
  return data;
}

/// Whether the next of the expected arrays is as near as it should be.
inline bool isAsExpected(const Array &array, const float *values) {
  const std::vector<float> &wanted = expected[compared++];
  bool isGood = true;
  for (size_t i = 0; i < array.count; ++i) {
    if (std::fabs(double(values[i]) - wanted[i]) <= array.tolerance)
      continue;
    isGood = false;
    if (dumps)
      printf("%zu: %.9g, expected %.9g, tolerance %.9g\n", i, values[i], wanted[i], array.tolerance);
  }
  return isGood;
}

/// Of all arrays as they are.
inline void result() {
  unsigned long long h = 14695981039346656037ull;
  playPending();
  complain(cudaGetLastError());
  complain(cudaDeviceSynchronize());
  for (int i = 0; i < arrays.count; ++i) {
    const Array &array = arrays.list[i];
    void *values = calloc(array.count, array.size);
    complain(cudaMemcpy(values, array.data, array.count * array.size, cudaMemcpyDeviceToHost));
    if (dumps)
      printf("gpu array %d of result %d\n", i, results.count);
    h = array.tolerance ? mixed(h, !isAsExpected(array, (float *)values)) : digest(array, values, h);
    free(values);
  }
  results.digests[results.count++] = h;
}

inline Results run(const Unit &unit) {
  results = Results();
  compared = 0;
  unit.gpu();
  finish(endings);
  for (int i = 0; i < arrays.count; ++i)
    cudaFree(arrays.list[i].data);
  arrays.count = 0;
  return results;
}

} // namespace gpu

/// The text of the half for the device.
#define KERNEL static __global__ void
#define DEVICE static __device__
#define CONSTANT static __constant__
#define SHARED(type, name, dimensions) __shared__ type name dimensions
#define DYNAMIC(type, name)                                                                                            \
  extern __shared__ __align__(16) unsigned char fuzzDynamic[];                                                        \
  type *name = (type *)fuzzDynamic
#ifdef FUZZ_GROUPS
#include "fuzz_groups.h"
#endif
#ifdef FUZZ_TEXTURES
#include "fuzz_textures.h"
#endif
/// As nvcc contracts it.
#define MAD(a, b, c) ((a) * (b) + (c))
