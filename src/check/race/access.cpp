// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One access of a warp. Lanes with one address are looked at together, and so are lanes behind each
// other if the records of their words say the same (touchRow). Everything else goes word by word
// (touchWord).
//
// Records of global memory are written without a lock. Of two workers at one word each writes its
// record, and then looks again whether the other has come (lookAgain): one of them sees the other,
// so that no race depends on who was first.
#include "check/race/access.h"

#include "base/abi/kernel_abi.h"
#include "check/settings.h"
#include "device/cpu/futex.h"

#include <cstring>

namespace heddle::check {

namespace {

uint32_t lanesFrom(uint32_t lane, uint32_t count) {
  return (count >= 32 ? ~0u : (1u << count) - 1) << lane;
}

} // namespace

WarpAccess::WarpAccess(Block *block, uint32_t program, uint32_t lanes, const AccessSite &site,
                       uint64_t length, const void *values)
    : block_(*block), races_(BlockRaces::of(block)), site_(site),
      isRead_(site.kind == AccessKind::Read), isStrong_(site.order & OrderStrong), lanes_(lanes),
      length_(length), values_(static_cast<const uint8_t *>(values)),
      firstThread_(program * races_.launch->width), warp_(firstThread_ / WarpLanes),
      shift_(firstThread_ % WarpLanes) {
  races_.warps[warp_].isDirty = true;
  if (values_ && lanes_)
    findValue();
}

void WarpAccess::run(uint8_t *first, int64_t stride) {
  first_ = first;
  stride_ = stride;
  if (stride == 0) {
    same(first, lanes_);
  } else {
    bool isRow = static_cast<uint64_t>(stride) == length_;
    for (uint32_t rest = lanes_; rest;) {
      auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
      uint32_t count = 1;
      if (isRow)
        count = static_cast<uint32_t>(__builtin_ctzll(~(uint64_t(rest) >> lane)));
      row(first + stride * lane, lane, count);
      done_ |= lanesFrom(lane, count);
      rest &= ~lanesFrom(lane, count);
    }
  }
  lookAgain();
  sync();
}

void WarpAccess::each(uint8_t *const *pointers) {
  pointers_ = pointers;
  for (uint32_t rest = lanes_; rest;) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    uint8_t *at = pointers[lane];
    uint32_t end = lane + 1;
    auto isNext = [&](uint64_t distance) {
      return end < WarpLanes && rest >> end & 1 && pointers[end] == at + distance * (end - lane);
    };
    if (isNext(0)) {
      while (isNext(0))
        ++end;
      same(at, lanesFrom(lane, end - lane));
    } else {
      while (isNext(length_))
        ++end;
      row(at, lane, end - lane);
    }
    done_ |= lanesFrom(lane, end - lane);
    rest &= ~lanesFrom(lane, end - lane);
  }
  lookAgain();
  sync();
}

/// What is released at atomic objects and flags.
void WarpAccess::sync() {
  if (!isStrong_)
    return;
  for (uint32_t rest = lanes_; rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    races_.syncAt(addressOf(lane), site_, warp_, lane + shift_);
  }
  if (site_.order & OrderRelease)
    ++races_.time;
}

// ---------------------------------------------------------------------------------------------------
// Words.

/// Whether an address is in the block's shared memory; the numbers are those of one of the two.
bool WarpAccess::findKind(uintptr_t at) {
  setKind(at - reinterpret_cast<uintptr_t>(block_.shared) < block_.launch->sharedBytes);
  return isShared_;
}

void WarpAccess::setKind(bool isShared) {
  if (isShared != isShared_ || !isKnownKind_) {
    for (Seen &seen : seen_)
      seen.number = 0;
    for (auto *known : {&given_, &passed_})
      (*known)[0] = (*known)[1] = 0;
  }
  isKnownKind_ = true;
  isShared_ = isShared;
}

Words WarpAccess::at(uintptr_t at) {
  return isShared_ ? races_.shared.at(at - reinterpret_cast<uintptr_t>(block_.shared))
                   : GlobalShadow::get().at(at);
}

