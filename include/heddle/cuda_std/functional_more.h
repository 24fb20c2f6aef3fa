// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// identity and bind_front (C++20) for <cuda/std/functional>.
#ifndef HEDDLE_CUDA_STD_FUNCTIONAL_MORE_H
#define HEDDLE_CUDA_STD_FUNCTIONAL_MORE_H

#include <heddle/cuda_std/call.h>

#include <tuple>
#include <type_traits>
#include <utility>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {

struct identity {
  using is_transparent = void;
  template <class T> [[nodiscard]] constexpr T &&operator()(T &&value) const noexcept {
    return ::std::forward<T>(value);
  }
};

namespace __heddle {

template <class F, class... Bound> class BoundFront {
public:
  template <class G, class... Values>
  constexpr explicit BoundFront(int, G &&function, Values &&...values)
      : function_(::std::forward<G>(function)), bound_(::std::forward<Values>(values)...) {}
  template <class... Arguments> constexpr decltype(auto) operator()(Arguments &&...arguments) & {
    return call(function_, bound_, ::std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  constexpr decltype(auto) operator()(Arguments &&...arguments) const & {
    return call(function_, bound_, ::std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments> constexpr decltype(auto) operator()(Arguments &&...arguments) && {
    return call(::std::move(function_), ::std::move(bound_),
                ::std::forward<Arguments>(arguments)...);
  }

private:
  template <class Function, class Tuple, class... Arguments>
  static constexpr decltype(auto) call(Function &&function, Tuple &&bound,
                                       Arguments &&...arguments) {
    return ::std::apply(
        [&](auto &&...values) -> decltype(auto) {
          return __heddle::call(::std::forward<Function>(function),
                                ::std::forward<decltype(values)>(values)...,
                                ::std::forward<Arguments>(arguments)...);
        },
        ::std::forward<Tuple>(bound));
  }

  F function_;
  ::std::tuple<Bound...> bound_;
};

} // namespace __heddle

template <class F, class... Arguments>
[[nodiscard]] constexpr auto bind_front(F &&function, Arguments &&...arguments) {
  return __heddle::BoundFront<::std::decay_t<F>, ::std::decay_t<Arguments>...>(
      0, ::std::forward<F>(function), ::std::forward<Arguments>(arguments)...);
}

} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
