// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A PNG writer without dependencies. The pixels go into stored (uncompressed) deflate blocks, which
// every reader accepts: RFC 1950 (zlib), RFC 1951 (deflate), and the PNG specification for chunks
// and CRC.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

/// 8-bit red, green, blue; row 0 is the top.
struct Image {
  int width, height;
  std::vector<uint8_t> rgb;
  Image(int width, int height) : width(width), height(height), rgb(size_t(width) * height * 3) {}
  uint8_t *pixel(int x, int y) { return &rgb[(size_t(y) * width + x) * 3]; }
};

namespace png {

using Bytes = std::vector<uint8_t>;

inline void appendBigEndian(Bytes &out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(uint8_t(value >> shift));
}

/// CRC-32 with the reflected polynomial 0xEDB88320, as PNG and zlib use it.
inline uint32_t crc32(const uint8_t *data, size_t size) {
  static const std::vector<uint32_t> table = [] {
    std::vector<uint32_t> entries(256);
    for (uint32_t n = 0; n < 256; ++n) {
      uint32_t c = n;
      for (int bit = 0; bit < 8; ++bit)
        c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
      entries[n] = c;
    }
    return entries;
  }();
  uint32_t crc = 0xFFFFFFFFu;
  for (size_t i = 0; i < size; ++i)
    crc = table[(crc ^ data[i]) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

inline uint32_t adler32(const Bytes &data) {
  uint32_t a = 1, b = 0;
  for (uint8_t byte : data) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

/// length, type, data, CRC of type and data
inline void appendChunk(Bytes &out, const char *type, const Bytes &data) {
  appendBigEndian(out, uint32_t(data.size()));
  size_t start = out.size();
  out.insert(out.end(), type, type + 4);
  out.insert(out.end(), data.begin(), data.end());
  appendBigEndian(out, crc32(&out[start], out.size() - start));
}

/// A zlib stream of stored blocks of at most 65535 bytes.
inline Bytes store(const Bytes &raw) {
  Bytes out = {0x78, 0x01};
  size_t at = 0;
  do {
    size_t size = raw.size() - at < 65535 ? raw.size() - at : 65535;
    bool last = at + size == raw.size();
    out.push_back(last);
    for (uint32_t word : {uint32_t(size), ~uint32_t(size)}) {
      out.push_back(uint8_t(word));
      out.push_back(uint8_t(word >> 8));
    }
    out.insert(out.end(), raw.begin() + at, raw.begin() + at + size);
    at += size;
  } while (at < raw.size());
  appendBigEndian(out, adler32(raw));
  return out;
}

inline Bytes encode(const Image &image) {
  Bytes rows; // each row starts with its filter, 0: none
  for (int y = 0; y < image.height; ++y) {
    rows.push_back(0);
    auto first = image.rgb.begin() + size_t(y) * image.width * 3;
    rows.insert(rows.end(), first, first + size_t(image.width) * 3);
  }
  Bytes header;
  appendBigEndian(header, uint32_t(image.width));
  appendBigEndian(header, uint32_t(image.height));
  header.insert(header.end(), {8, 2, 0, 0, 0}); // 8 bits, RGB, deflate, filters, not interlaced
  Bytes out = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  appendChunk(out, "IHDR", header);
  appendChunk(out, "IDAT", store(rows));
  appendChunk(out, "IEND", {});
  return out;
}

} // namespace png

/// Writes the image; false if the file cannot be written.
inline bool writePng(const std::string &path, const Image &image) {
  png::Bytes bytes = png::encode(image);
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return false;
  bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && written;
}
