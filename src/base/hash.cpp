// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <unistd.h>

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

Hash128 hashOf(std::span<const uint8_t> bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

bool hashOfFile(int file, uint64_t size, Hash128 &hash) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  uint8_t buffer[1 << 15]; // of the fastest cache: it is read right after the system has written it
  for (uint64_t at = 0; at < size;) {
    ssize_t count = pread(file, buffer, std::min<uint64_t>(sizeof(buffer), size - at), off_t(at));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    XXH3_128bits_update(&state, buffer, static_cast<size_t>(count));
    at += static_cast<uint64_t>(count);
  }
  XXH128_hash_t digest = XXH3_128bits_digest(&state);
  hash = {digest.high64, digest.low64};
  return true;
}

} // namespace heddle
