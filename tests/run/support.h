// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the semantics tests share: random inputs, device buffers, comparison, and `mapOnDevice`, which
// runs one body per element on the device and on the host and compares the two.
//
// A test computes with plain C++ on the host what the kernel must give, calls `expect` for each value, and
// returns `finish()` from main: 0 if all were right, 1 otherwise, the first differences printed.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#define CUDA_OK(call)                                                                              \
  do {                                                                                             \
    cudaError_t status_ = (call);                                                                  \
    if (status_ != cudaSuccess) {                                                                  \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(status_));        \
      std::exit(2);                                                                                \
    }                                                                                              \
  } while (0)

/// splitmix64 with a fixed seed: the same inputs everywhere.
struct Random {
  uint64_t state;
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint32_t bits() { return uint32_t(next() >> 32); }
  int below(int n) { return int(next() % uint64_t(n)); }
  /// In [0, 1).
  double unit() { return double(next() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
};

inline int &failures() {
  static int count = 0;
  return count;
}

template <class T> std::string show(const T &value) {
  if constexpr (std::is_floating_point_v<T>) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17g (%a)", double(value), double(value));
    return text;
  } else if constexpr (std::is_signed_v<T> && sizeof(T) <= 8) {
    return std::to_string((long long)(value));
  } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) {
    char text[64];
    std::snprintf(text, sizeof text, "%llu (0x%llx)", (unsigned long long)(value),
                  (unsigned long long)(value));
    return text;
  } else {
    std::string text;
    for (size_t i = 0; i < sizeof(T); i++) {
      char byte[4];
      std::snprintf(byte, sizeof byte, "%02x ", reinterpret_cast<const unsigned char *>(&value)[i]);
      text += byte;
    }
    return text;
  }
}

inline void report(const std::string &what, long long index, const std::string &got,
                   const std::string &want) {
  if (failures()++ < 20)
    std::printf("%s[%lld]: got %s, want %s\n", what.c_str(), index, got.c_str(), want.c_str());
}

/// Equal to the last bit; any NaN equals any NaN.
template <class T> bool same(const T &a, const T &b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    static_assert(std::has_unique_object_representations_v<T>, "memcmp would compare padding or floats");
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  }
}

template <class T> struct Plain {
  using Type = T;
};

/// `got` must be `want`, bit for bit.
template <class T>
void expect(const std::string &what, long long index, const T &got,
            const typename Plain<T>::Type &want) {
  if (!same(got, want))
    report(what, index, show(got), show(want));
}

inline void expectTrue(const std::string &what, bool condition) {
  if (!condition)
    report(what, 0, "false", "true");
}

/// An API call must give this error.
inline void expectError(const std::string &what, cudaError_t got, cudaError_t want) {
  if (got != want)
    report(what, 0, cudaGetErrorName(got), cudaGetErrorName(want));
}

template <class T>
void expectAll(const std::string &what, const std::vector<T> &got, const std::vector<T> &want) {
  if (got.size() != want.size())
    report(what + ".size", 0, show(got.size()), show(want.size()));
  for (size_t i = 0; i < got.size() && i < want.size(); i++)
    expect(what, (long long)(i), got[i], want[i]);
}

inline int finish() {
  CUDA_OK(cudaDeviceSynchronize());
  if (failures())
    std::printf("%d values are wrong\n", failures());
  else
    std::printf("all right\n");
  return failures() ? 1 : 0;
}

/// Device memory for `count` values of T, zeroed or copied from the host.
template <class T> struct Buffer {
  T *data = nullptr;
  size_t count;
  explicit Buffer(size_t n) : count(n) {
    CUDA_OK(cudaMalloc(reinterpret_cast<void **>(&data), n * sizeof(T) + !n));
    CUDA_OK(cudaMemset(data, 0, n * sizeof(T)));
  }
  explicit Buffer(const std::vector<T> &from) : Buffer(from.size()) { put(from); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { cudaFree(data); }
  operator T *() const { return data; }
  void put(const std::vector<T> &from) {
    CUDA_OK(cudaMemcpy(data, from.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> get() const {
    std::vector<T> to(count);
    CUDA_OK(cudaMemcpy(to.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }
};

/// The thread's number in its block and in the grid, for any shape.
__device__ inline unsigned threadInBlock() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ inline unsigned threadInGrid() {
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  return block * (blockDim.x * blockDim.y * blockDim.z) + threadInBlock();
}

inline void checkLaunch() {
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaDeviceSynchronize());
}

template <class Body, class In, class Out>
__global__ void mapKernel(const In *in, Out *out, unsigned n) {
  unsigned i = threadInGrid();
  if (i < n)
    out[i] = Body()(in[i]);
}

inline std::vector<dim3> defaultShapes() { return {dim3(96), dim3(33), dim3(5, 7)}; }

/// Runs `Body` on the device for every element, the last block partly empty, for each block shape. The
/// results must be `want`, bit for bit.
template <class Body, class In, class Out>
void mapExpect(const std::string &what, const std::vector<In> &in, const std::vector<Out> &want,
               const std::vector<dim3> &shapes = defaultShapes()) {
  Buffer<In> deviceIn(in);
  for (dim3 shape : shapes) {
    Buffer<Out> out(in.size());
    unsigned threads = shape.x * shape.y * shape.z;
    unsigned blocks = unsigned((in.size() + threads - 1) / threads);
    mapKernel<Body, In, Out><<<blocks, shape>>>(deviceIn, out, unsigned(in.size()));
    checkLaunch();
    expectAll(what, out.get(), want);
  }
}

/// mapExpect with the host's execution of the same body as the reference.
template <class Body, class In>
void mapOnDevice(const std::string &what, const std::vector<In> &in,
                 const std::vector<dim3> &shapes = defaultShapes()) {
  using Out = decltype(Body()(in[0]));
  std::vector<Out> want;
  for (const In &value : in)
    want.push_back(Body()(value));
  mapExpect<Body, In, Out>(what, in, want, shapes);
}