/// Lanes of the program with one address.
void WarpAccess::same(uint8_t *address, uint32_t lanes) {
  auto at = reinterpret_cast<uintptr_t>(address);
  findKind(at);
  bool isOne = (lanes & (lanes - 1)) == 0;
  wordsOf(at, at + length_, isOne ? Lay::One : Lay::Same, lanes << shift_);
}

void WarpAccess::wordsOf(uintptr_t at, uintptr_t end, Lay lay, uint32_t lanes) {
  uint32_t thread = warp_ * WarpLanes;
  if (lay == Lay::One)
    thread += static_cast<uint32_t>(__builtin_ctz(lanes));
  while (at < end) {
    Words words = this->at(at);
    for (size_t i = 0; at < end && i < words.count; ++i) {
      uintptr_t next = (at & ~uintptr_t(3)) + 4;
      unsigned from = at & 3, to = end < next ? 4 - unsigned(next - end) : 4;
      auto bytes = static_cast<uint8_t>((0xf << from) & (0xf >> (4 - to)));
      if (words.first)
        touchWord({words.first + i, words.distance, 1}, {at, bytes, lay, thread, {warp_, lanes}});
      at = next;
    }
  }
}

/// `count` lanes from `lane` on, the first one's at an address, each `length_` behind the other.
void WarpAccess::row(uint8_t *first, uint32_t lane, uint32_t count) {
  auto at = reinterpret_cast<uintptr_t>(first);
  bool isPart = length_ == 1 || (length_ == 2 && at % 2 == 0);
  bool isWhole = (length_ == 4 || length_ == 8 || length_ == 16) && at % 4 == 0;
  findKind(at);
  if (count > 1 && isPart)
    return smallRow(at, lane, count);
  if (count > 1 && isWhole)
    return rowOfWords(at, count * length_ / 4, lane, 0,
                      static_cast<unsigned>(__builtin_ctzll(length_ / 4)));
  bool isShort = isShared_ && isWhole && length_ == 4 && !isStrong_;
  for (uint32_t i = 0; i < count; ++i, at += length_)
    if (!isShort || !touchSharedWord(at, firstThread_ + lane + i))
      wordsOf(at, at + length_, Lay::One, 1u << (lane + i + shift_));
}

/// Of words from an address on, in rows. Word w is the lane's w << up >> down.
void WarpAccess::rowOfWords(uintptr_t at, size_t words, uint32_t lane, unsigned up, unsigned down) {
  Lay lay = up == 0 ? Lay::One : up == 1 ? Lay::Halves : Lay::Bytes;
  uint32_t thread = firstThread_ + lane;
  for (size_t done = 0; done < words;) {
    Words here = this->at(at + done * 4);
    size_t count = std::min(words - done, here.count);
    RowPattern pattern = {0, up, down};
    uint32_t first = thread + static_cast<uint32_t>(done << up >> down);
    bool isEven = (done & ((size_t(1) << down) - 1)) == 0;
    if (here.first) {
      pattern.first = recordOf(number(0xf, lay, 0), first);
      if (!isEven || !touchRow(here, count, pattern, 0xf, lay))
        for (size_t w = 0; w < count; ++w) {
          uint32_t own = thread + static_cast<uint32_t>((done + w) << up >> down);
          touchWord(
              {here.first + w, here.distance, 1},
              {at + (done + w) * 4, 0xf, lay, own, {warp_, lanesFrom(own % WarpLanes, 1u << up)}});
        }
    }
    done += count;
  }
}

/// Of bytes or halves: the words that are whole are a row.
void WarpAccess::smallRow(uintptr_t at, uint32_t lane, uint32_t count) {
  uintptr_t end = at + count * length_;
  unsigned up = length_ == 1 ? 2 : 1;
  auto piece = [&](uintptr_t from, uintptr_t to) {
    uint32_t first = lane + static_cast<uint32_t>((from - at) / length_);
    auto parts = static_cast<uint32_t>((to - from) / length_);
    auto bytes = static_cast<uint8_t>(lanesFrom(from & 3, static_cast<uint32_t>(to - from)));
    Words words = this->at(from);
    if (words.first)
      touchWord({words.first, words.distance, 1}, {from,
                                                   bytes,
                                                   up == 1 ? Lay::Halves : Lay::Bytes,
                                                   firstThread_ + first,
                                                   {warp_, lanesFrom(first + shift_, parts)}});
  };
  uintptr_t whole = (at + 3) & ~uintptr_t(3), rest = end & ~uintptr_t(3);
  if (whole > rest)
    return piece(at, end); // within one word
  if (at < whole)
    piece(at, whole);
  if (whole < rest)
    rowOfWords(whole, (rest - whole) / 4, lane + static_cast<uint32_t>((whole - at) / length_), up,
               0);
  if (rest < end)
    piece(rest, end);
}

