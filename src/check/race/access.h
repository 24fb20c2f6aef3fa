// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/kernel_abi.h"
#include "check/race/block.h"
#include "check/race/rows.h"

namespace heddle::check {

constexpr uint32_t lanesFrom(uint32_t lane, uint32_t count) {
  return (count >= 32 ? ~0u : (1u << count) - 1) << lane;
}

/// One access of a warp: it is compared with what is recorded of its words, and recorded. The essay
/// is in race.cpp.
class WarpAccess {
public:
  /// `values`: what each lane stores, or null.
  WarpAccess(Block *, uint32_t program, uint32_t lanes, const AccessSite &, uint64_t length,
             const void *values);
  /// Each lane `stride` bytes behind the one before it.
  void run(uint8_t *first, int64_t stride);
  void each(uint8_t *const *pointers);

private:
  /// Threads of one warp.
  struct Threads {
    uint32_t warp, lanes;
  };
  enum class Order : uint8_t { Behind, Apart, AskThread };
  struct Seen {
    uint32_t number = 0; ///< of a happening; addresses of those may change
    Order order;
  };
  /// What is accessed of a word, and by whom.
  struct Part {
    uintptr_t at;
    uint8_t bytes;
    Lay lay;
    uint32_t thread; ///< the record's
    Threads threads;
  };

  void same(uint8_t *address, uint32_t lanes);
  void row(uint8_t *first, uint32_t lane, uint32_t count);
  void wordsOf(uintptr_t at, uintptr_t end, Lay, uint32_t lanes);
  void smallRow(uintptr_t at, uint32_t lane, uint32_t count);
  void rowOfWords(uintptr_t at, size_t words, uint32_t lane, unsigned up, unsigned down);
  bool touchRow(Words, size_t words, RowPattern, uint8_t bytes, Lay);
  bool isRowBehind(const RowFacts &, const Happening &, Order, Lay, bool &isBehind) const;
  RowEnd tryRow(Words, size_t words, RowPattern, uint8_t bytes, Lay);
  unsigned slotOfReadRow(Words, const RowFacts (&)[3], const bool (&)[3]);
  void touchWord(Words, const Part &);
  bool tryWord(Words, const Part &, uint32_t own, Record);
  void fetchRecords();
  /// What a happening in global memory is to all lanes.
  struct Met {
    uint32_t number = 0;
    bool isUsual;                          ///< else the rest is not known
    bool isBehind;                         ///< all of it
    bool isOfThreadBehind, isOfWarpBehind; ///< what the same thread or warp did
    bool isHarmless;                       ///< where it does not come first, too
    bool isTold;                           ///< that it races, if it does
    bool isCovered, isOpenRead;            ///< covers(); isOwnRead(), if the thread is the same
    bool isRead;
    bool isBehindIn(uint32_t its, uint32_t thread, uint32_t warp) const {
      return isBehind || (isOfThreadBehind && its == thread) ||
             (isOfWarpBehind && its / WarpLanes == warp);
    }
  };
  Met meet(uint32_t number) const;
  bool isTold(const Happening &) const;
  const Met &met(Record record) {
    uint32_t number = happeningOf(record);
    Met &met = met_[number % MetNumbers];
    if (met.number != number)
      met = meet(number);
    return met;
  }
  bool touchGlobalWord(uintptr_t at, uint32_t thread);
  RowEnd tryGlobalWord(const Words &, uint32_t thread, Record);
  unsigned slotOfWord(const Record (&)[3], const bool (&isFree)[3], Record);
  bool findSharedWords(uint32_t *word, bool &isRow) const;
  bool touchSharedWords();
  bool keep(Words, uint32_t version, Record, const Record (&)[3], const bool (&)[3], bool isKept);
  unsigned slotToGive(Record first, Record second);

