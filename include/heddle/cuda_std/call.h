// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::invoke as constexpr, which that of the first libcu++ is not.
#ifndef HEDDLE_CUDA_STD_CALL_H
#define HEDDLE_CUDA_STD_CALL_H

#include <cuda/std/type_traits>

#include <type_traits>
#include <utility>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {
namespace __heddle {

template <class F, class... Arguments>
constexpr decltype(auto) call(F &&f, Arguments &&...arguments) {
  if constexpr (::std::is_member_pointer_v<::std::decay_t<F>>)
    return __invoke(::std::forward<F>(f), ::std::forward<Arguments>(arguments)...);
  else
    return ::std::forward<F>(f)(::std::forward<Arguments>(arguments)...);
}

} // namespace __heddle
} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
