// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of cuBLAS share: random numbers, arrays on the device with their values on the
// host, and comparisons with results that plain loops compute in complex double precision.
#pragma once

#include <cublas_v2.h>

#include <gtest/gtest.h>

#include <complex>
#include <memory>
#include <random>
#include <vector>

namespace heddle::blas::test {

using Wide = std::complex<double>;

template <typename T> Wide widen(T value) {
  if constexpr (requires { value.y; })
    return {value.x, value.y};
  else
    return static_cast<double>(static_cast<float>(value));
}
template <> inline Wide widen(double value) { return value; }
template <> inline Wide widen(int value) { return value; }

template <typename T> T narrow(Wide value) {
  if constexpr (requires(T t) { t.y; })
    return {static_cast<decltype(T::x)>(value.real()), static_cast<decltype(T::x)>(value.imag())};
  else
    return static_cast<T>(value.real());
}

template <typename T> constexpr bool IsComplexNumber = requires(T t) { t.y; };

/// What a result of T's precision may be off by, relative to the size of the terms.
template <typename T> constexpr double Precision = sizeof(T) == sizeof(float) ? 2e-6 : 1e-14;
template <> inline constexpr double Precision<cuComplex> = 2e-6;
template <> inline constexpr double Precision<cuDoubleComplex> = 1e-14;

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}

  int64_t integer(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }
  double real() { return std::uniform_real_distribution<double>(-1, 1)(engine); }
  bool coin() { return integer(0, 1); }
  template <typename E> E oneOf(std::initializer_list<E> list) {
    return list.begin()[integer(0, list.size() - 1)];
  }
  /// Sizes around the borders of blocks, none at times.
  int64_t size() { return oneOf<int64_t>({0, 1, 2, 3, 5, 8, 17, 33, 64, 70}); }
  /// An increment, not zero.
  int64_t step() { return oneOf<int64_t>({1, 1, 2, 3, -1, -2}); }
  template <typename T> T value() { return narrow<T>({real(), IsComplexNumber<T> ? real() : 0}); }
  /// A factor: often one of those that BLAS treats apart.
  template <typename T> T factor() {
    int64_t kind = integer(0, 3);
    return kind > 1 ? value<T>() : narrow<T>(static_cast<double>(kind));
  }

private:
  std::mt19937 engine;
};

/// An array on the device and what it holds. It has room for one element more, which must stay as
/// it is.
template <typename T> class Array {
public:
  Array(Random &random, int64_t count) : host(std::max<int64_t>(count, 0) + 1) {
    for (T &value : host)
      value = random.value<T>();
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void **>(&device), host.size() * sizeof(T)), cudaSuccess);
    put();
  }
  Array(const Array &) = delete;
  ~Array() { cudaFree(device); }

  void put() { cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice); }

  /// What the device has now, in the order of the stream.
  std::vector<T> now(cudaStream_t stream) const {
    std::vector<T> values(host.size());
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(values.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }

  T *data() { return device; }
  Wide operator[](int64_t i) const { return widen(host[i]); }

  std::vector<T> host;

private:
  T *device = nullptr;
};

/// A vector of n elements with an increment, as BLAS has them.
template <typename T> struct Vector : Array<T> {
  Vector(Random &random, int64_t n, int64_t inc)
      : Array<T>(random, n > 0 ? (n - 1) * std::abs(inc) + 1 : 0), n(n), inc(inc) {}

  int64_t place(int64_t i) const { return inc > 0 ? i * inc : (i - n + 1) * inc; }
  Wide at(int64_t i) const { return (*this)[place(i)]; }

  int64_t n, inc;
};

