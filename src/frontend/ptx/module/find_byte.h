// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/bit.h"

#include <array>
#include <cstring>

namespace heddle::frontend::ptx {

/// The first place of `text` from `at` on that is meant, or its end: 16 bytes at a time. `isMeant`
/// gets a byte and the one behind it (0 behind the last), or vectors of them; it compares and joins by
/// | and &.
template <typename F> size_t findByte(llvm::StringRef text, size_t at, F isMeant) {
  using Bytes = char __attribute__((vector_size(16)));
  for (Bytes some, next; at + sizeof some < text.size(); at += sizeof some) {
    std::memcpy(&some, text.data() + at, sizeof some);
    std::memcpy(&next, text.data() + at + 1, sizeof next);
    const auto words = llvm::bit_cast<std::array<uint64_t, 2>>(isMeant(some, next));
    if (words[0] | words[1])
      break;
  }
  for (; at < text.size(); ++at)
    if (isMeant(text[at], at + 1 < text.size() ? text[at + 1] : '\0'))
      return at;
  return text.size();
}

} // namespace heddle::frontend::ptx
