// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms on ranges in order (<cuda/std/algorithm>): merges, operations of sets, permutations.
#ifndef HEDDLE_CUDA_STD_ALGORITHM_ORDER_H
#define HEDDLE_CUDA_STD_ALGORITHM_ORDER_H

#include <heddle/cuda_std/algorithm_change.h>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {

template <class A, class B, class Out, class C = __heddle::Less>
constexpr Out merge(A first, A last, B other, B otherLast, Out out, C less = C()) {
  for (; first != last && other != otherLast; ++out)
    if (less(*other, *first)) {
      *out = *other;
      ++other;
    } else {
      *out = *first;
      ++first;
    }
  return __heddle::copyTo(other, otherLast, __heddle::copyTo(first, last, out));
}

template <class A, class B, class Out, class C = __heddle::Less>
constexpr Out set_union(A first, A last, B other, B otherLast, Out out, C less = C()) {
  for (; first != last && other != otherLast; ++out)
    if (less(*other, *first)) {
      *out = *other;
      ++other;
    } else {
      if (!less(*first, *other))
        ++other;
      *out = *first;
      ++first;
    }
  return __heddle::copyTo(other, otherLast, __heddle::copyTo(first, last, out));
}

template <class A, class B, class Out, class C = __heddle::Less>
constexpr Out set_intersection(A first, A last, B other, B otherLast, Out out, C less = C()) {
  while (first != last && other != otherLast)
    if (less(*first, *other)) {
      ++first;
    } else {
      if (!less(*other, *first)) {
        *out = *first;
        ++out;
        ++first;
      }
      ++other;
    }
  return out;
}

template <class A, class B, class Out, class C = __heddle::Less>
constexpr Out set_difference(A first, A last, B other, B otherLast, Out out, C less = C()) {
  while (first != last && other != otherLast)
    if (less(*first, *other)) {
      *out = *first;
      ++out;
      ++first;
    } else {
      if (!less(*other, *first))
        ++first;
      ++other;
    }
  return __heddle::copyTo(first, last, out);
}

template <class A, class B, class Out, class C = __heddle::Less>
constexpr Out set_symmetric_difference(A first, A last, B other, B otherLast, Out out,
                                       C less = C()) {
  while (first != last && other != otherLast)
    if (less(*first, *other)) {
      *out = *first;
      ++out;
      ++first;
    } else {
      if (less(*other, *first)) {
        *out = *other;
        ++out;
      } else {
        ++first;
      }
      ++other;
    }
  return __heddle::copyTo(other, otherLast, __heddle::copyTo(first, last, out));
}

namespace __heddle {

/// The last element before a falling end is exchanged with the last of the end that is to follow it,
/// and the end is reversed.
template <class It, class C> constexpr bool permute(It first, It last, C less) {
  if (first == last)
    return false;
  It at = last;
  for (--at; at != first;) {
    It behind = at;
    --at;
    if (less(*at, *behind)) {
      It other = last;
      while (!less(*at, *--other))
        ;
      exchangeAt(at, other);
      ::cuda::std::reverse(behind, last);
      return true;
    }
  }
  ::cuda::std::reverse(first, last);
  return false;
}

} // namespace __heddle

template <class It, class C = __heddle::Less>
constexpr bool next_permutation(It first, It last, C less = C()) {
  return __heddle::permute(first, last, less);
}
template <class It, class C = __heddle::Less>
constexpr bool prev_permutation(It first, It last, C less = C()) {
  return __heddle::permute(first, last, [&](const auto &a, const auto &b) { return less(b, a); });
}

} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