/// Columns of `rows` elements, `ld` apart.
template <typename T> struct Matrix : Array<T> {
  Matrix(Random &random, int64_t rows, int64_t columns)
      : Matrix(random, rows, columns, std::max<int64_t>(1, rows) + random.integer(0, 3)) {}
  Matrix(Random &random, int64_t rows, int64_t columns, int64_t ld)
      : Array<T>(random, columns * ld), rows(rows), columns(columns), ld(ld) {}

  Wide at(int64_t i, int64_t j) const { return (*this)[i + j * ld]; }
  /// op(A)(i, j)
  Wide at(cublasOperation_t op, int64_t i, int64_t j) const {
    Wide value = op == CUBLAS_OP_N ? at(i, j) : at(j, i);
    return op == CUBLAS_OP_C ? std::conj(value) : value;
  }
  /// The element of the symmetric or Hermitian matrix that has this one's triangle.
  Wide symmetric(cublasFillMode_t uplo, bool hermitian, int64_t i, int64_t j) const {
    bool stored = uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
    Wide value = stored ? at(i, j) : at(j, i);
    if (!hermitian)
      return value;
    return i == j ? value.real() : stored ? value : std::conj(value);
  }
  /// The element of op of the triangular matrix.
  Wide triangular(cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int64_t i,
                  int64_t j) const {
    if (i == j)
      return diag == CUBLAS_DIAG_UNIT ? Wide(1) : at(op, i, j);
    int64_t r = op == CUBLAS_OP_N ? i : j, c = op == CUBLAS_OP_N ? j : i;
    return (uplo == CUBLAS_FILL_MODE_LOWER ? r > c : r < c) ? at(op, i, j) : Wide(0);
  }

  int64_t rows, columns, ld;
};

/// A handle with a stream, and scalars where its pointer mode wants them.
class Context {
public:
  explicit Context(bool deviceScalars = false) : deviceScalars(deviceScalars) {
    EXPECT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    EXPECT_EQ(cublasSetStream(handle, stream), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasSetPointerMode(handle, deviceScalars ? CUBLAS_POINTER_MODE_DEVICE
                                                         : CUBLAS_POINTER_MODE_HOST),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&memory), 4096, cudaMemAttachGlobal),
              cudaSuccess);
  }
  Context(const Context &) = delete;
  ~Context() {
    EXPECT_EQ(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
    cudaStreamDestroy(stream);
    cudaFree(memory);
  }

  /// The address of a scalar, until 64 more are made.
  template <typename T> T *scalar(T value) {
    next = (next + 1) % 64;
    T *place = deviceScalars ? reinterpret_cast<T *>(memory + 64 * next)
                             : reinterpret_cast<T *>(local + 64 * next);
    cudaStreamSynchronize(stream);
    return new (place) T(value);
  }
  /// What a scalar became.
  template <typename T> T result(const T *place) {
    if (deviceScalars)
      EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    return *place;
  }

  operator cublasHandle_t() const { return handle; }

  cublasHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;

private:
  bool deviceScalars;
  char *memory = nullptr;
  alignas(64) char local[4096];
  int next = 0;
};

/// Calls trial(context, random) several times, with host and with device scalars.
template <typename F> void forTrials(int count, F trial) {
  for (bool device : {false, true}) {
    Context context(device);
    for (int i = 0; i < count; ++i) {
      Random random(i + 1000 * device);
      SCOPED_TRACE(testing::Message() << "trial " << i << (device ? ", device scalars" : ""));
      trial(context, random);
      if (testing::Test::HasFailure())
        return;
    }
  }
}

inline void expectNear(Wide value, Wide expected, double tolerance, int64_t place) {
  EXPECT_LE(std::abs(value - expected), tolerance)
      << "place " << place << ": " << value << ", expected " << expected;
}

/// Compares what an array has now with `expected`, element by element.
template <typename T>
void expectArray(const Context &context, const Array<T> &array, const std::vector<Wide> &expected,
                 double tolerance) {
  std::vector<T> now = array.now(context.stream);
  for (size_t i = 0; i < expected.size() && !testing::Test::HasFailure(); ++i)
    expectNear(widen(now[i]), expected[i], tolerance, i);
}

/// The array's values, to be changed into what is expected.
template <typename T> std::vector<Wide> valuesOf(const Array<T> &array) {
  std::vector<Wide> values;
  for (const T &value : array.host)
    values.push_back(widen(value));
  return values;
}

#define EXPECT_OK(call) ASSERT_EQ(call, CUBLAS_STATUS_SUCCESS)

} // namespace heddle::blas::test
