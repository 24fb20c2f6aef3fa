// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/cache.h"

#include <algorithm>

namespace heddle::model {

SectorCache::SectorCache(uint64_t bytes, bool fillsLines)
    : sets_(std::max<uint64_t>(1, bytes / LineBytes / Ways)), fillsLines_(fillsLines) {
  if (bytes)
    ways_.resize(sets_ * Ways);
}

/// Sets are chosen by a hash, as in GPUs, so that powers of two do not meet in one of them.
SectorCache::Way *SectorCache::find(uint64_t line) {
  const uint64_t set = (line ^ line / sets_ ^ line / sets_ / sets_) % sets_;
  return &ways_[set * Ways];
}

bool SectorCache::read(uint64_t sector) {
  if (ways_.empty())
    return false;
  const uint64_t line = sector / 4;
  const auto bit = static_cast<uint8_t>(fillsLines_ ? 15 : 1u << sector % 4);
  Way *ways = find(line);
  Way *oldest = ways;
  for (Way *way = ways; way < ways + Ways; ++way) {
    if (way->line == line) {
      const bool isThere = way->sectors & bit;
      way->sectors |= bit;
      way->used = ++clock_;
      return isThere;
    }
    if (way->used < oldest->used)
      oldest = way;
  }
  *oldest = {line, ++clock_, bit};
  return false;
}

void SectorCache::drop(uint64_t sector) {
  if (ways_.empty())
    return;
  const uint64_t line = sector / 4;
  Way *ways = find(line);
  for (Way *way = ways; way < ways + Ways; ++way)
    if (way->line == line)
      way->sectors &= static_cast<uint8_t>(~(1u << sector % 4));
}

FillCache::Found FillCache::use(uint64_t sector, bool isWrite) {
  auto [at, isNew] = entries_.try_emplace(sector, Entry{clock_, isWrite});
  Entry &entry = at->second;
  if (isNew) {
    clock_ += SectorBytes;
    return Found::Never;
  }
  const bool isThere = clock_ - entry.used < bytes_;
  if (!isThere) {
    clock_ += SectorBytes;
    entry.isDirty = false;
  }
  entry.used = clock_;
  const bool becomesDirty = isWrite && !entry.isDirty;
  entry.isDirty |= isWrite;
  return !isThere ? Found::Aged : becomesDirty ? Found::Dirtied : Found::Hit;
}

} // namespace heddle::model
