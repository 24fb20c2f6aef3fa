// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/image/saved_launch.h"

#include <algorithm>
#include <cstring>

namespace heddle {

namespace {

constexpr char Magic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'L', 'A'};
constexpr uint64_t Version = 1;

/// Writes what Reader reads: numbers of eight bytes, and blobs with their length in front.
struct Writer {
  std::vector<uint8_t> bytes;
  void raw(const void *p, size_t n) {
    const auto *from = static_cast<const uint8_t *>(p);
    bytes.insert(bytes.end(), from, from + n);
  }
  void number(uint64_t value) { raw(&value, sizeof value); }
  template <class Bytes> void blob(const Bytes &b) {
    number(b.size());
    raw(b.data(), b.size());
  }
};

struct Reader {
  std::span<const uint8_t> rest;
  bool isGood = true;
  uint64_t number() {
    uint64_t value = 0;
    if (rest.size() < sizeof value)
      return isGood = false, 0;
    std::memcpy(&value, rest.data(), sizeof value);
    rest = rest.subspan(sizeof value);
    return value;
  }
  uint32_t word() { return static_cast<uint32_t>(number()); }
  template <class Bytes> void blob(Bytes &b) {
    const uint64_t size = number();
    if (size > rest.size()) {
      isGood = false;
      return;
    }
    b.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
    rest = rest.subspan(size);
  }
  /// Of a list whose elements have at least eight bytes.
  size_t count() {
    const uint64_t n = number();
    if (n <= rest.size() / sizeof(uint64_t))
      return n;
    isGood = false;
    return 0;
  }
};

const SavedMemory *memoryAt(const SavedLaunch &launch, uint64_t address) {
  const SavedMemory *behind = nullptr;
  for (const SavedMemory &m : launch.memory) {
    if (address - m.address < m.content.size())
      return &m;
    if (address - m.address == m.content.size())
      behind = &m;
  }
  return behind;
}

} // namespace

std::vector<uint8_t> bytesOf(const SavedLaunch &launch) {
  Writer out;
  size_t room = 4096 + launch.code.size();
  for (const SavedMemory &m : launch.memory)
    room += m.content.size() + 64;
  out.bytes.reserve(room);
  out.raw(Magic, sizeof Magic);
  out.number(Version);
  out.blob(launch.kernel);
  out.blob(launch.shown);
  out.number(launch.number);
  for (const auto *three : {launch.grid, launch.block, launch.cluster})
    for (int i = 0; i < 3; ++i)
      out.number(three[i]);
  out.number(launch.sharedBytes);
  out.number(launch.isCooperative);
  out.blob(launch.code);
  out.number(launch.places.size());
  for (const SavedParam &p : launch.places) {
    out.number(p.offset);
    out.number(p.size);
  }
  out.blob(launch.params);
  out.number(launch.memory.size());
  for (const SavedMemory &m : launch.memory) {
    out.number(static_cast<uint64_t>(m.kind));
    out.number(m.address);
    out.blob(m.name);
    out.blob(m.content);
  }
  return std::move(out.bytes);
}

Result<SavedLaunch> parseSavedLaunch(std::span<const uint8_t> bytes) {
  if (bytes.size() < sizeof Magic || std::memcmp(bytes.data(), Magic, sizeof Magic) != 0)
    return Failure{"it is no saved launch"};
  Reader in{bytes.subspan(sizeof Magic)};
  if (in.number() != Version)
    return Failure{"the saved launch is of another version of Heddle"};
  SavedLaunch launch;
  in.blob(launch.kernel);
  in.blob(launch.shown);
  launch.number = in.number();
  for (auto *three : {launch.grid, launch.block, launch.cluster})
    for (int i = 0; i < 3; ++i)
      three[i] = in.word();
  launch.sharedBytes = in.word();
  launch.isCooperative = in.word();
  in.blob(launch.code);
  launch.places.resize(in.count());
  for (SavedParam &p : launch.places)
    p = {in.word(), in.word()};
  in.blob(launch.params);
  launch.memory.resize(in.count());
  for (SavedMemory &m : launch.memory) {
    m.kind = static_cast<SavedKind>(in.word());
    m.address = in.number();
    in.blob(m.name);
    in.blob(m.content);
  }
  const bool fits = std::ranges::all_of(launch.places, [&](const SavedParam &p) {
    return uint64_t(p.offset) + p.size <= launch.params.size();
  });
  if (!in.isGood || !fits || !in.rest.empty())
    return Failure{"the saved launch is damaged"};
  return launch;
}

uint64_t movedWord(const SavedLaunch &launch, const NewPlaces &places, uint64_t word) {
  const SavedMemory *m = memoryAt(launch, word);
  auto place = m ? places.find(m->address) : places.end();
  return place == places.end() ? word : word - m->address + place->second;
}

void moveWords(const SavedLaunch &launch, const NewPlaces &places, std::span<uint8_t> bytes) {
  uint64_t low = UINT64_MAX, high = 0;
  for (const SavedMemory &m : launch.memory) {
    low = std::min(low, m.address);
    high = std::max(high, m.address + m.content.size());
  }
  for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, &bytes[at], sizeof word);
    if (word < low || word > high)
      continue;
    word = movedWord(launch, places, word);
    std::memcpy(&bytes[at], &word, sizeof word);
  }
}

} // namespace heddle
