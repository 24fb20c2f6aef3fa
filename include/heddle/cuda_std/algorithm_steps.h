// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the algorithms share (<cuda/std/algorithm>): steps that any iterator can do, since iterators
// of the standard library have other categories than those of libcu++.
#ifndef HEDDLE_CUDA_STD_ALGORITHM_STEPS_H
#define HEDDLE_CUDA_STD_ALGORITHM_STEPS_H

#include <cuda/std/array>
#include <cuda/std/utility>

#include <type_traits>
#include <utility>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {
namespace __heddle {

template <class It, class = void> inline constexpr bool Subtracts = false;
template <class It>
inline constexpr bool
    Subtracts<It, ::std::void_t<decltype(::std::declval<It &>() - ::std::declval<It &>()),
                                decltype(::std::declval<It &>() += 1)>> = true;

template <class It> using ElementOf = ::std::decay_t<decltype(*::std::declval<It &>())>;

template <class It> constexpr ptrdiff_t count(It first, It last) {
  if constexpr (Subtracts<It>) {
    return last - first;
  } else {
    ptrdiff_t steps = 0;
    for (; first != last; ++first)
      ++steps;
    return steps;
  }
}

template <class It> constexpr It after(It from, ptrdiff_t steps) {
  if constexpr (Subtracts<It>) {
    from += steps;
  } else {
    for (; steps > 0; --steps)
      ++from;
    if constexpr (!::std::is_same_v<decltype(++from), void>)
      for (; steps < 0; ++steps)
        --from;
  }
  return from;
}

template <class A, class B> constexpr void exchangeAt(A a, B b) {
  auto mine = ::std::move(*a);
  *a = ::std::move(*b);
  *b = ::std::move(mine);
}

template <class A, class B> constexpr B copyTo(A first, A last, B out) {
  for (; first != last; ++first, (void)++out)
    *out = *first;
  return out;
}
template <class A, class B> constexpr B copyBackward(A first, A last, B outLast) {
  while (last != first)
    *--outLast = *--last;
  return outLast;
}
template <class A, class B> constexpr B moveTo(A first, A last, B out) {
  for (; first != last; ++first, (void)++out)
    *out = ::std::move(*first);
  return out;
}
template <class A, class B> constexpr B moveBackward(A first, A last, B outLast) {
  while (last != first)
    *--outLast = ::std::move(*--last);
  return outLast;
}

struct Equal {
  template <class A, class B> constexpr bool operator()(const A &a, const B &b) const {
    return a == b;
  }
};
struct Less {
  template <class A, class B> constexpr bool operator()(const A &a, const B &b) const {
    return a < b;
  }
};

} // namespace __heddle
} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
