// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the headers <cuda/cmath>, <cuda/bit> and <cuda/numeric> ask about types of integers, those of
// 128 bits among them, which the standard library leaves out in strict dialects.
#ifndef HEDDLE_CUDA_STD_INTEGERS_H
#define HEDDLE_CUDA_STD_INTEGERS_H

#include <limits>
#include <type_traits>

namespace cuda {
namespace __heddle {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

template <class T>
inline constexpr bool IsWide = ::std::is_same_v<::std::remove_cv_t<T>, Int128> ||
                               ::std::is_same_v<::std::remove_cv_t<T>, UInt128>;

template <class T>
inline constexpr bool IsCharacter = ::std::is_same_v<T, char> || ::std::is_same_v<T, wchar_t> ||
                                    ::std::is_same_v<T, char16_t> || ::std::is_same_v<T, char32_t>;

/// The standard's "integer types": neither bool nor a character.
template <class T>
inline constexpr bool IsInteger = (::std::is_integral_v<T> &&
                                   !::std::is_same_v<::std::remove_cv_t<T>, bool> &&
                                   !IsCharacter<::std::remove_cv_t<T>>) ||
                                  IsWide<T>;

template <class T> using IfInteger = ::std::enable_if_t<IsInteger<T>, int>;

template <class T, bool = IsInteger<T>> inline constexpr bool IsSignedInteger = false;
template <class T> inline constexpr bool IsSignedInteger<T, true> = T(-1) < T(0);
template <class T> inline constexpr bool IsUnsignedInteger = IsInteger<T> && !IsSignedInteger<T>;
template <class T> using IfUnsigned = ::std::enable_if_t<IsUnsignedInteger<T>, int>;

template <class T, bool = IsWide<T>> struct UnsignedTwin : ::std::make_unsigned<T> {};
template <class T> struct UnsignedTwin<T, true> { using type = UInt128; };
template <class T> using UnsignedOf = typename UnsignedTwin<T>::type;

template <class T> constexpr UnsignedOf<T> toUnsigned(T value) {
  return static_cast<UnsignedOf<T>>(value);
}

template <class T> inline constexpr bool IsNumber = IsInteger<T> || ::std::is_enum_v<T>;

/// An enumerator's number, or the integer itself.
template <class T, bool = ::std::is_enum_v<T>> struct NumberIn { using type = T; };
template <class T> struct NumberIn<T, true> : ::std::underlying_type<T> {};
template <class T> using NumberOf = typename NumberIn<T>::type;

template <class T> inline constexpr int BitsOf = sizeof(T) * 8;
template <class T>
inline constexpr T LargestOf = IsSignedInteger<T> ? static_cast<T>(UnsignedOf<T>(-1) >> 1)
                                                  : static_cast<T>(-1);
template <class T>
inline constexpr T SmallestOf = IsSignedInteger<T>
                                    ? static_cast<T>(UnsignedOf<T>(1) << (BitsOf<T> - 1))
                                    : T(0);

/// The integer of twice the size, with the same sign.
template <class T> struct Twice {
  static constexpr int Size = sizeof(T) * 2;
  using Signed =
      ::std::conditional_t<Size <= 4, int, ::std::conditional_t<Size == 8, long long, Int128>>;
  using type = ::std::conditional_t<IsSignedInteger<T>, Signed, UnsignedOf<Signed>>;
};
template <class T> using TwiceAsWide = typename Twice<T>::type;

/// The number of bits that an unsigned number has without its leading zeros.
template <class T> constexpr int widthOf(T value) {
  if constexpr (sizeof(T) > 8) {
    auto high = static_cast<unsigned long long>(value >> 64);
    return high ? 64 + widthOf(high) : widthOf(static_cast<unsigned long long>(value));
  } else {
    return value ? 64 - __builtin_clzll(value) : 0;
  }
}

} // namespace __heddle
} // namespace cuda

#endif
