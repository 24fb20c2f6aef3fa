// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of a block's shared memory that lanes access each by itself: mostly all in one go (lanes.cpp).
#include "check/race/access.h"

#include "base/abi/kernel_abi.h"
#include "check/race/lanes.h"
#include "check/settings.h"

#include <cstring>

namespace heddle::check {

/// Numbers of words in the block's shared memory that lanes access from there on. False if a lane goes
/// elsewhere, or to a part of a word. `isRow`: each lane's is the word behind the one before it, that of
/// lanes which are not there, too.
bool WarpAccess::findSharedWords(uint32_t *word, bool &isRow) const {
  auto low = reinterpret_cast<uintptr_t>(block_.shared);
  uint64_t bytes = block_.launch->sharedBytes, width = races_.launch->width;
  if (length_ % 4 || length_ > bytes || races_.launch->runsClusters)
    return false;
  if (!pointers_) {
    auto offset = static_cast<int64_t>(reinterpret_cast<uintptr_t>(first_) - low);
    isRow = stride_ == 4 && length_ == 4 && numberWords(offset, 4, bytes - 4, ~0u, word);
    return isRow || numberWords(offset, stride_, bytes - length_, lanes_, word);
  }
  uint64_t pointers[WarpLanes] = {};
  const void *from = pointers_;
  if (width < WarpLanes)
    from = std::memcpy(pointers, pointers_, width * sizeof(void *));
  return numberWords({static_cast<const uint64_t *>(from), low, bytes - length_, lanes_}, word);
}

/// False: they are not such words, or lanes write the same one.
bool WarpAccess::touchSharedWords() {
  alignas(64) uint32_t word[WarpLanes];
  bool isRow = false;
  if (isStrong_ != (site_.kind == AccessKind::Atomic) || !lanes_ || !findSharedWords(word, isRow))
    return false;
  findKind(reinterpret_cast<uintptr_t>(block_.shared));
  Record first = recordOf(number(0xf, Lay::One, 0), firstThread_);
  const WarpRaces &warp = races_.warps[warp_];
  uint32_t next = races_.shared.next(), base = settings().lockstep ? next : warp.baseOfShared;
  if (base > next) // numbers have begun anew since
    base = 0;
  LaneWords all = {
      races_.shared.at(0), word,    lanes_, isRow, first, races_.shared.floor() << ThreadBits,
      base << ThreadBits,  isGuess_};
  auto touch = isRead_ ? readLanes : site_.kind == AccessKind::Write ? writeLanes : changeLanes;
  for (uint64_t at = 0; at < length_; at += 4, ++all.words.first) {
    uint32_t done = touch(all);
    if (!done && site_.kind == AccessKind::Write)
      return false;
    done_ |= done;
    for (uint32_t rest = lanes_ & ~done; rest; rest &= rest - 1) {
      auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
      touchWord({all.words.slot(0) + word[lane], all.words.distance, 1},
                {addressOf(lane) + at,
                 0xf,
                 Lay::One,
                 firstThread_ + lane,
                 {warp_, 1u << (lane + shift_)}});
      done_ |= 1u << lane;
    }
  }
  return true;
}

/// Whether readers of two warps are known, and nothing else: another one tells nothing new.
static bool isReadEnough(Words words, Record least) {
  Record first = *words.slot(1), second = *words.slot(2);
  auto isRead = [&](Record known) { return known >= least && (known & ReadMask) == 0; };
  return *words.slot(0) < least && isRead(first) && isRead(second) &&
         threadOf(first) / WarpLanes != threadOf(second) / WarpLanes;
}

bool isReadEnough(Block &block, uint32_t program, const AccessSite &site, const uint8_t *first,
                  uint64_t length) {
  auto offset = static_cast<uint64_t>(first - block.shared);
  uint64_t bytes = block.launch->sharedBytes;
  if (site.kind != AccessKind::Read || isStrong(site) || (offset | length) % 4 || offset >= bytes ||
      length > bytes - offset)
    return false;
  BlockRaces &races = BlockRaces::of(&block);
  if (races.launch->runsClusters)
    return false;
  const Record least = races.shared.floor() << ThreadBits;
  for (uint64_t at = 0; at < length; at += 4)
    if (!isReadEnough(races.shared.at(offset + at), least))
      return false;
  races.warps[program * races.launch->width / WarpLanes].isDirty = true;
  return true;
}

} // namespace heddle::check
