// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What C++20 and C++23 add to <utility>, for <cuda/std/utility>.
#ifndef HEDDLE_CUDA_STD_UTILITY_MORE_H
#define HEDDLE_CUDA_STD_UTILITY_MORE_H

#include <heddle/cuda_std/integers.h>

#include <type_traits>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {

template <class E>
[[nodiscard]] constexpr ::std::underlying_type_t<E> to_underlying(E value) noexcept {
  return static_cast<::std::underlying_type_t<E>>(value);
}

[[noreturn]] inline void unreachable() { __builtin_unreachable(); }

template <class T, class U> constexpr bool cmp_equal(T a, U b) noexcept {
  using ::cuda::__heddle::IsSignedInteger;
  if constexpr (IsSignedInteger<T> == IsSignedInteger<U>)
    return a == b;
  else if constexpr (IsSignedInteger<T>)
    return a >= 0 && ::cuda::__heddle::toUnsigned(a) == b;
  else
    return b >= 0 && a == ::cuda::__heddle::toUnsigned(b);
}
template <class T, class U> constexpr bool cmp_less(T a, U b) noexcept {
  using ::cuda::__heddle::IsSignedInteger;
  if constexpr (IsSignedInteger<T> == IsSignedInteger<U>)
    return a < b;
  else if constexpr (IsSignedInteger<T>)
    return a < 0 || ::cuda::__heddle::toUnsigned(a) < b;
  else
    return b >= 0 && a < ::cuda::__heddle::toUnsigned(b);
}
template <class T, class U> constexpr bool cmp_not_equal(T a, U b) noexcept {
  return !::cuda::std::cmp_equal(a, b);
}
template <class T, class U> constexpr bool cmp_greater(T a, U b) noexcept {
  return ::cuda::std::cmp_less(b, a);
}
template <class T, class U> constexpr bool cmp_less_equal(T a, U b) noexcept {
  return !::cuda::std::cmp_less(b, a);
}
template <class T, class U> constexpr bool cmp_greater_equal(T a, U b) noexcept {
  return !::cuda::std::cmp_less(a, b);
}
template <class T, class U> constexpr bool in_range(U value) noexcept {
  return ::cuda::std::cmp_greater_equal(value, ::cuda::__heddle::SmallestOf<T>) &&
         ::cuda::std::cmp_less_equal(value, ::cuda::__heddle::LargestOf<T>);
}

} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
