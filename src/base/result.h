// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace heddle {

/// Why something failed, as one line for the user (lower case, no full stop).
struct Failure {
  std::string message;
};

/// A value or the reason why there is none. For code that must not depend on LLVM; code that links
/// LLVM uses llvm::Expected.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T &operator*() { return *std::get_if<0>(&state_); }
  const T &operator*() const { return *std::get_if<0>(&state_); }
  T *operator->() { return std::get_if<0>(&state_); }
  const T *operator->() const { return std::get_if<0>(&state_); }
  const std::string &error() const { return std::get_if<1>(&state_)->message; }

private:
  std::variant<T, Failure> state_;
};

} // namespace heddle