// ---------------------------------------------------------------------------------------------------
// Happenings.

Happening &WarpAccess::happening(uint32_t number) const {
  return isShared_ ? races_.shared.happening(number) : GlobalShadow::get().happening(number);
}

/// Of this access. Where numbers become scarce, accesses of a site count as made when the block
/// first came to it.
uint32_t WarpAccess::number(uint8_t bytes, Lay lay, uint32_t lanes) {
  auto hash = reinterpret_cast<uintptr_t>(&site_) / 32 + bytes + lanes;
  BlockRaces::Recent &recent =
      (isShared_ ? races_.recentShared : races_.recentGlobal)[hash % BlockRaces::RecentSites];
  bool isSame =
      recent.site == &site_ && recent.bytes == bytes && recent.lay == lay && recent.lanes == lanes;
  bool isRecent = isSame && recent.time == races_.time && recent.phase == races_.gridPhase &&
                  (!isShared_ || races_.shared.isKnown(recent.number));
  if (!isRecent && isSame && !isShared_ && GlobalShadow::get().isScarce())
    isRecent = true;
  if (!isRecent) {
    Happening happening = {&site_,  races_.launchNumber, races_.number, races_.time, value_,
                           lanes,   races_.gridPhase,    bytes,         lay,         isOneValue_,
                           IsStored};
    recent = {&site_,
              races_.time,
              isShared_ ? races_.shared.add(happening) : GlobalShadow::get().add(happening),
              lanes,
              races_.gridPhase,
              bytes,
              lay};
  }
  if (values_ && recent.number)
    noteValue(happening(recent.number));
  return recent.number;
}

/// If all lanes store one value, in a word.
void WarpAccess::findValue() {
  uint64_t first = 0, each = 0;
  std::memcpy(&first, values_ + __builtin_ctz(lanes_) * length_, length_);
  for (uint32_t rest = lanes_ & (lanes_ - 1); rest; rest &= rest - 1) {
    std::memcpy(&each, values_ + __builtin_ctz(rest) * length_, length_);
    if (each != first)
      return;
  }
  value_ = static_cast<uint32_t>(first);
  isOneValue_ = length_ <= 4 || value_ == first >> 32;
}

void WarpAccess::noteValue(Happening &own) {
  if (own.isOneValue && !(isOneValue_ && own.value == value_))
    __atomic_store_n(&own.isOneValue, uint8_t(0), __ATOMIC_RELEASE);
  if (!isShared_)
    races_.storesTo(own);
}

WarpAccess::Order WarpAccess::orderOf(const Happening &other) const {
  if (other.launch != races_.launchNumber)
    return isOrdered(*races_.launch, other.launch) ? Order::Behind : Order::Apart;
  if (other.phase < races_.gridPhase)
    return Order::Behind;
  if (other.block != races_.number)
    return races_.hasClocks ? Order::AskThread : Order::Apart;
  return other.time < races_.barrierTime ? Order::Behind : Order::AskThread;
}

const WarpAccess::Seen &WarpAccess::look(uint32_t number) {
  Seen &seen = seen_[number % SeenNumbers];
  if (seen.number != number)
    seen = {number, orderOf(happening(number))};
  return seen;
}

/// Those who have accessed one of `wanted` bytes of a word.
WarpAccess::Threads WarpAccess::threadsOf(Lay lay, uint32_t same, uint8_t bytes, uint32_t thread,
                                          uint8_t wanted) {
  uint32_t warp = thread / WarpLanes, lane = thread % WarpLanes;
  if (lay == Lay::One)
    return {warp, 1u << lane};
  if (lay == Lay::Same)
    return {warp, same};
  unsigned width = lay == Lay::Bytes ? 1 : 2;
  auto first = static_cast<unsigned>(__builtin_ctz(bytes)) / width;
  uint32_t lanes = 0;
  for (unsigned byte = 0; byte < 4; ++byte)
    if (bytes & wanted & (1u << byte))
      lanes |= 1u << ((lane + byte / width - first) % WarpLanes);
  return {warp, lanes};
}

