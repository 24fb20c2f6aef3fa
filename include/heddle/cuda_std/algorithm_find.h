// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms that look at a range and leave it as it is (<cuda/std/algorithm>).
#ifndef HEDDLE_CUDA_STD_ALGORITHM_FIND_H
#define HEDDLE_CUDA_STD_ALGORITHM_FIND_H

#include <heddle/cuda_std/algorithm_steps.h>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {

template <class It, class P> constexpr It find_if(It first, It last, P is) {
  while (first != last && !is(*first))
    ++first;
  return first;
}
template <class It, class P> constexpr It find_if_not(It first, It last, P is) {
  while (first != last && is(*first))
    ++first;
  return first;
}
template <class It, class T> constexpr It find(It first, It last, const T &value) {
  while (first != last && !(*first == value))
    ++first;
  return first;
}

template <class It, class P> constexpr bool all_of(It first, It last, P is) {
  return ::cuda::std::find_if_not(first, last, is) == last;
}
template <class It, class P> constexpr bool any_of(It first, It last, P is) {
  return ::cuda::std::find_if(first, last, is) != last;
}
template <class It, class P> constexpr bool none_of(It first, It last, P is) {
  return ::cuda::std::find_if(first, last, is) == last;
}

template <class It, class F> constexpr F for_each(It first, It last, F f) {
  for (; first != last; ++first)
    f(*first);
  return f;
}
template <class It, class Size, class F> constexpr It for_each_n(It first, Size count, F f) {
  for (; count > 0; --count, (void)++first)
    f(*first);
  return first;
}

template <class It, class P> constexpr ptrdiff_t count_if(It first, It last, P is) {
  ptrdiff_t found = 0;
  for (; first != last; ++first)
    found += is(*first) ? 1 : 0;
  return found;
}
template <class It, class T> constexpr ptrdiff_t count(It first, It last, const T &value) {
  ptrdiff_t found = 0;
  for (; first != last; ++first)
    found += *first == value ? 1 : 0;
  return found;
}

template <class A, class B, class P = __heddle::Equal,
          ::std::enable_if_t<!::std::is_same_v<P, B>, int> = 0>
constexpr pair<A, B> mismatch(A first, A last, B other, P same = P()) {
  for (; first != last && same(*first, *other); ++first)
    ++other;
  return {first, other};
}
template <class A, class B, class P>
constexpr pair<A, B> mismatch(A first, A last, B other, B otherLast, P same) {
  for (; first != last && other != otherLast && same(*first, *other); ++first)
    ++other;
  return {first, other};
}
template <class A, class B> constexpr pair<A, B> mismatch(A first, A last, B other, B otherLast) {
  return ::cuda::std::mismatch(first, last, other, otherLast, __heddle::Equal());
}

template <class A, class B, class P = __heddle::Equal>
constexpr A find_first_of(A first, A last, B among, B amongLast, P same = P()) {
  for (; first != last; ++first)
    for (B one = among; one != amongLast; ++one)
      if (same(*first, *one))
        return first;
  return last;
}

template <class It, class P = __heddle::Equal>
constexpr It adjacent_find(It first, It last, P same = P()) {
  if (first == last)
    return last;
  for (It next = first; ++next != last; first = next)
    if (same(*first, *next))
      return first;
  return last;
}

template <class A, class B, class P = __heddle::Equal>
constexpr A search(A first, A last, B pattern, B patternLast, P same = P()) {
  for (;; ++first) {
    A at = first;
    for (B want = pattern;; ++want, (void)++at) {
      if (want == patternLast)
        return first;
      if (at == last)
        return last;
      if (!same(*at, *want))
        break;
    }
  }
}
template <class A, class Searcher> constexpr A search(A first, A last, const Searcher &searcher) {
  return searcher(first, last).first;
}

