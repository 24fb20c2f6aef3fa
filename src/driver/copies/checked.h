// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/checked.h"

namespace heddle::driver {

using heddle::Checked;

/// Whether `bytes` at `p` lie where a process may have memory.
inline bool isUsersSpace(const void *p, size_t bytes) {
  constexpr size_t End = size_t(1) << 56; // with five levels of page tables
  const auto start = reinterpret_cast<uintptr_t>(p);
  return start < End && bytes <= End - start;
}

} // namespace heddle::driver
