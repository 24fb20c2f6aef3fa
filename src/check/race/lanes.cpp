// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of 32 lanes are one vector, and what is said of lanes is a bit for each. The same functions
// are compiled for AVX-512, which has gathers and masks, and for any machine.
#include "check/race/lanes.h"

#include <algorithm>
#include <cstring>

namespace heddle::check {

namespace {

typedef Record Records __attribute__((ext_vector_type(32)));
typedef int32_t Numbers __attribute__((ext_vector_type(32)));
typedef bool Mask __attribute__((ext_vector_type(32)));
constexpr uint32_t ThreadMask = (1u << ThreadBits) - 1, WarpMask = ThreadMask & ~31u, All = ~0u;
constexpr Numbers Counting = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

// Vectors are handed over by reference: machines differ in how they hand over values.
#define HEDDLE_INLINE [[gnu::always_inline]] inline

HEDDLE_INLINE uint32_t bitsOf(const Numbers &isTrue) {
  return __builtin_bit_cast(uint32_t, __builtin_convertvector(isTrue, Mask));
}
HEDDLE_INLINE Mask maskOf(uint32_t bits) { return __builtin_bit_cast(Mask, bits); }

/// Of an access.
struct Access {
  Numbers word;
  Records mine;
};
HEDDLE_INLINE void begin(Access &access, const LaneWords &lanes) {
  std::memcpy(&access.word, lanes.word, sizeof(access.word));
  access.mine = lanes.first + __builtin_bit_cast(Records, Counting);
}

HEDDLE_INLINE void load(Records &records, const LaneWords &lanes, unsigned slot,
                        const Access &access) {
  const Record *from = lanes.words.slot(slot);
  if (lanes.isRow)
    std::memcpy(&records, from + lanes.word[0], sizeof(records));
  else
    records = __builtin_masked_gather(maskOf(All), access.word, from);
}

/// What lanes write to one word, the last one's stays.
HEDDLE_INLINE void store(const Records &records, const LaneWords &lanes, unsigned slot,
                         const Access &access, uint32_t which) {
  Record *to = lanes.words.slot(slot);
  if (!which)
    return;
  if (lanes.isRow && which == All)
    std::memcpy(to + lanes.word[0], &records, sizeof(records));
  else
    __builtin_masked_scatter(maskOf(which), access.word, records, to);
}

/// What the records of a slot say to the lanes.
struct Seen {
  uint32_t isDead;    ///< nothing any more
  uint32_t isKnown;   ///< the same, or what all lanes of the warp know of
  uint32_t isBehind;  ///< an access that the lane's comes behind
  uint32_t isOwnWarp; ///< of a thread of this warp
  uint32_t isRead, isAtomic;
};
HEDDLE_INLINE void see(Seen &seen, const Records &records, const LaneWords &lanes,
                       const Access &access) {
  Records difference = records ^ access.mine, kind = records & KindMask;
  uint32_t isOwn = bitsOf((difference & ThreadMask) == 0);
  uint32_t isOther = bitsOf(kind >= uint32_t(ReadsOther) << ThreadBits);
  seen.isOwnWarp = bitsOf((difference & WarpMask) == 0);
  seen.isDead = bitsOf(records < lanes.least);
  seen.isKnown = seen.isDead | (seen.isOwnWarp & bitsOf(records < lanes.warpLeast));
  seen.isBehind = seen.isKnown | (isOwn & ~isOther);
  seen.isRead = bitsOf((records & ReadMask) == 0);
  seen.isAtomic = bitsOf(kind == uint32_t(ChangesWords) << ThreadBits);
}

/// Lanes whose record another lane has overwritten.
HEDDLE_INLINE uint32_t lost(const LaneWords &lanes, unsigned slot, const Access &access,
                            uint32_t which) {
  if (lanes.isRow || !which)
    return 0;
  Records now;
  load(now, lanes, slot, access);
  return bitsOf(now != access.mine) & which;
}

/// Of accesses that do not race with each other two are kept, in two slots, of different warps where
/// there are such. `isPair`: those there are of one warp, and not of this one.
HEDDLE_INLINE void keepTwo(const LaneWords &lanes, const Access &access, unsigned first,
                           uint32_t isFree, uint32_t isSecondFree, uint32_t isPair) {
  uint32_t toSecond = ~isFree & (isSecondFree | isPair);
  store(access.mine, lanes, first, access, isFree);
  toSecond |= lost(lanes, first, access, isFree & isSecondFree);
  store(access.mine, lanes, first + 1, access, toSecond);
}

HEDDLE_INLINE uint32_t pairs(const Records &a, const Records &b) {
  return bitsOf(((a ^ b) & WarpMask) == 0);
}

/// The three records of each lane's word, and what they say.
struct Looked {
  Access access;
  Records a, b, c;
  Seen first, second, third;
};
HEDDLE_INLINE void look(Looked &looked, const LaneWords &lanes) {
  auto &[access, a, b, c, first, second, third] = looked;
  begin(access, lanes);
  load(a, lanes, 0, access), load(b, lanes, 1, access), load(c, lanes, 2, access);
  see(first, a, lanes, access), see(second, b, lanes, access), see(third, c, lanes, access);
}

HEDDLE_INLINE uint32_t read(const LaneWords &lanes) {
  Looked looked;
  look(looked, lanes);
  auto &[access, a, b, c, first, second, third] = looked;
  uint32_t right = lanes.lanes & (first.isBehind | first.isRead) &
                   (second.isBehind | second.isRead) & (third.isBehind | third.isRead);
  uint32_t isKept = bitsOf(b == access.mine) | bitsOf(c == access.mine), open = right & ~isKept;
  uint32_t isFree = second.isDead | (second.isBehind & second.isRead);
  uint32_t isSecondFree = third.isDead | (third.isBehind & third.isRead);
  uint32_t isPair = pairs(b, c) & ~second.isOwnWarp & third.isRead;
  if (open & (isFree | isSecondFree | isPair))
    keepTwo(lanes, access, 1, open & isFree, open & isSecondFree, open & isPair);
  return right;
}

HEDDLE_INLINE uint32_t change(const LaneWords &lanes) {
  Looked looked;
  look(looked, lanes);
  auto &[access, a, b, c, first, second, third] = looked;
  uint32_t right = lanes.lanes & (first.isDead | first.isAtomic) &
                   (second.isDead | second.isAtomic) & (third.isDead | third.isAtomic);
  uint32_t isKept = bitsOf(a == access.mine) | bitsOf(b == access.mine), open = right & ~isKept;
  uint32_t isFree = first.isDead | first.isBehind, isSecondFree = second.isDead | second.isBehind;
  uint32_t isPair = pairs(a, b) & ~first.isOwnWarp;
  if (open & (isFree | isSecondFree | isPair))
    keepTwo(lanes, access, 0, open & isFree, open & isSecondFree, open & isPair);
  return right;
}

HEDDLE_INLINE uint32_t write(const LaneWords &lanes) {
  Looked looked;
  look(looked, lanes);
  auto &[access, a, b, c, first, second, third] = looked;
  uint32_t right = lanes.lanes & first.isBehind & second.isBehind & third.isBehind;
  if (lanes.mayWrite) // an atomic operation of the thread's own is another matter
    right &= ~((first.isAtomic & ~first.isKnown) | (second.isAtomic & ~second.isKnown));
  // What the thread has written tells more than what it may write.
  uint32_t isTold = lanes.mayWrite ? ~first.isKnown & ~first.isRead : 0, written = right & ~isTold;
  store(access.mine, lanes, 0, access, written);
  if (lost(lanes, 0, access, written)) {
    store(a, lanes, 0, access, written);
    return 0;
  }
  Records none = 0; // in place of all but what the thread itself has just read
  store(none, lanes, 1, access, right & ~second.isDead & (second.isKnown | ~second.isRead));
  store(none, lanes, 2, access, right & ~third.isDead & (third.isKnown | ~third.isRead));
  return right;
}

/// Numbers of words, of lanes that are there; 0 of the others. False if one has none.
HEDDLE_INLINE bool number(const LanePlaces &places, uint32_t *word) {
  uint64_t wrong = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint64_t offset = places.pointers[lane] - places.low, isThere = places.lanes >> lane & 1;
    wrong |= isThere & (uint64_t(offset > places.last) | uint64_t((offset & 3) != 0));
    word[lane] = isThere ? static_cast<uint32_t>(offset / 4) : 0;
  }
  return !wrong;
}

#if defined(__x86_64__)
#define HEDDLE_WIDE [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl")]]
HEDDLE_WIDE uint32_t readWide(const LaneWords &lanes) { return read(lanes); }
HEDDLE_WIDE uint32_t writeWide(const LaneWords &lanes) { return write(lanes); }
HEDDLE_WIDE uint32_t changeWide(const LaneWords &lanes) { return change(lanes); }
HEDDLE_WIDE bool numberWide(const LanePlaces &places, uint32_t *word) {
  return number(places, word);
}
bool hasWide() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
bool isWide = hasWide();
#define HEDDLE_BY_WIDTH(NAME, ...) (isWide ? NAME##Wide(__VA_ARGS__) : NAME(__VA_ARGS__))
#else
bool hasWide() { return false; }
bool isWide = false;
#define HEDDLE_BY_WIDTH(NAME, ...) NAME(__VA_ARGS__)
#endif

} // namespace

