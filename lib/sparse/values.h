// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types: how the values that cudaDataType names lie in memory, and the type that is
// computed with. Halves are computed in float and rounded once, when they are stored.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <library_types.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace heddle::sparse {

using ComplexFloat = std::complex<float>;
using ComplexDouble = std::complex<double>;

/// A complex number of two small floats.
template <typename R> struct SmallComplex {
  R real, imaginary;
};
using ComplexHalf = SmallComplex<__half>;
using ComplexBfloat = SmallComplex<__nv_bfloat16>;

template <typename T> inline constexpr bool isComplex = false;
template <typename R> inline constexpr bool isComplex<std::complex<R>> = true;

/// The same for elements, which may be small.
template <typename T> inline constexpr bool isComplexElement = isComplex<T>;
template <typename R> inline constexpr bool isComplexElement<SmallComplex<R>> = true;

template <typename T> struct RealOf {
  using Type = T;
};
template <typename R> struct RealOf<std::complex<R>> {
  using Type = R;
};
template <typename T> using Real = typename RealOf<T>::Type;

/// An element as a number of the type that is computed with.
template <typename C, typename T> inline C load(const T &value) {
  if constexpr (isComplex<C> && !isComplex<T>)
    return C(Real<C>(value));
  else
    return C(value);
}
template <typename C, typename R> inline C load(const SmallComplex<R> &value) {
  return C(float(value.real), float(value.imaginary));
}

/// The element for a number that was computed.
template <typename T, typename C> inline void store(T &element, const C &value) {
  element = T(value);
}
template <typename R, typename C> inline void store(SmallComplex<R> &element, const C &value) {
  element.real = R(value.real()), element.imaginary = R(value.imag());
}

template <typename C> inline C conjugate(const C &value) {
  if constexpr (isComplex<C>)
    return std::conj(value);
  else
    return value;
}

/// Bytes of an element; 0 for a type that no function of cuSPARSE takes.
inline size_t sizeOfType(cudaDataType type) {
  switch (type) {
  case CUDA_R_8I:
    return 1;
  case CUDA_R_16F:
  case CUDA_R_16BF:
    return 2;
  case CUDA_R_32F:
  case CUDA_R_32I:
  case CUDA_C_16F:
  case CUDA_C_16BF:
    return 4;
  case CUDA_R_64F:
  case CUDA_C_32F:
    return 8;
  case CUDA_C_64F:
    return 16;
  default:
    return 0;
  }
}

/// The type that stands for T where functions are chosen by type.
template <typename T> struct Type {
  using Is = T;
};

/// Calls f(Type<T>) for the four types that every function has; false for another type.
template <typename F> bool withFloat(cudaDataType type, F &&f) {
  switch (type) {
  case CUDA_R_32F:
    return f(Type<float>()), true;
  case CUDA_R_64F:
    return f(Type<double>()), true;
  case CUDA_C_32F:
    return f(Type<ComplexFloat>()), true;
  case CUDA_C_64F:
    return f(Type<ComplexDouble>()), true;
  default:
    return false;
  }
}

/// Calls f(Type<T>) for every element type; false for a type that cuSPARSE does not know.
template <typename F> bool withElement(cudaDataType type, F &&f) {
  switch (type) {
  case CUDA_R_8I:
    return f(Type<int8_t>()), true;
  case CUDA_R_32I:
    return f(Type<int32_t>()), true;
  case CUDA_R_16F:
    return f(Type<__half>()), true;
  case CUDA_R_16BF:
    return f(Type<__nv_bfloat16>()), true;
  case CUDA_C_16F:
    return f(Type<ComplexHalf>()), true;
  case CUDA_C_16BF:
    return f(Type<ComplexBfloat>()), true;
  default:
    return withFloat(type, f);
  }
}

/// A factor that the caller gave: its value where pointers are the host's, else where to find it
/// when the work runs.
class Scalar {
public:
  Scalar(const void *pointer, bool onDevice, cudaDataType type)
      : pointer(onDevice ? pointer : nullptr), type(type) {
    if (!onDevice)
      std::memcpy(value, pointer, sizeOfType(type));
  }

  /// The factor as a number of the type that is computed with.
  template <typename C> C get() const {
    C result{};
    withElement(type, [&]<typename T>(Type<T>) {
      if constexpr (isComplexElement<T> <= isComplex<C>) {
        T element;
        std::memcpy(&element, pointer ? pointer : value, sizeof(T));
        result = load<C>(element);
      }
    });
    return result;
  }

private:
  alignas(16) char value[16] = {};
  const void *pointer;
  cudaDataType type;
};

} // namespace heddle::sparse
