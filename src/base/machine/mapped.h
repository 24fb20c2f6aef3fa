// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

namespace heddle {

/// Whether the process has memory at the address, and in all pages of the bytes from there on.
inline bool isMapped(uintptr_t address, size_t bytes = 1) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = address / page * page;
  unsigned char resident[2]; // of pages
  if (bytes == 0 || bytes > page || address > UINTPTR_MAX - bytes)
    return false;
  return mincore(reinterpret_cast<void *>(first), address - first + bytes, resident) == 0;
}

} // namespace heddle
