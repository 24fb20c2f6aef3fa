// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX that programs load. A fatbinary is a head of 16 bytes and entries, each a head and a payload:
//
//   head   0 u32 magic, 4 u16 version, 6 u16 bytes of the head, 8 u64 bytes of the entries
//   entry  0 u16 kind (1 is PTX), 4 u32 bytes of its head, 8 u64 bytes of the payload,
//          16 u32 bytes of the payload that count if it is compressed, 28 u32 architecture,
//          40 u64 flags (0x2000 LZ4, 0x8000 zstd, 0x100000 for sm_90a and the like, 0x200000 for
//          sm_100f), 56 u64 bytes before compression
//
// A wrapper of one, which host code has, is
//
//          0 u32 magic, 4 u32 version, 8 the fatbinary, 16 of version 2: relocatable fatbinaries, the
//          last of which is null. The fatbinary itself holds machine code of all of them then.
#include "base/image/fat_binary.h"

#include "base/machine/mapped.h"

#include <cstring>

namespace heddle {

namespace {

constexpr std::string_view FatMagic = "\x50\xed\x55\xba", WrapperMagic = "\xb1\x43\x62\x46";
constexpr size_t FatHead = 16, MostFatHead = 64, EntryHead = 64;

bool beginsWith(const void *code, std::string_view start) {
  return std::strncmp(static_cast<const char *>(code), start.data(), start.size()) == 0;
}

template <typename T> T fieldAt(std::string_view bytes, size_t offset) {
  T field;
  std::memcpy(&field, bytes.data() + offset, sizeof field);
  return field;
}

/// Of an entry, whose sizes are right.
std::string_view payloadOf(std::string_view entry) {
  std::string_view all = entry.substr(fieldAt<uint32_t>(entry, 4), fieldAt<uint64_t>(entry, 8));
  const auto packed = fieldAt<uint32_t>(entry, 16);
  return packed ? all.substr(0, packed) : all;
}

} // namespace

bool isPtx(const void *code) {
  const char *text = static_cast<const char *>(code);
  text += std::strspn(text, " \t\r\n");
  return beginsWith(text, ".version") || beginsWith(text, "//") || beginsWith(text, "/*");
}

bool isFatBinary(const void *code) { return beginsWith(code, FatMagic); }

bool isWrapper(const void *code) { return beginsWith(code, WrapperMagic); }

std::vector<const void *> fatBinariesOf(const void *wrapper, bool &areLinked) {
  constexpr size_t Bytes = 24, Most = 1 << 16;
  const auto isThere = [](const void *p, size_t bytes) {
    return isMapped(reinterpret_cast<uintptr_t>(p), bytes);
  };
  if (!isThere(wrapper, Bytes))
    return {};
  const std::string_view fields(static_cast<const char *>(wrapper), Bytes);
  const auto *list = fieldAt<const void *const *>(fields, 16);
  areLinked = fieldAt<uint32_t>(fields, 4) == 2 && list;
  if (!areLinked)
    return {fieldAt<const void *>(fields, 8)};
  std::vector<const void *> found;
  for (; found.size() < Most && isThere(list, sizeof *list) && *list; ++list)
    found.push_back(*list);
  return found;
}

std::vector<PtxText> ptxOf(const void *fatBinary) {
  const auto *start = static_cast<const char *>(fatBinary);
  if (!isMapped(reinterpret_cast<uintptr_t>(start), FatHead))
    return {};
  const auto head = fieldAt<uint16_t>({start, FatHead}, 6);
  const auto size = fieldAt<uint64_t>({start, FatHead}, 8);
  if (head < FatHead || head > MostFatHead || size > UINT32_MAX ||
      !isMapped(reinterpret_cast<uintptr_t>(start), head + size))
    return {};
  std::vector<PtxText> texts;
  std::string_view rest(start + head, size);
  while (rest.size() >= EntryHead) {
    const auto entryHead = fieldAt<uint32_t>(rest, 4);
    const auto payload = fieldAt<uint64_t>(rest, 8);
    if (entryHead < EntryHead || entryHead > rest.size() || payload > rest.size() - entryHead)
      return {};
    if (fieldAt<uint16_t>(rest, 0) == 1)
      texts.push_back({payloadOf(rest), fieldAt<uint32_t>(rest, 28), fieldAt<uint64_t>(rest, 40),
                       fieldAt<uint64_t>(rest, 56)});
    rest.remove_prefix(entryHead + payload);
  }
  return texts;
}

std::vector<std::vector<PtxText>> fatBinariesIn(std::string_view file) {
  constexpr std::string_view Head("\x50\xed\x55\xba\1\0\x10\0", 8); // magic, version, FatHead
  std::vector<std::vector<PtxText>> all;
  for (size_t at = file.find(Head); at != file.npos; at = file.find(Head, at + 1)) {
    if (file.size() - at < FatHead)
      break;
    if (fieldAt<uint64_t>(file.substr(at), 8) <= file.size() - at - FatHead)
      all.push_back(ptxOf(file.data() + at));
  }
  return all;
}

const PtxText *chooseText(std::span<const PtxText> texts, unsigned capability) {
  const PtxText *best = nullptr;
  for (const PtxText &text : texts)
    if (text.isFor(capability) && (!best || text.capability > best->capability))
      best = &text;
  return best;
}

} // namespace heddle
