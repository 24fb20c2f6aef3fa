// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One access of a warp. Lanes with one address are looked at together, and so are lanes behind each
// other if the records of their words say the same (touchRow). Everything else goes word by word
// (touchWord).
//
// Of two workers at one word the second sees the record of the first (shadow.h), so that no race
// depends on who was first.
#include "check/race/access.h"

#include "base/abi/kernel_abi.h"
#include "check/race/remote.h"

#include <algorithm>
#include <cstring>

namespace heddle::check {

WarpAccess::WarpAccess(Block *block, uint32_t program, uint32_t lanes, const AccessSite &site,
                       uint64_t length, const void *values)
    : block_(*block), races_(BlockRaces::of(block)), site_(site),
      isRead_(site.kind == AccessKind::Read), isStrong_(isStrong(site)),
      isGuess_(site.kind == AccessKind::Write && site.order & OrderMayWrite), lanes_(lanes),
      length_(length),
      values_(site.kind == AccessKind::Atomic ? nullptr : static_cast<const uint8_t *>(values)),
      exchanged_(static_cast<const uint8_t *>(values)),
      firstThread_(program * races_.launch->width), warp_(firstThread_ / WarpLanes),
      shift_(firstThread_ % WarpLanes) {
  races_.warps[warp_].isDirty = true;
  races_.warps[warp_].lastAccess = races_.time;
}

void WarpAccess::run(uint8_t *first, int64_t stride) {
  first_ = first;
  stride_ = stride;
  if (stride == 0) {
    same(first, lanes_);
  } else if (!touchSharedWords()) {
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
  sync();
}

void WarpAccess::each(uint8_t *const *pointers) {
  pointers_ = pointers;
  uint32_t rest = lanes_;
  if (touchSharedWords())
    rest = 0;
  else
    fetchRecords();
  while (rest) {
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
  sync();
}

/// Lanes that go here and there need not wait for memory one after the other.
void WarpAccess::fetchRecords() {
  for (uint32_t rest = lanes_; rest; rest &= rest - 1) {
    uintptr_t address = addressOf(static_cast<uint32_t>(__builtin_ctz(rest)));
    if (findKind(address))
      return;
    Words words = this->at(address);
    for (unsigned i = 0; words.first && i < 3; ++i)
      __builtin_prefetch(words.slot(i));
    __builtin_prefetch(words.version);
  }
}

/// What is released at atomic objects and flags.
void WarpAccess::sync() {
  if (races_.launch->runsClusters && !(site_.order & (OrderAcquire | OrderRelease))) {
    uintptr_t addresses[WarpLanes];
    for (uint32_t lane = 0; lane < races_.launch->width; ++lane)
      addresses[lane] = addressOf(lane);
    noteRemoteUse(block_, races_, firstThread_ / races_.launch->width, lanes_, site_, addresses);
  }
  if (!isStrong_)
    return;
  bool tellsNothing = isShared_ && !races_.hasFences && !races_.hasClocks &&
                      races_.released.empty() && !(site_.order & (OrderRelease | OrderTakes)) &&
                      !races_.warps[warp_].locks;
  if (tellsNothing)
    return;
  if (site_.order & OrderTold)
    enter();
  for (uint32_t rest = lanes_; rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    uint64_t value = 0;
    bool isKnown = exchanged_ && length_ <= sizeof(value);
    if (isKnown)
      std::memcpy(&value, exchanged_ + lane * length_, length_);
    races_.syncAt(addressOf(lane), site_, warp_, lane + shift_, isKnown ? &value : nullptr);
  }
  if (site_.order & OrderRelease)
    ++races_.time;
}

// ---------------------------------------------------------------------------------------------------
// Words.

bool WarpAccess::isOfCluster(uintptr_t at) const {
  auto isIn = [&](const uint8_t *shared) {
    return shared && at - reinterpret_cast<uintptr_t>(shared) < block_.launch->sharedBytes;
  };
  return isIn(block_.shared) ||
         std::any_of(std::begin(block_.clusterShared), std::end(block_.clusterShared), isIn);
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
        touchWord({words.first + i, words.distance, 1, words.version},
                  {at, bytes, lay, thread, {warp_, lanes}});
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
  bool areWords = kind_ == Kind::Global && isWhole;
  uint64_t step = areWords ? 4 : length_;
  for (uint32_t i = 0; i < count; ++i)
    for (uint64_t end = at + length_; at < end; at += step)
      if (!areWords || !touchGlobalWord(at, firstThread_ + lane + i))
        wordsOf(at, at + step, Lay::One, 1u << (lane + i + shift_));
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
          uintptr_t word = at + (done + w) * 4;
          if (up == 0 && kind_ == Kind::Global && touchGlobalWord(word, own))
            continue;
          touchWord({here.first + w, here.distance, 1, here.version},
                    {word, 0xf, lay, own, {warp_, lanesFrom(own % WarpLanes, 1u << up)}});
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
      touchWord({words.first, words.distance, 1, words.version},
                {from,
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

} // namespace heddle::check