void useWideLanes(bool mayBeWide) { isWide = mayBeWide && hasWide(); }
uint32_t readLanes(const LaneWords &lanes) { return HEDDLE_BY_WIDTH(read, lanes); }
uint32_t writeLanes(const LaneWords &lanes) { return HEDDLE_BY_WIDTH(write, lanes); }
uint32_t changeLanes(const LaneWords &lanes) { return HEDDLE_BY_WIDTH(change, lanes); }
bool numberWords(const LanePlaces &places, uint32_t *word) {
  return HEDDLE_BY_WIDTH(number, places, word);
}

bool numberWords(int64_t offset, int64_t stride, uint64_t last, uint32_t lanes, uint32_t *word) {
  auto lowest = __builtin_ctz(lanes), highest = 31 - __builtin_clz(lanes);
  int64_t ends[] = {offset + stride * lowest, offset + stride * highest};
  auto [from, to] = std::minmax(ends[0], ends[1]);
  if (from < 0 || static_cast<uint64_t>(to) > last || offset % 4 || stride % 4)
    return false;
  Records all = static_cast<uint32_t>(offset / 4) +
                static_cast<uint32_t>(stride / 4) * __builtin_bit_cast(Records, Counting);
  if (lanes != All)
    all *= __builtin_convertvector(maskOf(lanes), Records);
  std::memcpy(word, &all, sizeof(all));
  return true;
}

} // namespace heddle::check
