// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the thin libraries (thin.h) call in libheddle_compiler.so. A function's first argument is
// the release of CUDA that the caller's library is of: 12080.
#pragma once

#include <nvJitLink.h>
#include <nvrtc.h>
#include <nvvm.h>

#include <cstddef>

namespace heddle::rtc {

using Release = unsigned;

template <typename F> struct WithRelease;
template <typename R, typename... Arguments> struct WithRelease<R(Arguments...)> {
  using Pointer = R (*)(Release, Arguments...);
};

struct NvrtcTable {
#define HEDDLE_NVRTC(since, until, name, parameters, arguments)                                    \
  WithRelease<nvrtcResult parameters>::Pointer name;
#include "heddle/nvrtc_functions.inc"
#undef HEDDLE_NVRTC
};

struct NvJitLinkTable {
#define HEDDLE_NVJITLINK(name, parameters, arguments)                                              \
  WithRelease<nvJitLinkResult parameters>::Pointer name;
#include "heddle/nvjitlink_functions.inc"
#undef HEDDLE_NVJITLINK
};

struct NvvmTable {
#define HEDDLE_NVVM(name, parameters, arguments) WithRelease<nvvmResult parameters>::Pointer name;
#include "heddle/nvvm_functions.inc"
#undef HEDDLE_NVVM
};

} // namespace heddle::rtc

extern "C" {
const heddle::rtc::NvrtcTable *heddleNvrtcTable();
const heddle::rtc::NvJitLinkTable *heddleNvJitLinkTable();
const heddle::rtc::NvvmTable *heddleNvvmTable();
}
