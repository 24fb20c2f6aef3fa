// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms that write a range (<cuda/std/algorithm>): copies, transformations, removals, rotations.
#ifndef HEDDLE_CUDA_STD_ALGORITHM_CHANGE_H
#define HEDDLE_CUDA_STD_ALGORITHM_CHANGE_H

#include <heddle/cuda_std/algorithm_find.h>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {

// The first libcu++ declares four of them for its own use, without constexpr; those of pointers,
// which are preferred, are constexpr.
#define HEDDLE_COPY(NAME, STEPS)                                                                   \
  inline namespace _LIBCUDACXX_CUDA_ABI_NAMESPACE {                                                \
  template <class A, class B> B NAME(A first, A last, B out) {                                     \
    return __heddle::STEPS(first, last, out);                                                      \
  }                                                                                                \
  }                                                                                                \
  template <class A, class B> constexpr B *NAME(A *first, A *last, B *out) {                       \
    return __heddle::STEPS(first, last, out);                                                      \
  }
HEDDLE_COPY(copy, copyTo)
HEDDLE_COPY(copy_backward, copyBackward)
HEDDLE_COPY(move, moveTo)
HEDDLE_COPY(move_backward, moveBackward)
#undef HEDDLE_COPY

template <class A, class Size, class B> constexpr B copy_n(A first, Size count, B out) {
  for (; count > 0; --count, (void)++first, (void)++out)
    *out = *first;
  return out;
}
template <class A, class B, class P> constexpr B copy_if(A first, A last, B out, P is) {
  for (; first != last; ++first)
    if (is(*first)) {
      *out = *first;
      ++out;
    }
  return out;
}

template <class A, class B, class F> constexpr B transform(A first, A last, B out, F f) {
  for (; first != last; ++first, (void)++out)
    *out = f(*first);
  return out;
}
template <class A, class B, class C, class F>
constexpr C transform(A first, A last, B other, C out, F f) {
  for (; first != last; ++first, (void)++other, (void)++out)
    *out = f(*first, *other);
  return out;
}

template <class It, class F> constexpr void generate(It first, It last, F f) {
  for (; first != last; ++first)
    *first = f();
}
template <class It, class Size, class F> constexpr It generate_n(It first, Size count, F f) {
  for (; count > 0; --count, (void)++first)
    *first = f();
  return first;
}

template <class It, class P, class T>
constexpr void replace_if(It first, It last, P is, const T &value) {
  for (; first != last; ++first)
    if (is(*first))
      *first = value;
}
template <class It, class T>
constexpr void replace(It first, It last, const T &old, const T &value) {
  for (; first != last; ++first)
    if (*first == old)
      *first = value;
}
template <class A, class B, class P, class T>
constexpr B replace_copy_if(A first, A last, B out, P is, const T &value) {
  for (; first != last; ++first, (void)++out)
    if (is(*first))
      *out = value;
    else
      *out = *first;
  return out;
}
template <class A, class B, class T>
constexpr B replace_copy(A first, A last, B out, const T &old, const T &value) {
  return ::cuda::std::replace_copy_if(
      first, last, out, [&](const auto &element) { return element == old; }, value);
}

template <class It, class P> constexpr It remove_if(It first, It last, P is) {
  first = ::cuda::std::find_if(first, last, is);
  if (first != last)
    for (It at = first; ++at != last;)
      if (!is(*at)) {
        *first = ::std::move(*at);
        ++first;
      }
  return first;
}
template <class It, class T> constexpr It remove(It first, It last, const T &value) {
  return ::cuda::std::remove_if(first, last, [&](const auto &element) { return element == value; });
}
template <class A, class B, class P> constexpr B remove_copy_if(A first, A last, B out, P is) {
  return ::cuda::std::copy_if(first, last, out, [&](const auto &element) { return !is(element); });
}
template <class A, class B, class T>
constexpr B remove_copy(A first, A last, B out, const T &value) {
  return ::cuda::std::copy_if(first, last, out,
                              [&](const auto &element) { return !(element == value); });
}

template <class It, class P = __heddle::Equal>
constexpr It unique(It first, It last, P same = P()) {
  first = ::cuda::std::adjacent_find(first, last, same);
  if (first == last)
    return last;
  It at = first;
  for (++at; ++at != last;)
    if (!same(*first, *at))
      *++first = ::std::move(*at);
  return ++first;
}
template <class A, class B, class P = __heddle::Equal>
constexpr B unique_copy(A first, A last, B out, P same = P()) {
  if (first == last)
    return out;
  __heddle::ElementOf<A> kept(*first);
  *out = kept;
  while (++first != last)
    if (!same(kept, *first)) {
      kept = *first;
      *++out = kept;
    }
  return ++out;
}

template <class It> constexpr void reverse(It first, It last) {
  while (first != last && first != --last) {
    __heddle::exchangeAt(first, last);
    ++first;
  }
}
template <class A, class B> constexpr B reverse_copy(A first, A last, B out) {
  for (; first != last; ++out)
    *out = *--last;
  return out;
}

/// A round exchanges the elements from the front on with those of the second part. What of the front
/// is then behind, in the order that it had from `next` on, is to be rotated likewise.
template <class It> constexpr It rotate(It first, It middle, It last) {
  if (first == middle)
    return last;
  It result = first;
  for (bool firstRound = true; first != middle && middle != last; firstRound = false) {
    It next = first;
    for (It from = middle; from != last; ++from, (void)++first) {
      if (first == next)
        next = from;
      __heddle::exchangeAt(first, from);
    }
    if (firstRound)
      result = first;
    middle = next;
  }
  return result;
}
template <class A, class B> constexpr B rotate_copy(A first, A middle, A last, B out) {
  return __heddle::copyTo(first, middle, __heddle::copyTo(middle, last, out));
}

template <class It> constexpr It shift_left(It first, It last, ptrdiff_t by) {
  if (by <= 0)
    return last;
  if (by >= __heddle::count(first, last))
    return first;
  return __heddle::moveTo(__heddle::after(first, by), last, first);
}
template <class It> constexpr It shift_right(It first, It last, ptrdiff_t by) {
  if (by <= 0)
    return first;
  ptrdiff_t count = __heddle::count(first, last);
  if (by >= count)
    return last;
  return __heddle::moveBackward(first, __heddle::after(first, count - by), last);
}

template <class It, class P> constexpr It partition(It first, It last, P is) {
  first = ::cuda::std::find_if_not(first, last, is);
  if (first != last)
    for (It at = first; ++at != last;)
      if (is(*at)) {
        __heddle::exchangeAt(first, at);
        ++first;
      }
  return first;
}
template <class A, class B, class C, class P>
constexpr pair<B, C> partition_copy(A first, A last, B outTrue, C outFalse, P is) {
  for (; first != last; ++first)
    if (is(*first)) {
      *outTrue = *first;
      ++outTrue;
    } else {
      *outFalse = *first;
      ++outFalse;
    }
  return {outTrue, outFalse};
}
/// Each element that belongs in front is moved there past those before it.
template <class It, class P> constexpr It stable_partition(It first, It last, P is) {
  for (It at = first; at != last; ++at)
    if (is(*at)) {
      auto moved = ::std::move(*at);
      It behind = at;
      __heddle::moveBackward(first, at, ++behind);
      *first = ::std::move(moved);
      ++first;
    }
  return first;
}

} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
