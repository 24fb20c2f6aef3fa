// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No fat binary, however damaged, is more than an error: its entries are found, the text for the device
// is unpacked and read. Nothing is read behind its end, where the process has no memory here.
// (driver/modules/ptx_test.cpp loads some.)
#include "base/image/fat_binary.h"
#include "frontend/ptx/module/read_module.h"
#include "frontend/ptx/module/test_texts.h"
#include "frontend/ptx/module/unpack_text.h"

#include "base/test_inputs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"

namespace {

using namespace heddle;
using namespace heddle::frontend::ptx;

template <typename T> void put(std::string &bytes, size_t offset, T field) {
  std::memcpy(bytes.data() + offset, &field, sizeof field);
}

struct Packed {
  std::string bytes;
  uint64_t flags;
};

/// A block of literals.
Packed lz4Of(std::string_view text) {
  std::string bytes(1, '\xf0');
  size_t rest = text.size() - 15;
  for (; rest >= 255; rest -= 255)
    bytes += '\xff';
  return {bytes + static_cast<char>(rest) + std::string(text), 0x2000};
}

Packed zstdOf(std::string_view text) {
  llvm::SmallVector<uint8_t, 0> frame;
  llvm::compression::zstd::compress(llvm::arrayRefFromStringRef(text), frame);
  return {std::string(frame.begin(), frame.end()), 0x8000};
}

std::string entryOf(const Packed &packed, uint16_t kind, uint32_t capability, size_t size) {
  constexpr size_t EntryHead = 64;
  std::string bytes(EntryHead, '\0'), payload = packed.bytes;
  payload.resize((payload.size() + 7) / 8 * 8);
  put<uint16_t>(bytes, 0, kind);
  put<uint16_t>(bytes, 2, 0x101);
  put<uint32_t>(bytes, 4, EntryHead);
  put<uint64_t>(bytes, 8, payload.size());
  put<uint32_t>(bytes, 16, packed.flags ? uint32_t(packed.bytes.size()) : 0);
  put<uint32_t>(bytes, 28, capability);
  put<uint64_t>(bytes, 40, packed.flags | 1);
  put<uint64_t>(bytes, 56, size);
  return bytes + payload;
}

/// Memory that the bytes are the end of.
class Pages {
public:
  Pages()
      : start_(static_cast<char *>(mmap(nullptr, Bytes + Guard, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    munmap(start_ + Bytes, Guard);
  }
  const char *place(std::string_view bytes) {
    char *place = start_ + Bytes - bytes.size();
    std::memcpy(place, bytes.data(), bytes.size());
    return place;
  }

private:
  static constexpr size_t Bytes = 1 << 16, Guard = 1 << 12;
  char *start_;
};

class FatBinaries {
public:
  FatBinaries() {
    const std::string_view good = Corpus[0];
    const std::string text = std::string(Head) + std::string(good);
    const std::string entries[] = {
        entryOf({text, 0}, 1, 75, text.size()), entryOf(lz4Of(text), 1, 80, text.size()),
        entryOf(zstdOf(text), 1, 90, text.size()), entryOf({std::string(64, 'x'), 0}, 2, 90, 64)};
    for (unsigned which = 1; which < 16; ++which) {
      std::string all(16, '\0');
      for (size_t i = 0; i < std::size(entries); ++i)
        if (which >> i & 1)
          all += entries[i];
      put<uint32_t>(all, 0, 0xBA55ED50);
      put<uint16_t>(all, 4, 1);
      put<uint16_t>(all, 6, 16);
      put<uint64_t>(all, 8, all.size() - 16);
      whole_.push_back(all);
    }
  }

  std::string make(test::Random &random) const {
    std::string bytes = whole_[test::below(random, whole_.size())];
    const size_t headers = random() % 2 ? 80 : bytes.size();
    for (size_t changes = 1 + test::below(random, 4); changes; --changes) {
      const size_t at = test::below(random, headers);
      switch (test::below(random, 5)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
        break;
      case 2:
        std::memmove(&bytes[at], &bytes[test::below(random, bytes.size() - 16)],
                     std::min<size_t>(16, bytes.size() - at));
        break;
      case 3:
        if (at > 80)
          bytes.resize(at);
        break;
      default:
        std::memset(&bytes[at], random() % 2 ? 0 : 255,
                    std::min<size_t>(1 + random() % 8, bytes.size() - at));
      }
      if (bytes.size() < headers)
        break;
    }
    return bytes;
  }

  bool take(const std::string &bytes) {
    const char *code = pages_.place(bytes);
    if (!isFatBinary(code))
      return false;
    const std::vector<PtxText> texts = ptxOf(code);
    const PtxText *text = chooseText(texts, 90);
    return text && read(*text);
  }

private:
  static bool read(const PtxText &text) {
    std::string whole(text.bytes);
    if (text.isLz4() || text.isZstd()) {
      auto packed = llvm::arrayRefFromStringRef(text.bytes);
      auto unpacked = text.isLz4() ? unpackLz4(packed, text.unpackedSize)
                                   : unpackZstd(packed, text.unpackedSize);
      if (!unpacked) {
        llvm::consumeError(unpacked.takeError());
        return false;
      }
      whole = std::move(*unpacked);
    }
    whole.resize(std::min(whole.find('\0'), whole.size()));
    Problems problems(whole);
    readModule(whole, {}, problems);
    return !problems.any();
  }

  std::vector<std::string> whole_;
  Pages pages_;
};

} // namespace

int main(int argc, char **argv) { return test::tryAll<FatBinaries>(argc, argv, 600); }
