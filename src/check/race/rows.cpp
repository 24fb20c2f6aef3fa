// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/race/rows.h"

#include <algorithm>

namespace heddle::check {

namespace {

/// A loop without branches, which the compiler makes vectors of. Other workers may write meanwhile:
/// the version says so.
[[gnu::always_inline]] inline RowFacts look(const Record *records, size_t words, RowPattern pattern,
                                            uint32_t floor) {
  auto count = static_cast<uint32_t>(words);
  const Record least = floor << ThreadBits;
  Record latest = 0;
#pragma clang loop vectorize(enable)
  for (uint32_t w = 0; w < count; ++w)
    latest = std::max(latest, records[w]);
  if (latest < least) // mostly: the launch has not been here before
    return {0, 0, false, false, false, false};
  uint32_t lowest = ~0u, highest = 0, differs = 0, threads = 0, own = 0, other = 0;
  constexpr uint32_t Threads = (1u << ThreadBits) - 1, Warps = Threads & ~31u;
#pragma clang loop vectorize(enable)
  for (uint32_t w = 0; w < count; ++w) {
    Record record = records[w], difference = record ^ pattern.of(w);
    uint32_t number = record < least ? 0 : happeningOf(record);
    lowest = std::min(lowest, number);
    highest = std::max(highest, number);
    differs |= difference;
    threads |= difference & Threads;
    own |= (difference & Warps) == 0;
    other |= (difference & Warps) != 0;
  }
  return {lowest, highest, differs == 0, threads == 0, own != 0, other != 0};
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] RowFacts lookAvx2(const Record *records, size_t words, RowPattern pattern,
                                          uint32_t floor) {
  return look(records, words, pattern, floor);
}
const bool hasAvx2 = __builtin_cpu_supports("avx2");
[[gnu::target("avx512f,avx512vl")]] RowFacts lookAvx512(const Record *records, size_t words,
                                                        RowPattern pattern, uint32_t floor) {
  return look(records, words, pattern, floor);
}
const bool hasAvx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
#endif

} // namespace

RowFacts lookAtRow(const Record *records, size_t words, RowPattern pattern, uint32_t floor) {
#if defined(__x86_64__)
  if (hasAvx512)
    return lookAvx512(records, words, pattern, floor);
  if (hasAvx2)
    return lookAvx2(records, words, pattern, floor);
#endif
  return look(records, words, pattern, floor);
}

void writeRow(Record *records, size_t words, RowPattern pattern) {
  auto count = static_cast<uint32_t>(words);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  for (uint32_t w = 0; w < count; ++w)
    records[w] = pattern.of(w);
}

} // namespace heddle::check
