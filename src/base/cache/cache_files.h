// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a cache: which folders may hold one, and entries that show when they are damaged.
#pragma once

#include "base/hash.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <unistd.h>

namespace heddle {

/// An open file, closed at the end.
class Descriptor {
public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0)
      close(value_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  explicit operator bool() const { return value_ >= 0; }
  operator int() const { return value_; }
  int release() { return std::exchange(value_, -1); }

private:
  int value_;
};

struct FolderState {
  bool exists = false;
  std::string problem; ///< why nothing in it may be trusted; empty if it may
};

/// Only a folder of this user's that nobody else may write to may hold a cache: what lies in it is
/// run. A symbolic link is none, wherever it leads.
FolderState lookAtFolder(const std::string &path);

/// mkdir -p, for this user alone.
bool makeDirectories(const std::string &path);

/// What an entry has beside its content, at its end.
inline constexpr uint64_t EntryTrailerBytes = 48;

/// Writes an entry that isWhole knows again.
bool writeEntry(int file, const Hash128 &key, std::span<const uint8_t> bytes);
/// Opens an ordinary file for reading; follows no link, and waits for nobody.
int openEntry(const std::string &path);
/// Whether the file holds the entry of this key, each byte as it was written. Reads all of it.
bool isWhole(int file, const Hash128 &key);

/// Writes an entry in root/unfinished and renames it to `path`, so that nobody sees half of it.
/// False if the disk would not have it.
bool writeByRename(const std::string &root, const std::string &path, const Hash128 &key,
                   std::span<const uint8_t> bytes);
/// Removes what killed processes have left in root/unfinished.
void sweepUnfinished(const std::string &root);

} // namespace heddle