/// All that the record's threads did is known to all of the part's, but for what each did itself. If
/// not, `pair` is one of the part's and one of them.
bool WarpAccess::isBehind(const Seen &seen, uint32_t thread, const Part &part,
                          uint32_t (&pair)[2]) const {
  const Happening &other = happening(seen.number);
  if (other.lay < Lay::Bytes && part.lay < Lay::Bytes)
    return areBehind(seen, threadsOf(other.lay, other.lanes, other.bytes, thread, part.bytes),
                     part.threads, pair);
  for (unsigned byte = 0; byte < 4; ++byte) {
    auto bit = static_cast<uint8_t>(1u << byte);
    if (!(other.bytes & part.bytes & bit))
      continue;
    Threads its = threadsOf(other.lay, other.lanes, other.bytes, thread, bit);
    Threads mine = threadsOf(part.lay, part.threads.lanes, part.bytes, part.thread, bit);
    if (!areBehind(seen, its, mine, pair))
      return false;
  }
  return true;
}

bool WarpAccess::areBehind(const Seen &seen, const Threads &its, const Threads &mine,
                           uint32_t (&pair)[2]) const {
  const Happening &other = happening(seen.number);
  bool isSameBlock = other.launch == races_.launchNumber && other.block == races_.number;
  bool isSameWarp = isSameBlock && its.warp == mine.warp;
  auto lowest = [](uint32_t lanes) { return static_cast<uint32_t>(__builtin_ctz(lanes)); };
  pair[0] = mine.warp * WarpLanes + lowest(mine.lanes);
  pair[1] = its.warp * WarpLanes + lowest(its.lanes);
  if (seen.order != Order::AskThread)
    return seen.order == Order::Behind;
  if (isSameWarp && settings().lockstep)
    return true;
  if (!isSameWarp && !races_.hasClocks)
    return false;
  if (isSameWarp && !races_.warps[warp_].lanes && other.time < races_.warps[warp_].base)
    return true;
  for (uint32_t some = mine.lanes; some; some &= some - 1)
    for (uint32_t others = its.lanes; others; others &= others - 1) {
      uint32_t i = mine.warp * WarpLanes + lowest(some), j = its.warp * WarpLanes + lowest(others);
      if (isSameWarp && i == j)
        continue;
      bool isKnown = isSameBlock ? races_.knows(i, j, other.time)
                                 : races_.knowsOfBlock(i, other.block, j, other.time);
      if (!isKnown) {
        pair[0] = i;
        pair[1] = j;
        return false;
      }
    }
  return true;
}

/// Whatever races with the other one races with this.
bool WarpAccess::covers(const Happening &other, uint8_t bytes) const {
  if (other.bytes & ~bytes)
    return false;
  if (isStrong_ && !(other.site->order & OrderStrong))
    return false;
  return !isRead_ || other.site->kind == AccessKind::Read;
}

bool WarpAccess::conflicts(const Happening &other, bool isSameWarp, uint8_t bytes) const {
  const AccessSite &site = *other.site;
  if (!(other.bytes & bytes) || (isRead_ && site.kind == AccessKind::Read))
    return false;
  if (!isStrong_ || !(site.order & OrderStrong))
    return true;
  if (other.launch != races_.launchNumber || other.block != races_.number)
    return site_.scope == AccessScope::Block || site.scope == AccessScope::Block;
  return site.isVolatile && site_.isVolatile && site.kind != AccessKind::Atomic &&
         site_.kind != AccessKind::Atomic && site.kind != site_.kind &&
         !((site.order | site_.order) & OrderPolled) && isSameWarp;
}

// ---------------------------------------------------------------------------------------------------
// A row: all at once, or not at all (false).