template <class It, class Size, class T, class P = __heddle::Equal>
constexpr It search_n(It first, It last, Size count, const T &value, P same = P()) {
  if (count <= 0)
    return first;
  Size run = 0;
  for (It start = first; first != last; ++first) {
    if (!same(*first, value)) {
      run = 0;
      continue;
    }
    if (run == 0)
      start = first;
    if (++run == count)
      return start;
  }
  return last;
}

template <class A, class B, class P = __heddle::Equal>
constexpr A find_end(A first, A last, B pattern, B patternLast, P same = P()) {
  A found = last;
  if (pattern == patternLast)
    return found;
  for (A at = first; (at = ::cuda::std::search(at, last, pattern, patternLast, same)) != last; ++at)
    found = at;
  return found;
}

template <class It, class P> constexpr bool is_partitioned(It first, It last, P is) {
  first = ::cuda::std::find_if_not(first, last, is);
  return ::cuda::std::none_of(first, last, is);
}
template <class It, class P> constexpr It partition_point(It first, It last, P is) {
  for (ptrdiff_t left = __heddle::count(first, last); left > 0;) {
    ptrdiff_t half = left / 2;
    It middle = __heddle::after(first, half);
    if (is(*middle)) {
      first = ++middle;
      left -= half + 1;
    } else {
      left = half;
    }
  }
  return first;
}

template <class It, class C = __heddle::Less>
constexpr It is_sorted_until(It first, It last, C less = C()) {
  if (first == last)
    return last;
  for (It next = first; ++next != last; first = next)
    if (less(*next, *first))
      return next;
  return last;
}
template <class It, class C = __heddle::Less>
constexpr bool is_sorted(It first, It last, C less = C()) {
  return ::cuda::std::is_sorted_until(first, last, less) == last;
}

template <class It, class T, class C = __heddle::Less>
constexpr It lower_bound(It first, It last, const T &value, C less = C()) {
  return ::cuda::std::partition_point(first, last,
                                      [&](const auto &element) { return less(element, value); });
}
template <class It, class T, class C = __heddle::Less>
constexpr It upper_bound(It first, It last, const T &value, C less = C()) {
  return ::cuda::std::partition_point(first, last,
                                      [&](const auto &element) { return !less(value, element); });
}
template <class It, class T, class C = __heddle::Less>
constexpr pair<It, It> equal_range(It first, It last, const T &value, C less = C()) {
  return {::cuda::std::lower_bound(first, last, value, less),
          ::cuda::std::upper_bound(first, last, value, less)};
}
template <class It, class T, class C = __heddle::Less>
constexpr bool binary_search(It first, It last, const T &value, C less = C()) {
  first = ::cuda::std::lower_bound(first, last, value, less);
  return first != last && !less(value, *first);
}

template <class A, class B, class C = __heddle::Less>
constexpr bool includes(A first, A last, B part, B partLast, C less = C()) {
  for (; part != partLast; ++first) {
    if (first == last || less(*part, *first))
      return false;
    if (!less(*first, *part))
      ++part;
  }
  return true;
}

/// Each element occurs as often in the one range as in the other.
template <class A, class B, class P = __heddle::Equal,
          ::std::enable_if_t<!::std::is_same_v<P, B>, int> = 0>
constexpr bool is_permutation(A first, A last, B other, P same = P()) {
  B otherLast = __heddle::after(other, __heddle::count(first, last));
  for (A at = first; at != last; ++at) {
    ptrdiff_t here = 0, there = 0;
    for (A one = first; one != last; ++one)
      here += same(*one, *at) ? 1 : 0;
    for (B one = other; one != otherLast; ++one)
      there += same(*one, *at) ? 1 : 0;
    if (here != there)
      return false;
  }
  return true;
}
template <class A, class B, class P>
constexpr bool is_permutation(A first, A last, B other, B otherLast, P same) {
  return __heddle::count(first, last) == __heddle::count(other, otherLast) &&
         ::cuda::std::is_permutation(first, last, other, same);
}
template <class A, class B> constexpr bool is_permutation(A first, A last, B other, B otherLast) {
  return ::cuda::std::is_permutation(first, last, other, otherLast, __heddle::Equal());
}

} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
