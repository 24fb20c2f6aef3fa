// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/init/uses.h"

#include "check/settings.h"
#include "device/checks.h"

#include <algorithm>
#include <utility>

#include <sys/mman.h>

namespace heddle::check {

namespace {

constexpr unsigned WordBytes = 4;

uint32_t load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
uint32_t put(uint32_t *word, uint32_t writer) {
  return __atomic_exchange_n(word, writer, __ATOMIC_RELAXED);
}

} // namespace

bool tracksUses() { return settings().findsUnused && settings().checks & CheckInit; }

Uses &Uses::get() {
  static Uses &uses = *new Uses;
  return uses;
}

Uses::Uses() : memory_(device::allocatorMemory()) {
  void *words = mmap(nullptr, memory_.bytes + WordBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (words != MAP_FAILED)
    words_ = static_cast<uint32_t *>(words);
}

/// Of the bytes; null where nothing is kept of them.
uint32_t *Uses::wordsAt(const void *p, uint64_t bytes, size_t &count) const {
  auto offset = static_cast<uint64_t>(static_cast<const uint8_t *>(p) - memory_.low);
  if (!words_ || !bytes || isStopped_.load(std::memory_order_relaxed) || offset >= memory_.bytes ||
      bytes > memory_.bytes - offset)
    return nullptr;
  count = (offset + bytes + WordBytes - 1) / WordBytes - offset / WordBytes;
  return words_ + offset / WordBytes;
}

void Uses::lose(uint32_t writer, uint64_t bytes) {
  if (writer < FirstStack)
    return;
  std::lock_guard lock(mutex_);
  written_[writer - FirstStack].unread += bytes;
}

void Uses::write(uint32_t writer, const void *p, uint64_t bytes) {
  size_t count;
  uint32_t *word = wordsAt(p, bytes, count);
  uint32_t lost = 0;
  uint64_t words = 0;
  for (uint32_t *end = word ? word + count : nullptr; word != end; ++word) {
    uint32_t known = load(word) == writer ? writer : put(word, writer);
    if (known == writer && known == ByKernel)
      continue;
    if (known != lost)
      lose(std::exchange(lost, known), std::exchange(words, 0) * WordBytes);
    ++words;
  }
  lose(lost, words * WordBytes);
}

void Uses::writtenBy(uint32_t stack, const void *p, uint64_t bytes) {
  size_t count;
  if (!wordsAt(p, bytes, count))
    return;
  write(stack ? stack + FirstStack : 0, p, bytes);
  if (!stack)
    return;
  std::lock_guard lock(mutex_);
  written_[stack].bytes += bytes;
}

void Uses::read(const void *p, uint64_t bytes) {
  size_t count;
  if (uint32_t *word = wordsAt(p, bytes, count))
    for (uint32_t *end = word + count; word != end; ++word)
      if (load(word))
        put(word, 0);
}

uint64_t Uses::end(const void *base, uint64_t bytes) {
  size_t count;
  uint32_t *word = wordsAt(base, bytes, count);
  uint64_t unread = word ? static_cast<uint64_t>(std::count(word, word + count, ByKernel)) : 0;
  write(0, base, bytes);
  return std::min(unread * WordBytes, bytes);
}

void Uses::stop() { isStopped_ = true; }

std::vector<Uses::Copies> Uses::unreadCopies() const {
  std::vector<Copies> all;
  if (isStopped_)
    return all;
  std::lock_guard lock(mutex_);
  for (const auto &[stack, written] : written_)
    if (written.unread)
      all.push_back({stack, written.bytes, std::min(written.unread, written.bytes)});
  std::sort(all.begin(), all.end(), [](auto &a, auto &b) { return a.stack < b.stack; });
  return all;
}

static void use(const AccessSite &site, const uint8_t *at, uint64_t bytes) {
  Uses &uses = Uses::get();
  if (site.kind != AccessKind::Write)
    uses.read(at, bytes);
  if (site.kind != AccessKind::Read)
    uses.writtenByKernel(at, bytes);
}

void useOfRun(uint32_t lanes, const AccessSite &site, const uint8_t *first, int64_t stride,
              uint64_t length) {
  if (site.space != AccessSpace::Global && site.space != AccessSpace::Generic)
    return;
  bool isDense = lanes && static_cast<uint64_t>(stride) == length;
  if (isDense || stride == 0) {
    auto low = static_cast<unsigned>(__builtin_ctz(lanes)), count = 1u;
    if (isDense)
      count = static_cast<unsigned>(__builtin_ctzll(~(uint64_t(lanes) >> low)));
    use(site, first + stride * low, count * length);
    lanes &= isDense ? ~static_cast<uint32_t>(((uint64_t(1) << count) - 1) << low) : 0;
  }
  for (; lanes; lanes &= lanes - 1)
    use(site, first + stride * __builtin_ctz(lanes), length);
}

void useOfEach(uint32_t lanes, const AccessSite &site, uint8_t *const *pointers, uint64_t length) {
  if (site.space != AccessSpace::Global && site.space != AccessSpace::Generic)
    return;
  for (; lanes; lanes &= lanes - 1)
    use(site, pointers[__builtin_ctz(lanes)], length);
}

} // namespace heddle::check