  Words at(uintptr_t at) {
    return isShared_ ? races_.shared.at(at - reinterpret_cast<uintptr_t>(block_.shared))
           : kind_ == Kind::Cluster ? GlobalShadow::get().at(at, true)
                                    : GlobalShadow::get().at(at, near_);
  }
  /// Whether an address is in shared memory of the block that no other block can access; the numbers
  /// are those of one of the two.
  bool findKind(uintptr_t at) {
    if (races_.launch->runsClusters)
      setKind(isOfCluster(at) ? Kind::Cluster : Kind::Global);
    else if (at - reinterpret_cast<uintptr_t>(block_.shared) < block_.launch->sharedBytes)
      setKind(Kind::Shared);
    else
      setKind(Kind::Global);
    return isShared_;
  }
  enum class Kind : uint8_t { Unknown, Global, Shared, Cluster };
  bool isOfCluster(uintptr_t) const;
  void setKind(Kind kind) {
    if (kind == kind_)
      return;
    for (Seen &seen : seen_)
      seen.number = 0;
    kind_ = kind;
    isShared_ = kind == Kind::Shared;
  }
  uint32_t floor() const { return isShared_ ? races_.shared.floor() : races_.launch->floor; }
  Happening &happening(uint32_t number) const {
    return isShared_ ? races_.shared.happening(number) : GlobalShadow::get().happening(number);
  }
  uint32_t number(uint8_t bytes, Lay, uint32_t lanes);
  void findValue();
  void noteValue(Happening &);
  Order orderOf(const Happening &) const;
  Order orderOfFamily(const Happening &) const;
  bool isBeforeBirth(const Happening &, const Threads &) const;
  const Seen &look(uint32_t number) {
    Seen &seen = seen_[number % SeenNumbers];
    if (seen.number != number)
      seen = {number, orderOf(happening(number))};
    return seen;
  }
  static Threads threadsOf(Lay, uint32_t same, uint8_t bytes, uint32_t thread, uint8_t wanted);
  bool isBehind(const Seen &, uint32_t thread, const Part &, uint32_t (&pair)[2]) const;
  bool areBehind(const Seen &, const Threads &its, const Threads &mine, uint32_t (&pair)[2]) const;
  bool isAcquired(const Seen &, const uint32_t (&pair)[2], uintptr_t at) const;
  bool covers(const Happening &, uint8_t bytes) const;
  bool isOwnRead(const Happening &, uint32_t thread, const Part &) const;
  bool isSynced(const Happening &other) const {
    const WarpRaces &warp = races_.warps[warp_];
    return other.time < races_.barrierTime || (!warp.lanes && other.time < warp.base);
  }
  bool conflicts(const Happening &, bool isSameWarp, uint8_t bytes) const;
  bool isSameValue(const Happening &, const uint32_t (&pair)[2], const Part &) const;
  void compareLanes(const Part &);
  bool mayCompare(const Happening &, uintptr_t at, size_t count) const;
  RaceFlaw flawOf(const Happening &, const uint32_t (&pair)[2], const Part &,
                  const AccessSite *&flag) const;
  void report(const Happening &, const uint32_t (&pair)[2], const Part &,
              const AccessSite *lock = nullptr);
  const AccessSite *lockWithoutFence(const Happening &, uint32_t thread, const Part &,
                                     uint32_t (&pair)[2]) const;
  void tieLocks(const Happening &, uint32_t thread, const Part &);
  bool isByLock(const Happening &, uint32_t thread, const Part &, uint32_t (&pair)[2]) const;
  void sync();
  void enter();

  static constexpr unsigned SeenNumbers = 4, MetNumbers = 16;
  Block &block_;
  BlockRaces &races_;
  const AccessSite &site_;
  const bool isRead_, isStrong_, isGuess_; ///< a read that counts as a write (may_write.h)
  uint32_t lanes_, done_ = 0;
  uint64_t length_;
  const uint8_t *values_;
  const uint8_t *exchanged_;            ///< by atomic operations
  uint32_t firstThread_, warp_, shift_; ///< of the program; its first lane's number in the warp
  uint32_t value_ = 0;
  bool isValueKnown_ = false, isOneValue_ = false, isShared_ = false;
  uint32_t noted_[2] = {}; ///< happenings whose values are noted, of global and of shared memory
  Kind kind_ = Kind::Unknown;
  uint8_t *const *pointers_ = nullptr; ///< or
  uint8_t *first_ = nullptr;
  int64_t stride_ = 0;
  Seen seen_[SeenNumbers];
  GlobalShadow::Near near_;
  uint32_t wordNumber_ = 0; ///< number() of whole words of global memory
  Met met_[MetNumbers];

  uintptr_t addressOf(uint32_t lane) const {
    return reinterpret_cast<uintptr_t>(pointers_ ? pointers_[lane] : first_ + stride_ * lane);
  }
};

/// Of shared memory that lanes read at one address: readers of each word are known, and nothing else, so
/// that another tells nothing new.
bool isReadEnough(Block &, uint32_t program, const AccessSite &, const uint8_t *first,
                  uint64_t length);

} // namespace heddle::check
