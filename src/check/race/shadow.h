// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of each word of memory: up to three accesses that later ones must be ordered behind.
// A record is the number of a Happening and a thread of its block, in 32 bits: three bytes of
// shadow for each byte. Record 0 mostly is the last write; 1 and 2 are readers, of different
// threads.
#pragma once

#include "base/abi/check_abi.h"

#include <atomic>
#include <cstddef>
#include <vector>

namespace heddle::check {

/// Whether the last write of a Happening has come to memory, before which it is told of.
enum Stored : uint8_t { NotStored, IsStored, StoredIsUnknown };

bool isStrongVolatile(const AccessSite &);
/// Two such accesses do not race: atomic, or volatile.
inline bool isStrong(const AccessSite &site) {
  return site.order & OrderStrong &&
         (!site.isVolatile || site.kind == AccessKind::Atomic || isStrongVolatile(site));
}

/// Who accesses a word: the thread of the record; lanes of its warp, all of them; or, of bytes or
/// halves, the thread and those behind it a part each, from the first part that is accessed on.
enum class Lay : uint8_t { One, Same, Bytes, Halves };

/// An access in the source, made by threads of one block at one of its times.
struct Happening {
  const AccessSite *site;
  uint32_t launch; ///< its number
  uint32_t block;  ///< its number in the grid
  uint32_t time;
  uint32_t value; ///< that all have stored in a word, if isOneValue
  uint32_t lanes; ///< Lay::Same
  uint16_t phase; ///< barriers of the grid so far
  uint8_t bytes;  ///< of a word that it accesses: a bit each
  Lay lay;
  uint8_t isOneValue;          ///< other workers read it while it becomes false
  uint8_t stored;              ///< Stored; other workers read and write it
  uintptr_t low = 0, high = 0; ///< between which the last write goes
};

using Record = uint32_t; ///< 0: none
inline constexpr unsigned ThreadBits = 10, HappeningBits = 32 - ThreadBits;
inline constexpr uint32_t MostHappenings = 1u << HappeningBits;
constexpr uint32_t happeningOf(Record record) { return record >> ThreadBits; }
constexpr uint32_t threadOf(Record record) { return record & ((1u << ThreadBits) - 1); }
constexpr Record recordOf(uint32_t happening, uint32_t thread) {
  return happening << ThreadBits | thread;
}

/// Words from one on: their records lie `distance` behind each other.
struct Words {
  Record *first = nullptr; ///< null: nothing is kept of them
  size_t distance = 0;
  size_t count = 0;
  uint32_t *version = nullptr; ///< of the words; null: nobody else uses them
  Record *slot(unsigned i) const { return first + i * distance; }
};

// Records of global memory are read without a lock. Then they are written, unless another worker has
// written there meanwhile: the version of the words says so, which is odd while one writes. Who has
// only read asks the same, so that of two accesses the second always sees the first.

/// Another worker writes: its end is waited for.
uint32_t waitForLook(const Words &);
/// The version of what is read from now on.
inline uint32_t beginLook(const Words &words) {
  uint32_t version = words.version ? __atomic_load_n(words.version, __ATOMIC_ACQUIRE) : 0;
  return version % 2 ? waitForLook(words) : version;
}
/// What was read is still so.
inline bool isSeenAll(const Words &words, uint32_t version) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return !words.version || __atomic_load_n(words.version, __ATOMIC_RELAXED) == version;
}
/// ... and nobody else writes until endChange. False: look again.
inline bool beginChange(const Words &words, uint32_t version) {
  return !words.version || __atomic_compare_exchange_n(words.version, &version, version + 1, false,
                                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
inline void endChange(const Words &words, uint32_t version) {
  if (words.version)
    __atomic_store_n(words.version, version + 2, __ATOMIC_RELEASE);
}

inline Record readRecord(const Record *record) { return __atomic_load_n(record, __ATOMIC_ACQUIRE); }
inline void writeRecord(Record *record, Record value) {
  __atomic_store_n(record, value, __ATOMIC_RELEASE);
}

/// What the numbers of happenings in shared memory say, modulo SharedKinds: accesses of whole words,
/// one by one and not volatile; or others.
enum SharedKind : uint32_t {
  ReadsWords = 0,
  WritesWords = 1,
  ChangesWords = 2, ///< atomic operations
  ReadsOther = 4,
  OtherAccess = 5,
  SharedKinds = 8
};
inline constexpr Record KindMask = (SharedKinds - 1) << ThreadBits;
inline constexpr Record ReadMask = 3u << ThreadBits; ///< no bit: a read

/// Of a block's shared memory.
class SharedShadow {
public:
  /// A block begins, with so many bytes.
  void begin(uint64_t bytes);
  Words at(uint64_t offset) {
    uint64_t word = offset / 4;
    if (word >= words_) // a row that begins inside
      return {nullptr, 0, 1};
    return {records_.data() + word, words_, words_ - word};
  }
  uint32_t add(const Happening &);
  Happening &happening(uint32_t number) {
    return log_[number / SharedKinds - floor_ / SharedKinds];
  }
  /// Those below come before all that follows.
  uint32_t floor() const { return floor_; }
  bool isKnown(uint32_t number) const { return number >= floor_ && number < next_; }
  uint32_t next() const { return next_; }
  void raiseFloor();

private:
  std::vector<Record> records_;
  std::vector<Happening> log_; ///< from the floor on
  uint64_t words_ = 0;
  uint32_t next_ = SharedKinds, floor_ = SharedKinds; ///< multiples of SharedKinds
};

/// Of all memory that the device's allocator has, of the kernels' heap, and of shared memory that
/// blocks of a cluster share. Workers use it at the same time.
class GlobalShadow {
public:
  static GlobalShadow &get() {
    static GlobalShadow &shadow = make();
    return shadow;
  }
  /// From the word at an address up to the end of those that have one version.
  Words at(uintptr_t address, bool isOfCluster = false) {
    if (isOfCluster || isKept(address))
      address |= Besides;
    return wordsIn(pieceAt(address), address);
  }
  /// Where who looks at many addresses has been last.
  struct Near {
    uintptr_t number = ~uintptr_t(0);
    Record *piece = nullptr;
  };
  Words at(uintptr_t address, Near &near) {
    if (isKept(address))
      return at(address);
    if (near.number != address >> PieceBits)
      near = {address >> PieceBits, pieceAt(address)};
    return wordsIn(near.piece, address);
  }
  /// Memory that the allocator does not have is looked at, too.
  void keep(Bounds);
  void drop(const void *base);
  /// 0 if there are too many.
  uint32_t add(const Happening &);
  Happening &happening(uint32_t number) { return log_[number]; }
  uint32_t next() const { return next_.load(std::memory_order_relaxed); }
  bool isScarce() const { return next() > MostHappenings / 4 * 3; }
  /// Nobody uses it: all begins anew.
  void clear();
  /// The content of memory begins anew.
  void forget(uintptr_t address, uint64_t bytes);

private:
  GlobalShadow();
  static GlobalShadow &make();
  static Record untracked; ///< its address stands for a piece of which nothing is kept
  static constexpr unsigned PieceBits = 16, LowBits = 16, HighBits = 16;
  /// Of addresses that the allocator does not have: places of their own in the table.
  static constexpr uintptr_t Besides = uintptr_t(1) << 47;
  static constexpr size_t PieceBytes = size_t(1) << PieceBits, PieceWords = PieceBytes / 4;
  static constexpr unsigned StripeBits = 10, VersionBits = 16;
  static constexpr size_t StripeBytes = size_t(1) << StripeBits;
  using Row = std::atomic<Record *>[size_t(1) << LowBits];
  Record *pieceAt(uintptr_t address);
  Record *knownPieceAt(uintptr_t address) const;
  Record *newPiece(uintptr_t address, std::atomic<Record *> &);
  bool isKept(uintptr_t address) const {
    size_t count = keptCount_.load(std::memory_order_relaxed);
    return count && isKeptIn(address, count);
  }
  bool isKeptIn(uintptr_t address, size_t count) const;
  Words wordsIn(Record *piece, uintptr_t address) {
    constexpr uint64_t Spread = 0x9e3779b97f4a7c15; // neighbours lie in different cache lines
    if (piece == &untracked)
      return {nullptr, 0, (PieceBytes - (address & (PieceBytes - 1)) + 3) / 4};
    size_t word = (address & (PieceBytes - 1)) / 4;
    size_t wordOfStripe = (address & (StripeBytes - 1)) / 4;
    uint64_t version = (address >> StripeBits) * Spread >> (64 - VersionBits);
    return {piece + word, PieceWords, StripeBytes / 4 - wordOfStripe, &versions_[version]};
  }

  std::atomic<Row *> rows_[size_t(1) << HighBits] = {};
  uint32_t versions_[size_t(1) << VersionBits] = {}; ///< of words of a stripe, and of some others
  Happening *log_;
  Record *pieces_;
  size_t mostPieces_;
  static constexpr size_t MostKept = 256;         ///< heaps, registered memory, managed variables
  std::atomic<uintptr_t> kept_[MostKept][2] = {}; ///< ends, and begins
  std::atomic<size_t> keptCount_{0};              ///< those behind are none
  std::atomic<uint32_t> next_{1};
  std::atomic<size_t> pieceCount_{0};
};

} // namespace heddle::check