/// Whether the order of a row's records is known, and what it is.
bool WarpAccess::isRowBehind(const RowFacts &facts, const Happening &other, Order order, Lay lay,
                             bool &isBehind) const {
  isBehind = order == Order::Behind;
  if (order != Order::AskThread)
    return true;
  if (other.block != races_.number || other.lay == Lay::Same || races_.hasClocks)
    return false;
  const WarpRaces &warp = races_.warps[warp_];
  isBehind = facts.isOfThreads && other.lay == lay;
  if (isBehind || !facts.hasOwnWarp)
    return true;
  isBehind = !warp.lanes && other.time < warp.base;
  return isBehind && !facts.hasOtherWarp;
}

bool WarpAccess::touchRow(Words words, size_t count, RowPattern pattern, uint8_t bytes, Lay lay) {
  if (isStrong_ || !happeningOf(pattern.first))
    return false;
  RowFacts facts[3];
  bool isFree[3];
  for (unsigned i = 0; i < 3; ++i) {
    facts[i] = lookAtRow(words.slot(i), count, pattern, floor());
    isFree[i] = facts[i].highest == 0 || facts[i].isOwn;
    if (isFree[i])
      continue;
    if (facts[i].lowest != facts[i].highest)
      return false;
    const Seen &seen = look(facts[i].lowest);
    const Happening &other = happening(seen.number);
    bool isBehind;
    bool mayRace = !(isRead_ && other.site->kind == AccessKind::Read);
    if (!isRowBehind(facts[i], other, seen.order, lay, isBehind)) {
      if (mayRace)
        return false;
      isBehind = false;
    }
    if (isBehind)
      isFree[i] = covers(other, bytes);
    else if (mayRace)
      return false;
  }
  if (isRead_)
    return keepReadRow(words, count, pattern, facts, isFree);
  for (unsigned i = 1; i < 3; ++i)
    if (facts[i].highest && isFree[i])
      std::memset(words.slot(i), 0, count * sizeof(Record));
  return facts[0].isOwn || writeAndLook(words, count, pattern, 0);
}

bool WarpAccess::keepReadRow(Words words, size_t count, RowPattern pattern,
                             const RowFacts (&facts)[3], const bool (&isFree)[3]) {
  if (facts[1].isOwn || facts[2].isOwn)
    return true;
  unsigned to = isFree[1] ? 1 : isFree[2] ? 2 : isFree[0] ? 0 : 3;
  if (to == 3)
    to = slotToGive(*words.slot(1), *words.slot(2));
  return to == 3 || writeAndLook(words, count, pattern, to);
}

