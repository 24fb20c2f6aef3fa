// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bit_cast (C++20) and byteswap (C++23) for <cuda/std/bit>.
#ifndef HEDDLE_CUDA_STD_BIT_MORE_H
#define HEDDLE_CUDA_STD_BIT_MORE_H

#include <heddle/cuda_std/integers.h>

#include <type_traits>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {

template <class To, class From,
          ::std::enable_if_t<sizeof(To) == sizeof(From) && ::std::is_trivially_copyable_v<To> && ::
                                                               std::is_trivially_copyable_v<From>,
                             int> = 0>
[[nodiscard]] constexpr To bit_cast(const From &from) noexcept {
  return __builtin_bit_cast(To, from);
}

template <class T,
          ::std::enable_if_t<::std::is_integral_v<T> || ::cuda::__heddle::IsWide<T>, int> = 0>
[[nodiscard]] constexpr T byteswap(T value) noexcept {
  auto left = static_cast<::cuda::__heddle::UnsignedOf<T>>(value);
  decltype(left) swapped = 0;
  for (unsigned i = 0; i < sizeof(T); ++i) {
    swapped = static_cast<decltype(left)>(swapped << (sizeof(T) > 1 ? 8 : 0) | (left & 0xFF));
    left = static_cast<decltype(left)>(left >> (sizeof(T) > 1 ? 8 : 0));
  }
  return static_cast<T>(swapped);
}

} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
