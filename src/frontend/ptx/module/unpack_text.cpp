// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/module/unpack_text.h"

#include "frontend/error.h"

#include "llvm/Support/Compression.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

constexpr uint64_t MostBytes = uint64_t(1) << 32;

Error damaged() { return fail("the compressed PTX is damaged"); }

/// An LZ4 block is sequences: a token, literals, and a match of what came before:
///
///     token   4 bits literals, 4 bits match - 4; 15 goes on in bytes, the last of which is not 255
///     match   its distance in 2 bytes; the last sequence has none
class Lz4 {
public:
  Lz4(ArrayRef<uint8_t> packed, uint64_t size) : in_(packed), size_(size) {}

  bool run(std::string &text) {
    while (text.size() < size_) {
      uint8_t token = 0;
      uint64_t literals, match;
      if (!take(token) || !length(token >> 4, literals) || literals > in_.size() ||
          literals > size_ - text.size())
        return false;
      text.append(reinterpret_cast<const char *>(in_.data()), literals);
      in_ = in_.drop_front(literals);
      if (text.size() == size_)
        return true;
      uint8_t low = 0, high = 0;
      if (!take(low) || !take(high) || !length(token & 15, match))
        return false;
      const size_t distance = low | high << 8;
      match += 4;
      if (distance == 0 || distance > text.size() || match > size_ - text.size())
        return false;
      for (; match; --match) // which may overlap with what it gives
        text.push_back(text[text.size() - distance]);
    }
    return true;
  }

private:
  bool take(uint8_t &byte) {
    if (in_.empty())
      return false;
    byte = in_.front();
    in_ = in_.drop_front();
    return true;
  }
  bool length(unsigned start, uint64_t &length) {
    length = start;
    for (uint8_t byte = 255; start == 15 && byte == 255; length += byte)
      if (!take(byte))
        return false;
    return true;
  }

  ArrayRef<uint8_t> in_;
  const uint64_t size_;
};

} // namespace

Expected<std::string> unpackLz4(ArrayRef<uint8_t> packed, uint64_t size) {
  std::string text;
  if (size > MostBytes || size / 256 > packed.size() || !Lz4(packed, size).run(text))
    return damaged();
  return text;
}

Expected<std::string> unpackZstd(ArrayRef<uint8_t> packed, uint64_t size) {
  if (!compression::zstd::isAvailable())
    return fail("the PTX is compressed with zstd, which this LLVM has not");
  // The most that can be of it are blocks of 128 KiB of one byte, which take 4.
  if (size > MostBytes || size / (32 << 10) > packed.size())
    return damaged();
  std::string text(size, '\0');
  size_t found = size;
  if (Error error =
          compression::zstd::decompress(packed, reinterpret_cast<uint8_t *>(text.data()), found)) {
    consumeError(std::move(error));
    return damaged();
  }
  text.resize(found);
  return text;
}

} // namespace heddle::frontend::ptx