/// False if another worker has come to the row meanwhile.
bool WarpAccess::writeAndLook(Words words, size_t count, RowPattern pattern, unsigned to) {
  RowFacts before[3];
  bool looksAgain = !isShared_;
  for (unsigned i = 0; looksAgain && i < 3; ++i)
    if (i != to)
      before[i] = lookAtRow(words.slot(i), count, pattern, 0);
  writeRow(words.slot(to), count, pattern);
  if (!looksAgain)
    return true;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (unsigned i = 0; i < 3; ++i) {
    RowFacts now = lookAtRow(words.slot(i), count, pattern, 0);
    bool isStill =
        i == to ? now.isOwn : now.lowest == before[i].lowest && now.highest == before[i].highest;
    if (!isStill)
      return false;
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------
// A word.

void WarpAccess::touchWord(Words words, const Part &part) {
  uint32_t own = number(part.bytes, part.lay, part.lay == Lay::Same ? part.threads.lanes : 0);
  Record record = recordOf(own, part.thread);
  if (part.lay == Lay::Same && site_.kind == AccessKind::Write && !isStrong_ && !isAgain_)
    compareLanes(part);
  Record known[3];
  bool isFree[3], isKept = false;
  for (unsigned i = 0; i < 3; ++i) {
    known[i] = readRecord(words.slot(i));
    uint32_t number = happeningOf(known[i]);
    isKept |= known[i] == record;
    isFree[i] = number < floor() || known[i] == record;
    if (isFree[i])
      continue;
    const Seen seen = look(number);
    const Happening &other = happening(seen.number);
    if (!(other.bytes & part.bytes))
      continue;
    uint32_t pair[2], thread = threadOf(known[i]);
    if (isBehind(seen, thread, part, pair))
      isFree[i] = covers(other, part.bytes);
    else if (conflicts(other, pair[0] / WarpLanes == pair[1] / WarpLanes, part.bytes))
      report(other, pair, part);
  }
  if (own)
    keep(words, part, record, known, isFree, isKept);
}

/// Whether a record can be dropped, or, for a read behind a write, is no race.
bool WarpAccess::mayGive(Record record, uint32_t (&known)[2], bool toRead) {
  uint32_t number = happeningOf(record);
  if (number < floor() || number == known[0])
    return true;
  if (number == known[1])
    return false;
  bool may = look(number).order == Order::Behind && (toRead || covers(happening(number), 0xf));
  known[may ? 0 : 1] = number;
  return may;
}

/// The usual case of a word in shared memory that one lane accesses. False: it is another one.
bool WarpAccess::touchSharedWord(uintptr_t at, uint32_t thread) {
  Words words = this->at(at);
  Record record = recordOf(number(0xf, Lay::One, 0), thread);
  Record *write = words.slot(0), *read = words.slot(1), *other = words.slot(2);
  if (isRead_) {
    if (!mayGive(*write, passed_, true))
      return false;
    if (*read == record || *other == record)
      return true;
    if (!mayGive(*read, given_, false) || !mayGive(*other, given_, false))
      return false;
    *read = record;
    return true;
  }
  if (!mayGive(*write, given_, false) || !mayGive(*read, given_, false) ||
      !mayGive(*other, given_, false))
    return false;
  *write = record;
  *read = *other = 0;
  return true;
}

void WarpAccess::keep(Words words, const Part &part, Record record, const Record (&known)[3],
                      const bool (&isFree)[3], bool isKept) {
  static constexpr uint8_t Writes[] = {0, 1, 2}, Reads[] = {1, 2, 0};
  const uint8_t (&order)[3] = isRead_ ? Reads : Writes;
  unsigned to = 3;
  for (unsigned i : order)
    if (to == 3 && (isKept ? known[i] == record : isFree[i]))
      to = i;
  for (unsigned i = 0; i < 3; ++i)
    if (isFree[i] && i != to && known[i])
      writeRecord(words.slot(i), 0);
  if (to == 3)
    to = isRead_ ? slotToGive(known[1], known[2]) : 0;
  if (to == 3 || known[to] == record)
    return;
  writeRecord(words.slot(to), record);
  if (isShared_ || isAgain_)
    return;
  if (writtenCount_ == written_.size())
    lookAgain();
  Written &written = written_[writtenCount_++];
  written = {words, part, {}};
  for (unsigned i = 0; i < 3; ++i)
    written.known[i] = i == to ? record : isFree[i] ? 0 : known[i];
}

/// Two readers are kept, of different blocks if there are such, those of the lowest numbers; or of
/// different warps. The one that had better give way to this access; or 3.
unsigned WarpAccess::slotToGive(Record first, Record second) {
  const Happening &a = happening(happeningOf(first)), &b = happening(happeningOf(second));
  auto isOf = [&](const Happening &one) {
    return one.launch == races_.launchNumber && one.block == races_.number;
  };
  if (a.launch != b.launch || a.block != b.block) {
    bool isKnown = isOf(a) || isOf(b) || a.launch != b.launch || a.launch != races_.launchNumber;
    uint32_t last = std::max(a.block, b.block);
    return isKnown || last < races_.number ? 3 : a.block == last ? 1 : 2;
  }
  if (!isOf(a))
    return 2;
  uint32_t warpA = threadOf(first) / WarpLanes, warpB = threadOf(second) / WarpLanes;
  return warpA == warpB && warpA != warp_ ? 2 : 3;
}

void WarpAccess::lookAgain() {
  if (writtenCount_ == 0)
    return;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  setKind(false); // other lanes may have come to shared memory
  isAgain_ = true;
  for (unsigned w = 0; w < writtenCount_; ++w) {
    const Written &written = written_[w];
    bool isStill = true;
    for (unsigned i = 0; i < 3; ++i)
      isStill &= readRecord(written.words.slot(i)) == written.known[i];
    if (!isStill)
      touchWord(written.words, written.part);
  }
  writtenCount_ = 0;
  isAgain_ = false;
}

// ---------------------------------------------------------------------------------------------------
// Races.

/// Lanes that write one word in one go.
void WarpAccess::compareLanes(const Part &part) {
  auto laneOf = [&](uint32_t lanes) { return static_cast<uint32_t>(__builtin_ctz(lanes)); };
  uint32_t first = laneOf(part.threads.lanes),
           other = laneOf(part.threads.lanes & (part.threads.lanes - 1));
  bool isSame = values_ != nullptr;
  for (uint32_t rest = part.threads.lanes & (part.threads.lanes - 1); isSame && rest;
       rest &= rest - 1) {
    const uint8_t *a = values_ + (first - shift_) * length_;
    const uint8_t *b = values_ + (laneOf(rest) - shift_) * length_;
    if (std::memcmp(a, b, length_) != 0) {
      isSame = false;
      other = laneOf(rest);
    }
  }
  uint32_t warp = warp_ * WarpLanes;
  RaceSide mine = {&site_, races_.launchNumber, races_.number, warp + first};
  RaceSide its = {&site_, races_.launchNumber, races_.number, warp + other};
  races_.launch->add(mine, its, Relation::Warp, isSame, isShared_, part.at, length_);
}

/// Both write, and the same. `pair`: mine, and the other's thread.
bool WarpAccess::isSameValue(const Happening &other, const uint32_t (&pair)[2],
                             const Part &part) const {
  if (!values_ || other.site->kind != AccessKind::Write || site_.kind != AccessKind::Write)
    return false;
  uint32_t lane = pair[0] - firstThread_;
  uintptr_t address = addressOf(lane), word = part.at & ~uintptr_t(3);
  uintptr_t at = std::max(address, word);
  size_t count = std::min(address + length_, word + 4) - at;
  const void *mine = values_ + lane * length_ + (at - address);
  uint32_t otherLane = pair[1] - firstThread_;
  bool isOfBlock = other.launch == races_.launchNumber && other.block == races_.number;
  if (isOfBlock && other.site == &site_ && otherLane < WarpLanes && done_ >> otherLane & 1) {
    uintptr_t its = addressOf(otherLane); // in this very instruction?
    if (its <= at && at + count <= its + length_)
      return !std::memcmp(mine, values_ + otherLane * length_ + (at - its), count);
  }
  if (other.bytes != part.bytes)
    return false;
  if (__atomic_load_n(&other.isOneValue, __ATOMIC_ACQUIRE))
    return !std::memcmp(mine, &other.value, count);
  auto isInMemory = [&] { return !std::memcmp(mine, reinterpret_cast<const void *>(at), count); };
  return isInMemory() || (!isOfBlock && (!mayCompare(other) || isInMemory()));
}

/// What another block has written is in memory, or comes there now. If its worker does not run, it
/// is not known what that is.
bool WarpAccess::mayCompare(const Happening &other) const {
  constexpr unsigned Tries = 2000;
  auto *stored = const_cast<uint8_t *>(&other.stored);
  for (unsigned i = 0; i < Tries; ++i) {
    uint8_t now = __atomic_load_n(stored, __ATOMIC_ACQUIRE);
    if (now != NotStored)
      return now == IsStored;
    device::cpu::pauseCpu();
  }
  __atomic_store_n(stored, uint8_t(StoredIsUnknown), __ATOMIC_RELAXED);
  return false;
}

void WarpAccess::report(const Happening &other, const uint32_t (&pair)[2], const Part &part) {
  RaceSide mine = {&site_, races_.launchNumber, races_.number, pair[0]};
  RaceSide its = {other.site, other.launch, other.block, pair[1]};
  Relation relation = other.launch != races_.launchNumber          ? Relation::Launches
                      : other.block != races_.number               ? Relation::Grid
                      : pair[0] / WarpLanes != pair[1] / WarpLanes ? Relation::Block
                                                                   : Relation::Warp;
  races_.launch->add(mine, its, relation, isSameValue(other, pair, part), isShared_, part.at,
                     length_);
}

} // namespace heddle::check
