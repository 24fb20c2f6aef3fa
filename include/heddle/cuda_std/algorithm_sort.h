// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heaps and sorts (<cuda/std/algorithm>). Sorts are heap sorts, which need no memory and no
// recursion, so that a kernel's stack has a size; stable ones insert each element.
#ifndef HEDDLE_CUDA_STD_ALGORITHM_SORT_H
#define HEDDLE_CUDA_STD_ALGORITHM_SORT_H

#include <heddle/cuda_std/algorithm_change.h>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {

namespace __heddle {

/// Moves the element at `hole` down among the `count` elements of a heap.
template <class It, class C>
constexpr void siftDown(It first, ptrdiff_t count, ptrdiff_t hole, C &less) {
  ElementOf<It> element = ::std::move(first[hole]);
  for (ptrdiff_t child; (child = 2 * hole + 1) < count; hole = child) {
    if (child + 1 < count && less(first[child], first[child + 1]))
      ++child;
    if (!less(element, first[child]))
      break;
    first[hole] = ::std::move(first[child]);
  }
  first[hole] = ::std::move(element);
}

template <class It, class C> constexpr void siftUp(It first, ptrdiff_t hole, C &less) {
  ElementOf<It> element = ::std::move(first[hole]);
  while (hole > 0 && less(first[(hole - 1) / 2], element)) {
    first[hole] = ::std::move(first[(hole - 1) / 2]);
    hole = (hole - 1) / 2;
  }
  first[hole] = ::std::move(element);
}

template <class It, class C> constexpr void makeHeap(It first, ptrdiff_t count, C &less) {
  for (ptrdiff_t at = count / 2; at-- > 0;)
    siftDown(first, count, at, less);
}
template <class It, class C> constexpr void sortHeap(It first, ptrdiff_t count, C &less) {
  while (count-- > 1) {
    exchangeAt(first, first + count);
    siftDown(first, count, 0, less);
  }
}

} // namespace __heddle

template <class It, class C = __heddle::Less>
constexpr void make_heap(It first, It last, C less = C()) {
  __heddle::makeHeap(first, last - first, less);
}
template <class It, class C = __heddle::Less>
constexpr void push_heap(It first, It last, C less = C()) {
  if (first != last)
    __heddle::siftUp(first, last - first - 1, less);
}
template <class It, class C = __heddle::Less>
constexpr void pop_heap(It first, It last, C less = C()) {
  if (last - first < 2)
    return;
  __heddle::exchangeAt(first, --last);
  __heddle::siftDown(first, last - first, 0, less);
}
template <class It, class C = __heddle::Less>
constexpr void sort_heap(It first, It last, C less = C()) {
  __heddle::sortHeap(first, last - first, less);
}
template <class It, class C = __heddle::Less>
constexpr It is_heap_until(It first, It last, C less = C()) {
  for (ptrdiff_t at = 1, count = last - first; at < count; ++at)
    if (less(first[(at - 1) / 2], first[at]))
      return first + at;
  return last;
}
template <class It, class C = __heddle::Less>
constexpr bool is_heap(It first, It last, C less = C()) {
  return ::cuda::std::is_heap_until(first, last, less) == last;
}

template <class It, class C = __heddle::Less> constexpr void sort(It first, It last, C less = C()) {
  __heddle::makeHeap(first, last - first, less);
  __heddle::sortHeap(first, last - first, less);
}

template <class It, class C = __heddle::Less>
constexpr void stable_sort(It first, It last, C less = C()) {
  for (ptrdiff_t sorted = 1, count = last - first; sorted < count; ++sorted) {
    __heddle::ElementOf<It> element = ::std::move(first[sorted]);
    ptrdiff_t at = sorted;
    for (; at > 0 && less(element, first[at - 1]); --at)
      first[at] = ::std::move(first[at - 1]);
    first[at] = ::std::move(element);
  }
}

/// The smallest elements are gathered in a heap, whose largest gives way to smaller ones.
template <class It, class C = __heddle::Less>
constexpr void partial_sort(It first, It middle, It last, C less = C()) {
  ptrdiff_t count = middle - first;
  if (count == 0)
    return;
  __heddle::makeHeap(first, count, less);
  for (It at = middle; at != last; ++at)
    if (less(*at, *first)) {
      __heddle::exchangeAt(at, first);
      __heddle::siftDown(first, count, 0, less);
    }
  __heddle::sortHeap(first, count, less);
}
template <class A, class B, class C = __heddle::Less>
constexpr B partial_sort_copy(A first, A last, B out, B outLast, C less = C()) {
  ptrdiff_t count = 0, room = outLast - out;
  for (; first != last && count < room; ++first)
    out[count++] = *first;
  if (count == 0)
    return out;
  __heddle::makeHeap(out, count, less);
  for (; first != last; ++first)
    if (less(*first, *out)) {
      *out = *first;
      __heddle::siftDown(out, count, 0, less);
    }
  __heddle::sortHeap(out, count, less);
  return out + count;
}
template <class It, class C = __heddle::Less>
constexpr void nth_element(It first, It nth, It last, C less = C()) {
  if (nth != last)
    ::cuda::std::partial_sort(first, nth + 1, last, less);
}

} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
