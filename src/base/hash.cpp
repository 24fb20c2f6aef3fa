// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>

namespace heddle {

std::string Hash128::text() const {
  char digits[33];
  std::snprintf(digits, sizeof(digits), "%016llx%016llx", static_cast<unsigned long long>(high),
                static_cast<unsigned long long>(low));
  return digits;
}

Hash128 hashOf(std::initializer_list<std::string_view> parts) {
  std::string joined;
  for (std::string_view part : parts) {
    uint64_t size = part.size();
    joined.append(bytesOf(size)).append(part);
  }
  XXH128_hash_t hash = XXH3_128bits(joined.data(), joined.size());
  return {hash.high64, hash.low64};
}

} // namespace heddle
