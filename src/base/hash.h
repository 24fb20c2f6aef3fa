// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace heddle {

/// A 128-bit XXH3 hash: names of cache entries.
struct Hash128 {
  uint64_t high = 0;
  uint64_t low = 0;

  auto operator<=>(const Hash128 &) const = default;
  /// 32 hexadecimal digits.
  std::string text() const;
};

/// Hashes a list of parts. {"ab", "c"} and {"a", "bc"} differ.
Hash128 hashOf(std::initializer_list<std::string_view> parts);

/// Hashes bytes.
Hash128 hashOf(std::span<const uint8_t> bytes);
/// The same of the first `size` bytes of a file. False if they cannot be read.
bool hashOfFile(int file, uint64_t size, Hash128 &hash);

/// The bytes of a plain value, to be a part.
template <typename T> std::string_view bytesOf(const T &value) {
  return {reinterpret_cast<const char *>(&value), sizeof(value)};
}

} // namespace heddle
