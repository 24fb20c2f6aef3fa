// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/init/shadow.h"

#include "device/checks.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include <sys/mman.h>
#include <unistd.h>

namespace heddle::check {

namespace {

constexpr size_t OnesBytes = size_t(32) << 20;
constexpr size_t Margins = 2 * ShadowMargin;      ///< in front and behind; behind are the zeros
constexpr uintptr_t PageBytes = size_t(64) << 10; ///< a multiple of the pages of all machines

uint8_t *reserve(size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<uint8_t *>(memory);
}

/// A file without a name, all bits 1. -1 if there can be none.
int makeOnes() {
  int file = memfd_create("heddle-unwritten", MFD_CLOEXEC);
  std::vector<uint8_t> ones(size_t(1) << 20, 0xff);
  for (size_t at = 0; file >= 0 && at < OnesBytes; at += ones.size())
    if (::write(file, ones.data(), ones.size()) != static_cast<ssize_t>(ones.size())) {
      close(file);
      return -1;
    }
  return file;
}

bool isZero(const uint8_t *p, uint64_t bytes) {
  return bytes == 0 || (*p == 0 && std::memcmp(p, p + 1, bytes - 1) == 0);
}

/// The first byte that is not zero, or `bytes`.
uint64_t firstOne(const uint8_t *p, uint64_t bytes) {
  constexpr uint64_t Step = 4096;
  for (uint64_t at = 0; at < bytes; at += Step) {
    uint64_t count = std::min(Step, bytes - at);
    if (isZero(p + at, count))
      continue;
    while (p[at] == 0)
      ++at;
    return at;
  }
  return bytes;
}

} // namespace

InitShadow::InitShadow(Bounds memory) : memory_(memory) {
  if (uint8_t *whole = reserve(memory.bytes + 2 * Margins))
    shadow_ = whole + Margins;
}

InitShadow::~InitShadow() {
  if (shadow_)
    munmap(shadow_ - Margins, memory_.bytes + 2 * Margins);
  if (ones_ >= 0)
    close(ones_);
}

InitShadow &InitShadow::get() {
  static InitShadow &shadow = *new InitShadow(device::allocatorMemory());
  return shadow;
}

ShadowedMemory InitShadow::layout() const {
  return {memory_.low - ShadowMargin, memory_.bytes + ShadowMargin, shadow_ - memory_.low,
          shadow_ + memory_.bytes, nullptr};
}

/// Much of it comes from a file: what is not written then costs no memory.
void InitShadow::fill(uint8_t *shadow, uint64_t bytes) {
  uint8_t *end = shadow + bytes;
  if (bytes >= OnesBytes && ones_ < 0)
    ones_ = makeOnes();
  while (shadow < end) {
    auto rest = static_cast<uint64_t>(end - shadow);
    uint64_t toPage = -reinterpret_cast<uintptr_t>(shadow) % PageBytes;
    uint64_t pages = std::min<uint64_t>(rest, OnesBytes) / PageBytes * PageBytes;
    if (ones_ < 0 || rest < OnesBytes / 2) {
      std::memset(shadow, 0xff, rest);
      return;
    }
    if (toPage) {
      std::memset(shadow, 0xff, toPage);
      shadow += toPage;
      continue;
    }
    if (mmap(shadow, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, ones_,
             0) == MAP_FAILED)
      std::memset(shadow, 0xff, pages);
    shadow += pages;
  }
}

/// Gives whole pages back.
void InitShadow::clear(const uint8_t *base, uint64_t bytes) {
  uint8_t *first = shadowOf(base), *end = first + bytes;
  auto up = [](uint8_t *p) { return p + -reinterpret_cast<uintptr_t>(p) % PageBytes; };
  uint8_t *from = up(first), *to = end - reinterpret_cast<uintptr_t>(end) % PageBytes;
  if (from >= to) {
    std::memset(first, 0, bytes);
    return;
  }
  std::memset(first, 0, static_cast<size_t>(from - first));
  std::memset(to, 0, static_cast<size_t>(end - to));
  if (mmap(from, static_cast<size_t>(to - from), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED)
    std::memset(from, 0, static_cast<size_t>(to - from));
}

void InitShadow::begin(const void *base, uint64_t bytes) {
  auto *start = static_cast<const uint8_t *>(base);
  std::lock_guard lock(mutex_);
  fill(shadowOf(start), bytes);
  auto tracked = std::make_unique<Tracked>();
  tracked->bytes = bytes;
  allocations_[start] = std::move(tracked);
}

void InitShadow::end(const void *base) {
  std::lock_guard lock(mutex_);
  auto found = allocations_.find(static_cast<const uint8_t *>(base));
  if (found == allocations_.end())
    return;
  clear(found->first, found->second->bytes);
  allocations_.erase(found);
}

void InitShadow::endAll() {
  std::lock_guard lock(mutex_);
  for (const auto &[base, tracked] : allocations_)
    clear(base, tracked->bytes);
  allocations_.clear();
}

InitShadow::Allocations::const_iterator InitShadow::find(const void *p) const {
  auto *byte = static_cast<const uint8_t *>(p);
  auto found = allocations_.upper_bound(byte);
  if (found == allocations_.begin())
    return allocations_.end();
  --found;
  return byte < found->first + found->second->bytes ? found : allocations_.end();
}

bool InitShadow::isTracked(const void *base) const {
  std::shared_lock lock(mutex_);
  return allocations_.count(static_cast<const uint8_t *>(base)) != 0;
}

bool InitShadow::isIn(const void *p) const {
  std::shared_lock lock(mutex_);
  return find(p) != allocations_.end();
}

void InitShadow::write(const void *p, uint64_t bytes) {
  if (contains(p))
    std::memset(shadowOf(p), 0, bytes);
}

void InitShadow::copy(const void *to, const void *from, uint64_t bytes) {
  if (!contains(to))
    return;
  if (!contains(from) || isZero(shadowOf(from), bytes))
    return write(to, bytes);
  std::shared_lock lock(mutex_);
  auto found = find(to);
  if (found == allocations_.end()) // nothing is looked at there
    return;
  std::memmove(shadowOf(to), shadowOf(from), bytes);
  lock.unlock();
  spread(to);
}

void InitShadow::spread(const void *p) {
  std::shared_lock lock(mutex_);
  if (auto found = find(p); found != allocations_.end())
    found->second->next = 0, found->second->isWritten = false;
}

uint64_t InitShadow::unwritten(const void *p, uint64_t bytes) const {
  if (!contains(p) || isZero(shadowOf(p), bytes))
    return 0;
  const uint8_t *shadow = shadowOf(p);
  return static_cast<uint64_t>(
      std::count_if(shadow, shadow + bytes, [](uint8_t byte) { return byte != 0; }));
}

bool InitShadow::isWritten(const uint8_t *base, Tracked &tracked) const {
  if (tracked.isWritten)
    return true;
  uint64_t from = tracked.next;
  uint64_t next = from + firstOne(shadowOf(base + from), tracked.bytes - from);
  tracked.next = next;
  return next == tracked.bytes && (tracked.isWritten = true);
}

/// A pointer at the end of one allocation is that to another one's start.
bool InitShadow::mustTrack(const void *p) {
  if (!contains(p))
    return false;
  auto *byte = static_cast<const uint8_t *>(p);
  std::shared_lock lock(mutex_);
  bool isKnown = false;
  for (const uint8_t *at : {byte, byte - 1}) {
    auto found = find(at);
    if (found == allocations_.end())
      continue;
    isKnown |= at == byte;
    if (!isWritten(found->first, *found->second))
      return true;
    if (at != found->first)
      break;
  }
  Bounds other = isKnown ? Bounds{} : device::allocationAt(p);
  return !isKnown && !other.bytes; // in no allocation: it may be an end
}

std::vector<InitShadow::Range> InitShadow::allocations() const {
  std::shared_lock lock(mutex_);
  std::vector<Range> all;
  for (const auto &[base, tracked] : allocations_)
    all.push_back({base, tracked->bytes});
  return all;
}

} // namespace heddle::check
