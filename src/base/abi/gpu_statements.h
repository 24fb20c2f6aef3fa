// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ring of output statements in a GPU's code: the variable heddle_statements
// (devlib/gpu/statements.cpp).
#pragma once

#include <stdint.h>

namespace heddle {

inline constexpr char GpuStatementsName[] = "heddle_statements";
/// A megabyte, as CUDA's for printf.
inline constexpr uint64_t GpuStatementWords = 1 << 17;
inline constexpr uint64_t GpuStatementIsThere = uint64_t(1) << 63;

/// Positions are words since the code was loaded; modulo GpuStatementWords they are places.
struct GpuStatements {
  uint64_t used, lost; ///< the kernels'
  uint64_t taken;      ///< the host's
  uint64_t words[GpuStatementWords];
};

} // namespace heddle
