// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain values and texts in a row, for binaries of programs and entries of the cache.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace heddle::cl {

class Writer {
public:
  std::string bytes;
  template <typename T> void plain(const T &value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  void number(uint32_t value) { plain(value); }
  void text(const std::string &value) {
    plain(uint64_t(value.size()));
    bytes += value;
  }
};

/// Reads what may be damaged: behind the end are zeros.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  uint32_t number() { return plain<uint32_t>(); }
  std::string text() {
    const uint64_t size = plain<uint64_t>();
    if (size > bytes_.size()) {
      isGood_ = false;
      return "";
    }
    std::string value(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return value;
  }
  template <typename T> T plain() {
    T value = {};
    if (bytes_.size() < sizeof(T)) {
      isGood_ = false;
      bytes_ = {};
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    return value;
  }
  bool isGood() const { return isGood_; }

private:
  std::string_view bytes_;
  bool isGood_ = true;
};

} // namespace heddle::cl
