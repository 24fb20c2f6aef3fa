// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of the iterators of <cuda/iterator>: an iterator says what it refers to (operator*),
// how it moves (move) and how far it is from another (from); the rest follows.
#ifndef HEDDLE_CUDA_STD_ITERATOR_WALK_H
#define HEDDLE_CUDA_STD_ITERATOR_WALK_H

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace __heddle {

template <class Self, class T, class Reference> class Walk {
public:
  using iterator_category = ::std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = ::std::ptrdiff_t;
  using reference = Reference;
  using pointer = void;

  constexpr Self &operator++() { return *this += 1; }
  constexpr Self &operator--() { return *this += -1; }
  constexpr Self operator++(int) {
    Self before = self();
    self().move(1);
    return before;
  }
  constexpr Self operator--(int) {
    Self before = self();
    self().move(-1);
    return before;
  }
  constexpr Self &operator+=(difference_type by) {
    self().move(by);
    return self();
  }
  constexpr Self &operator-=(difference_type by) { return *this += -by; }
  constexpr Reference operator[](difference_type i) const { return *(self() + i); }

  friend constexpr Self operator+(Self a, difference_type by) { return a += by; }
  friend constexpr Self operator+(difference_type by, Self a) { return a += by; }
  friend constexpr Self operator-(Self a, difference_type by) { return a -= by; }
  friend constexpr difference_type operator-(const Self &a, const Self &b) { return a.from(b); }
  friend constexpr bool operator==(const Self &a, const Self &b) { return a.from(b) == 0; }
  friend constexpr bool operator!=(const Self &a, const Self &b) { return a.from(b) != 0; }
  friend constexpr bool operator<(const Self &a, const Self &b) { return a.from(b) < 0; }
  friend constexpr bool operator>(const Self &a, const Self &b) { return a.from(b) > 0; }
  friend constexpr bool operator<=(const Self &a, const Self &b) { return a.from(b) <= 0; }
  friend constexpr bool operator>=(const Self &a, const Self &b) { return a.from(b) >= 0; }

private:
  constexpr Self &self() { return static_cast<Self &>(*this); }
  constexpr const Self &self() const { return static_cast<const Self &>(*this); }
};

/// Takes any value.
struct Forgets {
  template <class T> constexpr const Forgets &operator=(const T &) const { return *this; }
};

/// Writes f of what it is given.
template <class F, class It> struct WritesThrough {
  It to;
  F f;
  template <class T> constexpr const WritesThrough &operator=(T &&value) const {
    *to = f(::std::forward<T>(value));
    return *this;
  }
};

} // namespace __heddle
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
