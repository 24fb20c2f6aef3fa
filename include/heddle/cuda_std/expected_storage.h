// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an expected is made of (<cuda/std/expected>): a value or an error, unexpected, and the
// exception.
#ifndef HEDDLE_CUDA_STD_EXPECTED_STORAGE_H
#define HEDDLE_CUDA_STD_EXPECTED_STORAGE_H

#include <cuda/std/utility>
#include <heddle/cuda_std/special_members.h>

#include <exception>
#include <memory>
#include <new>

namespace cuda {
namespace std {

template <class E> class bad_expected_access;
template <> class bad_expected_access<void> : public ::std::exception {
public:
  const char *what() const noexcept override { return "bad access to an expected"; }
};
template <class E> class bad_expected_access : public bad_expected_access<void> {
public:
  explicit bad_expected_access(E error) : error_(::std::move(error)) {}
  E &error() &noexcept { return error_; }
  const E &error() const &noexcept { return error_; }

private:
  E error_;
};

} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {

template <class T, class E> class expected;

struct unexpect_t {
  explicit unexpect_t() = default;
};
inline constexpr unexpect_t unexpect{};

template <class E> class unexpected {
  template <class G>
  static constexpr bool IsError =
      ::std::is_constructible_v<E, G> && !::std::is_same_v<::std::decay_t<G>, unexpected> &&
      !::std::is_same_v<::std::decay_t<G>, in_place_t>;

public:
  unexpected(const unexpected &) = default;
  unexpected(unexpected &&) = default;
  unexpected &operator=(const unexpected &) = default;
  unexpected &operator=(unexpected &&) = default;
  template <class G = E, ::std::enable_if_t<IsError<G>, int> = 0>
  constexpr explicit unexpected(G &&error) : error_(::std::forward<G>(error)) {}
  template <class... Arguments>
  constexpr explicit unexpected(in_place_t, Arguments &&...arguments)
      : error_(::std::forward<Arguments>(arguments)...) {}

  constexpr E &error() &noexcept { return error_; }
  constexpr const E &error() const &noexcept { return error_; }
  constexpr E &&error() &&noexcept { return ::std::move(error_); }
  constexpr void swap(unexpected &other) {
    E mine(::std::move(error_));
    error_ = ::std::move(other.error_);
    other.error_ = ::std::move(mine);
  }
  template <class G> friend constexpr bool operator==(const unexpected &a, const unexpected<G> &b) {
    return a.error() == b.error();
  }

private:
  E error_;
};
template <class E> unexpected(E) -> unexpected<E>;

namespace __heddle {

/// What stands for a value of type void.
struct Nothing {};
template <class T> using ValueOf = ::std::conditional_t<::std::is_void_v<T>, Nothing, T>;

template <class T> inline constexpr bool IsUnexpected = false;
template <class E> inline constexpr bool IsUnexpected<unexpected<E>> = true;
template <class T> inline constexpr bool IsExpected = IsUnexpected<T>;
template <class T, class E> inline constexpr bool IsExpected<expected<T, E>> = true;

enum class Holds : unsigned char { Nothing, Value, Error };

#define HEDDLE_EXPECTED_MEMORY                                                                     \
  union {                                                                                          \
    char none_;                                                                                    \
    T value_;                                                                                      \
    E error_;                                                                                      \
  };                                                                                               \
  Holds holds_;                                                                                    \
  constexpr ExpectedMemory(NothingYet) noexcept : none_(), holds_(Holds::Nothing) {}               \
  template <class... Arguments>                                                                    \
  constexpr explicit ExpectedMemory(in_place_t, Arguments &&...arguments)                          \
      : value_(::std::forward<Arguments>(arguments)...), holds_(Holds::Value) {}                   \
  template <class... Arguments>                                                                    \
  constexpr explicit ExpectedMemory(unexpect_t, Arguments &&...arguments)                          \
      : error_(::std::forward<Arguments>(arguments)...), holds_(Holds::Error) {}

template <class T, class E,
          bool = ::std::is_trivially_destructible_v<T> && ::std::is_trivially_destructible_v<E>>
struct ExpectedMemory {
  HEDDLE_EXPECTED_MEMORY
  constexpr void clear() noexcept { holds_ = Holds::Nothing; }
};
template <class T, class E> struct ExpectedMemory<T, E, false> {
  HEDDLE_EXPECTED_MEMORY
  ~ExpectedMemory() { clear(); }
  constexpr void clear() noexcept {
    if (holds_ == Holds::Value)
      value_.~T();
    else if (holds_ == Holds::Error)
      error_.~E();
    holds_ = Holds::Nothing;
  }
};
#undef HEDDLE_EXPECTED_MEMORY

template <class T, class E> struct ExpectedStorage : ExpectedMemory<T, E> {
  using ExpectedMemory<T, E>::ExpectedMemory;

  template <class... Arguments> constexpr T &constructValue(Arguments &&...arguments) {
    ::new (static_cast<void *>(::std::addressof(this->value_)))
        T(::std::forward<Arguments>(arguments)...);
    this->holds_ = Holds::Value;
    return this->value_;
  }
  template <class G> constexpr void constructError(G &&error) {
    ::new (static_cast<void *>(::std::addressof(this->error_))) E(::std::forward<G>(error));
    this->holds_ = Holds::Error;
  }
  template <class U> constexpr void becomeValue(U &&value) {
    if (this->holds_ == Holds::Value) {
      this->value_ = ::std::forward<U>(value);
      return;
    }
    T made(::std::forward<U>(value)); // what fails, fails before the error is gone
    this->clear();
    constructValue(::std::move(made));
  }
  template <class G> constexpr void becomeError(G &&error) {
    if (this->holds_ == Holds::Error) {
      this->error_ = ::std::forward<G>(error);
      return;
    }
    E made(::std::forward<G>(error));
    this->clear();
    constructError(::std::move(made));
  }
  template <class Other> constexpr void take(Other &&other) {
    if (other.holds_ == Holds::Value)
      constructValue(::std::forward<Other>(other).value_);
    else if (other.holds_ == Holds::Error)
      constructError(::std::forward<Other>(other).error_);
  }
  template <class Other> constexpr void become(Other &&other) {
    if (other.holds_ == Holds::Value)
      becomeValue(::std::forward<Other>(other).value_);
    else if (other.holds_ == Holds::Error)
      becomeError(::std::forward<Other>(other).error_);
    else
      this->clear();
  }
};

} // namespace __heddle
} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
