// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

namespace heddle {

/// Whether the process has memory at the address, and in all pages of the bytes from there on.
inline bool isMapped(uintptr_t address, size_t bytes = 1) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = address / page * page;
  constexpr size_t Pages = 256;
  unsigned char resident[Pages];
  if (bytes == 0 || address > UINTPTR_MAX - bytes)
    return false;
  for (uintptr_t at = first; at < address + bytes; at += Pages * page)
    if (mincore(reinterpret_cast<void *>(at), std::min(Pages * page, address + bytes - at),
                resident) != 0)
      return false;
  return true;
}

} // namespace heddle
