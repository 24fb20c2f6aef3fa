// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libstdc++ calls to throw: by std::array::at, std::optional::value, std::get of a variant and
// the like, which are constexpr, so that kernels may call them. A kernel cannot throw; these device
// functions end it. Host code has libstdc++'s own.
#ifndef HEDDLE_LIBRARY_ERRORS_H
#define HEDDLE_LIBRARY_ERRORS_H

#ifdef __GLIBCXX__
#define HEDDLE_THROWS(name, ...)                                                                   \
  __attribute__((device, noreturn)) inline void name(__VA_ARGS__) { __trap(); }

namespace std {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
HEDDLE_THROWS(__throw_bad_alloc)
HEDDLE_THROWS(__throw_bad_array_new_length)
HEDDLE_THROWS(__throw_bad_cast)
HEDDLE_THROWS(__throw_bad_exception)
HEDDLE_THROWS(__throw_bad_function_call)
HEDDLE_THROWS(__throw_bad_optional_access)
HEDDLE_THROWS(__throw_bad_typeid)
HEDDLE_THROWS(__throw_bad_variant_access, bool)
HEDDLE_THROWS(__throw_bad_variant_access, unsigned)
HEDDLE_THROWS(__throw_bad_variant_access, const char *)
HEDDLE_THROWS(__throw_domain_error, const char *)
HEDDLE_THROWS(__throw_invalid_argument, const char *)
HEDDLE_THROWS(__throw_length_error, const char *)
HEDDLE_THROWS(__throw_logic_error, const char *)
HEDDLE_THROWS(__throw_out_of_range, const char *)
HEDDLE_THROWS(__throw_out_of_range_fmt, const char *, ...)
HEDDLE_THROWS(__throw_overflow_error, const char *)
HEDDLE_THROWS(__throw_range_error, const char *)
HEDDLE_THROWS(__throw_runtime_error, const char *)
HEDDLE_THROWS(__throw_underflow_error, const char *)
_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std

#undef HEDDLE_THROWS
#endif

#endif
