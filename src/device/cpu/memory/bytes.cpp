// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills. One core cannot use the bandwidth of the memory, so more than ShareBytes is cut
// into pieces that idle workers help with; as a side effect fresh pages are zeroed by several cores
// and come to lie near them.
//
// An ordinary store to a line that is in no cache reads it first: a copy moves three bytes for two.
// Stores past the caches save that, but what they write must be read from memory again. So they are
// for what would not stay in the last cache anyway. The C library has both, but chooses by the size
// of one call, and takes the cache of the whole machine for ours where that machine is virtual.
#include "base/machine/processors.h"
#include "device/cpu/memory/touch.h"
#include "device/device.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace heddle::device {

namespace {

constexpr size_t ShareBytes = 2 << 20; ///< from here on several threads are worth waking
constexpr size_t PieceBytes = 512 << 10;

bool goesPastCaches(size_t bytes) {
  static const size_t cache = usableCacheBytes();
  return bytes > cache / 2;
}

#if defined(__x86_64__)
constexpr size_t Line = 64;

/// memset and memcpy for many bytes, past the caches.
void streamFill(uint8_t *to, int byte, size_t bytes) {
  size_t head = std::min(bytes, -reinterpret_cast<uintptr_t>(to) % Line);
  std::memset(to, byte, head);
  __m128i value = _mm_set1_epi8(static_cast<char>(byte));
  uint8_t *end = to + head + (bytes - head) / Line * Line;
  for (uint8_t *at = to + head; at != end; at += Line)
    for (size_t i = 0; i < Line; i += sizeof(value))
      _mm_stream_si128(reinterpret_cast<__m128i *>(at + i), value);
  std::memset(end, byte, static_cast<size_t>(to + bytes - end));
  _mm_sfence();
}

void streamCopy(uint8_t *to, const uint8_t *from, size_t bytes) {
  size_t head = std::min(bytes, -reinterpret_cast<uintptr_t>(to) % Line);
  std::memcpy(to, from, head);
  size_t end = head + (bytes - head) / Line * Line;
  for (size_t at = head; at != end; at += Line) {
    __m128i values[4];
    for (size_t i = 0; i < 4; ++i)
      values[i] = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + at) + i);
    for (size_t i = 0; i < 4; ++i)
      _mm_stream_si128(reinterpret_cast<__m128i *>(to + at) + i, values[i]);
  }
  std::memcpy(to + end, from + end, bytes - end);
  _mm_sfence();
}
#else
void streamFill(uint8_t *to, int byte, size_t bytes) { std::memset(to, byte, bytes); }
void streamCopy(uint8_t *to, const uint8_t *from, size_t bytes) { std::memcpy(to, from, bytes); }
#endif

struct Job {
  uint8_t *to;
  const uint8_t *from; ///< null: a fill
  int byte;
  size_t bytes;
  bool pastCaches;
  std::atomic<bool> failed = false; ///< one piece has
  std::atomic<uintptr_t> address = 0;
};

void fillPiece(const Job &job, size_t begin, size_t bytes) {
  job.pastCaches ? streamFill(job.to + begin, job.byte, bytes)
                 : void(std::memset(job.to + begin, job.byte, bytes));
}

void copyPiece(const Job &job, size_t begin, size_t bytes) {
  job.pastCaches ? streamCopy(job.to + begin, job.from + begin, bytes)
                 : void(std::memcpy(job.to + begin, job.from + begin, bytes));
}

void doPiece(void *context, uint64_t piece) {
  Job &job = *static_cast<Job *>(context);
  size_t begin = piece * PieceBytes, bytes = std::min(PieceBytes, job.bytes - begin);
  uintptr_t address = 0;
  if (cpu::tryTouch([&] { (job.from ? copyPiece : fillPiece)(job, begin, bytes); }, address))
    return;
  job.failed = true;
  job.address = address;
}

AccessEnd share(Job &job) {
  shareWork((job.bytes + PieceBytes - 1) / PieceBytes, doPiece, &job);
  return {!job.failed, job.address};
}

template <typename F> AccessEnd touch(F access) {
  AccessEnd end;
  end.isWhole = cpu::tryTouch(access, end.address);
  return end;
}

bool overlap(const uint8_t *a, const uint8_t *b, size_t bytes) {
  return a < b + bytes && b < a + bytes;
}

} // namespace

AccessEnd copyBytes(void *to, const void *from, size_t bytes) {
  if (bytes == 0)
    return {}; // either may be null then, which memmove's declaration excludes
  auto *target = static_cast<uint8_t *>(to);
  auto *source = static_cast<const uint8_t *>(from);
  if (bytes < ShareBytes || overlap(target, source, bytes))
    return touch([=] { std::memmove(to, from, bytes); });
  Job job{target, source, 0, bytes, goesPastCaches(bytes)};
  return share(job);
}

AccessEnd fillBytes(void *to, int byte, size_t bytes) {
  if (bytes == 0)
    return {};
  if (bytes < ShareBytes)
    return touch([=] { std::memset(to, byte, bytes); });
  Job job{static_cast<uint8_t *>(to), nullptr, byte, bytes, goesPastCaches(bytes)};
  return share(job);
}

AccessEnd fillElements(void *to, unsigned value, unsigned elementBytes, size_t bytes) {
  return touch([=] {
    if (elementBytes == 2)
      std::fill_n(static_cast<uint16_t *>(to), bytes / 2, static_cast<uint16_t>(value));
    else
      std::fill_n(static_cast<uint32_t *>(to), bytes / 4, value);
  });
}

} // namespace heddle::device
