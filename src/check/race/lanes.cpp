// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/race/lanes.h"

namespace heddle::check {

namespace {

constexpr uint32_t ThreadMask = (1u << ThreadBits) - 1, WarpMask = ThreadMask & ~31u;
constexpr unsigned MostLanes = 32;

/// What a record says to a lane; each is 0 or 1.
struct Seen {
  uint32_t isDead, isBehind, isRead, isAtomic, isOwnWarp;
};

[[gnu::always_inline]] inline Seen seen(Record record, Record mine, const LaneWords &lanes) {
  uint32_t difference = record ^ mine, kind = happeningOf(record) % SharedKinds;
  uint32_t isOwn = (difference & ThreadMask) == 0, isOwnWarp = (difference & WarpMask) == 0;
  uint32_t isDead = record < lanes.least;
  uint32_t isOfOne = (kind != ReadsOther) & (kind != OtherAccess);
  return {isDead, isDead | (isOwn & isOfOne) | (isOwnWarp & uint32_t(record < lanes.warpLeast)),
          uint32_t(kind == ReadsWords) | uint32_t(kind == ReadsOther),
          uint32_t(kind == ChangesWords), isOwnWarp};
}

/// A bit for each lane: what can be said of its word's records.
struct LaneFacts {
  uint32_t isRight = 0;    ///< nothing that it races with
  uint32_t isKept = 0;     ///< its own record is there
  uint32_t isFree[3] = {}; ///< the record may be overwritten
  uint32_t isLive[3] = {}; ///< ... of these some that say something
  uint32_t isPair = 0;     ///< those of two slots are of one warp, another one
};

template <bool IsRow, class Judge>
[[gnu::always_inline]] inline LaneFacts look(const LaneWords &lanes, Judge &&judge) {
  const Record *a = lanes.words.slot(0), *b = lanes.words.slot(1), *c = lanes.words.slot(2);
  const uint32_t *word = lanes.word, row = word[0], count = lanes.count;
  LaneFacts all;
#pragma clang loop vectorize(enable) interleave(disable)
  for (uint32_t i = 0; i < count; ++i) {
    auto at = static_cast<int32_t>(IsRow ? row + i : word[i]);
    LaneFacts one = judge(a[at], b[at], c[at], lanes.first + i);
    all.isRight |= one.isRight << i;
    all.isKept |= one.isKept << i;
    all.isPair |= one.isPair << i;
    for (unsigned s = 0; s < 3; ++s) {
      all.isFree[s] |= one.isFree[s] << i;
      all.isLive[s] |= one.isLive[s] << i;
    }
  }
  return all;
}

template <class F> [[gnu::always_inline]] inline void forEach(uint32_t lanes, F &&f) {
  for (; lanes; lanes &= lanes - 1)
    f(static_cast<uint32_t>(__builtin_ctz(lanes)));
}

/// Writes records of lanes; of those that go to one word the last one's stays.
[[gnu::always_inline]] inline void put(const LaneWords &lanes, unsigned slot, uint32_t which) {
  Record *to = lanes.words.slot(slot);
  if (lanes.isRow && which == lanes.lanes) {
    uint32_t row = lanes.word[0];
    for (uint32_t i = 0; i < lanes.count; ++i)
      to[row + i] = lanes.first + i;
    return;
  }
  forEach(which, [&](uint32_t lane) { to[lanes.word[lane]] = lanes.first + lane; });
}

/// Those whose record another lane has overwritten.
[[gnu::always_inline]] inline uint32_t lost(const LaneWords &lanes, unsigned slot, uint32_t which) {
  const Record *to = lanes.words.slot(slot);
  uint32_t all = 0;
  if (lanes.isRow || !(which & (which - 1)))
    return 0;
#pragma clang loop vectorize(enable) interleave(disable)
  for (uint32_t i = 0; i < lanes.count; ++i)
    all |= uint32_t(to[static_cast<int32_t>(lanes.word[i])] != lanes.first + i) << i;
  return all & which;
}

/// Of what races with no other of its kind, two of different warps are kept, in two slots.
[[gnu::always_inline]] inline void keepTwo(const LaneWords &lanes, const LaneFacts &facts,
                                           unsigned first, unsigned second, uint32_t which) {
  which &= ~facts.isKept;
  uint32_t toFirst = which & facts.isFree[first];
  uint32_t toSecond = which & ~toFirst & (facts.isFree[second] | facts.isPair);
  if (toFirst) {
    put(lanes, first, toFirst);
    toSecond |= lost(lanes, first, toFirst) & facts.isFree[second];
  }
  if (toSecond)
    put(lanes, second, toSecond);
}

template <bool IsRow> [[gnu::always_inline]] inline uint32_t read(const LaneWords &lanes) {
  LaneFacts facts = look<IsRow>(lanes, [&](Record a, Record b, Record c, Record mine) {
    Seen first = seen(a, mine, lanes), second = seen(b, mine, lanes), third = seen(c, mine, lanes);
    LaneFacts facts;
    facts.isRight = (first.isBehind | first.isRead) & (second.isBehind | second.isRead) &
                    (third.isBehind | third.isRead);
    facts.isKept = uint32_t(a == mine) | uint32_t(b == mine) | uint32_t(c == mine);
    facts.isFree[1] = second.isDead | (second.isBehind & second.isRead);
    facts.isFree[2] = third.isDead | (third.isBehind & third.isRead);
    facts.isPair = uint32_t(((b ^ c) & WarpMask) == 0) & (second.isOwnWarp ^ 1) & third.isRead;
    return facts;
  });
  facts.isRight &= lanes.lanes;
  keepTwo(lanes, facts, 1, 2, facts.isRight);
  return facts.isRight;
}

template <bool IsRow> [[gnu::always_inline]] inline uint32_t write(const LaneWords &lanes) {
  LaneFacts facts = look<IsRow>(lanes, [&](Record a, Record b, Record c, Record mine) {
    Seen first = seen(a, mine, lanes), second = seen(b, mine, lanes), third = seen(c, mine, lanes);
    LaneFacts facts;
    facts.isRight = first.isBehind & second.isBehind & third.isBehind;
    facts.isKept = a == mine;
    facts.isLive[1] = second.isDead ^ 1;
    facts.isLive[2] = third.isDead ^ 1;
    return facts;
  });
  uint32_t right = facts.isRight & lanes.lanes;
  if (!right)
    return 0;
  Record before[MostLanes];
  Record *to = lanes.words.slot(0);
  if (!IsRow)
    forEach(right, [&](uint32_t lane) { before[lane] = to[lanes.word[lane]]; });
  put(lanes, 0, right);
  if (lost(lanes, 0, right)) {
    forEach(right, [&](uint32_t lane) { to[lanes.word[lane]] = before[lane]; });
    return 0;
  }
  for (unsigned slot = 1; slot < 3; ++slot)
    forEach(right & facts.isLive[slot],
            [&](uint32_t lane) { lanes.words.slot(slot)[lanes.word[lane]] = 0; });
  return right;
}

template <bool IsRow> [[gnu::always_inline]] inline uint32_t change(const LaneWords &lanes) {
  LaneFacts facts = look<IsRow>(lanes, [&](Record a, Record b, Record c, Record mine) {
    Seen first = seen(a, mine, lanes), second = seen(b, mine, lanes), third = seen(c, mine, lanes);
    LaneFacts facts;
    facts.isKept = uint32_t(a == mine) | uint32_t(b == mine);
    facts.isFree[0] = first.isDead | (first.isBehind & first.isAtomic);
    facts.isFree[1] = second.isDead | (second.isBehind & second.isAtomic);
    facts.isPair = uint32_t(((a ^ b) & WarpMask) == 0) & (first.isOwnWarp ^ 1) & second.isAtomic;
    facts.isRight = (first.isDead | first.isAtomic) & (second.isDead | second.isAtomic) &
                    (third.isBehind | third.isAtomic);
    return facts;
  });
  facts.isRight &= lanes.lanes;
  keepTwo(lanes, facts, 0, 1, facts.isRight);
  return facts.isRight;
}

template <bool IsRow> uint32_t readHere(const LaneWords &lanes) { return read<IsRow>(lanes); }
template <bool IsRow> uint32_t writeHere(const LaneWords &lanes) { return write<IsRow>(lanes); }
template <bool IsRow> uint32_t changeHere(const LaneWords &lanes) { return change<IsRow>(lanes); }

#if defined(__x86_64__)
#define HEDDLE_WIDE gnu::target("avx512f,avx512dq,avx512bw,avx512vl")
template <bool IsRow> [[HEDDLE_WIDE]] uint32_t readWide(const LaneWords &lanes) {
  return read<IsRow>(lanes);
}
template <bool IsRow> [[HEDDLE_WIDE]] uint32_t writeWide(const LaneWords &lanes) {
  return write<IsRow>(lanes);
}
template <bool IsRow> [[HEDDLE_WIDE]] uint32_t changeWide(const LaneWords &lanes) {
  return change<IsRow>(lanes);
}
const bool isWide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#endif

} // namespace

#if defined(__x86_64__)
#define HEDDLE_BY_WIDTH(NAME)                                                                      \
  uint32_t NAME##Lanes(const LaneWords &lanes) {                                                   \
    if (isWide)                                                                                    \
      return lanes.isRow ? NAME##Wide<true>(lanes) : NAME##Wide<false>(lanes);                     \
    return lanes.isRow ? NAME##Here<true>(lanes) : NAME##Here<false>(lanes);                       \
  }
#else
#define HEDDLE_BY_WIDTH(NAME)                                                                      \
  uint32_t NAME##Lanes(const LaneWords &lanes) {                                                   \
    return lanes.isRow ? NAME##Here<true>(lanes) : NAME##Here<false>(lanes);                       \
  }
#endif
HEDDLE_BY_WIDTH(read)
HEDDLE_BY_WIDTH(write)
HEDDLE_BY_WIDTH(change)

} // namespace heddle::check
