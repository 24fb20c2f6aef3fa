// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/race/shadow.h"

#include "check/settings.h"
#include "device/checks.h"
#include "device/cpu/futex.h"

#include <algorithm>
#include <utility>

#include <sched.h>
#include <sys/mman.h>

namespace heddle::check {

namespace {

/// Zeros, of which only what is touched takes memory. Null if the system refuses.
void *reserve(size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

} // namespace

uint32_t waitForLook(const Words &words) {
  constexpr unsigned Tries = 100;
  for (unsigned i = 0;; ++i) {
    uint32_t version = __atomic_load_n(words.version, __ATOMIC_ACQUIRE);
    if (version % 2 == 0)
      return version;
    i < Tries ? device::cpu::pauseCpu() : void(sched_yield());
  }
}

void SharedShadow::begin(uint64_t bytes) {
  words_ = (bytes + 3) / 4 + 1; // lanes that are not there look at the first one
  if (records_.size() < 3 * words_)
    records_.resize(3 * words_);
  raiseFloor();
}

/// Where volatile variables are taken for data, only those that a loop polls are flags.
bool isStrongVolatile(const AccessSite &site) {
  return !settings().volatileIsData || site.order & OrderPolled;
}

static SharedKind kindOf(const Happening &happening) {
  bool isStrong = check::isStrong(*happening.site);
  bool areWords = happening.lay == Lay::One && happening.bytes == 0xf;
  switch (happening.site->kind) {
  case AccessKind::Read:
    return areWords && !isStrong ? ReadsWords : ReadsOther;
  case AccessKind::Write:
    return areWords && !isStrong ? WritesWords : OtherAccess;
  case AccessKind::Atomic:
    return areWords && isStrong ? ChangesWords : OtherAccess;
  }
  return OtherAccess;
}

uint32_t SharedShadow::add(const Happening &happening) {
  if (next_ == MostHappenings - SharedKinds) { // what is there is forgotten
    std::fill(records_.begin(), records_.end(), 0);
    next_ = SharedKinds;
    raiseFloor();
  }
  log_.push_back(happening);
  return std::exchange(next_, next_ + SharedKinds) + kindOf(happening);
}

void SharedShadow::raiseFloor() {
  log_.clear();
  floor_ = next_;
}

Record GlobalShadow::untracked;

GlobalShadow &GlobalShadow::make() { return *new GlobalShadow; } // never destroyed: workers run on

GlobalShadow::GlobalShadow() {
  log_ = static_cast<Happening *>(reserve(MostHappenings * sizeof(Happening)));
  for (mostPieces_ = size_t(1) << 24; mostPieces_; mostPieces_ /= 2)
    if ((pieces_ = static_cast<Record *>(reserve(mostPieces_ * 3 * PieceBytes))))
      break;
  // Pieces lie side by side. Accesses here and there miss fewer entries of the processor's tables.
  if (pieces_)
    madvise(pieces_, mostPieces_ * 3 * PieceBytes, MADV_HUGEPAGE);
}

Record *GlobalShadow::newPiece(uintptr_t address, std::atomic<Record *> &place) {
  Record *piece = &untracked;
  bool isOfAllocator = device::isAllocatorMemory(reinterpret_cast<const void *>(address));
  if (log_ && (address & Besides || isOfAllocator))
    if (size_t number = pieceCount_.fetch_add(1); number < mostPieces_)
      piece = pieces_ + number * 3 * PieceWords;
  Record *known = nullptr;
  return place.compare_exchange_strong(known, piece) ? piece : known;
}

bool GlobalShadow::isKeptIn(uintptr_t address, size_t count) const {
  return std::any_of(kept_, kept_ + count,
                     [&](auto &range) { return address >= range[1] && address < range[0]; });
}

void GlobalShadow::drop(const void *base) {
  auto low = reinterpret_cast<uintptr_t>(base);
  for (auto &range : kept_)
    if (range[1] == low) {
      forget(low, range[0] - low);
      range[0] = 0;
      range[1] = 0;
    }
}

void GlobalShadow::keep(Bounds bounds) {
  auto low = reinterpret_cast<uintptr_t>(bounds.low);
  for (size_t i = 0; i < MostKept; ++i) {
    uintptr_t known = 0;
    if (kept_[i][1].compare_exchange_strong(known, low))
      kept_[i][0] = low + bounds.bytes;
    size_t count = keptCount_.load();
    while (count <= i && !keptCount_.compare_exchange_weak(count, i + 1))
      ;
    if (known == 0 || known == low)
      return;
  }
}

Record *GlobalShadow::pieceAt(uintptr_t address) {
  uintptr_t high = address >> (PieceBits + LowBits);
  if (high >> HighBits)
    return &untracked; // none of a process
  Row *row = rows_[high].load(std::memory_order_acquire);
  if (!row) {
    auto *fresh = static_cast<Row *>(reserve(sizeof(Row)));
    if (!fresh)
      return &untracked;
    if (rows_[high].compare_exchange_strong(row, fresh))
      row = fresh;
    else
      munmap(fresh, sizeof(Row));
  }
  std::atomic<Record *> &place = (*row)[address >> PieceBits & ((1u << LowBits) - 1)];
  Record *piece = place.load(std::memory_order_acquire);
  return piece ? piece : newPiece(address, place);
}

Record *GlobalShadow::knownPieceAt(uintptr_t address) const {
  uintptr_t high = address >> (PieceBits + LowBits);
  Row *row = high >> HighBits ? nullptr : rows_[high].load(std::memory_order_acquire);
  return row ? (*row)[address >> PieceBits & ((1u << LowBits) - 1)].load() : nullptr;
}

uint32_t GlobalShadow::add(const Happening &happening) {
  if (next() >= MostHappenings)
    return 0;
  uint32_t number = next_.fetch_add(1, std::memory_order_relaxed);
  if (number >= MostHappenings)
    return 0;
  log_[number] = happening;
  return number;
}

void GlobalShadow::clear() {
  size_t used = std::min(pieceCount_.load(), mostPieces_);
  madvise(pieces_, used * 3 * PieceBytes, MADV_DONTNEED);
  next_ = 1;
}

void GlobalShadow::forget(uintptr_t address, uint64_t bytes) {
  if (isKept(address))
    address |= Besides;
  for (uintptr_t at = address & ~uintptr_t(3), end = address + bytes; at < end;) {
    uintptr_t next = std::min((at & ~(PieceBytes - 1)) + PieceBytes, end);
    Record *piece = knownPieceAt(at);
    size_t word = (at & (PieceBytes - 1)) / 4, count = (next - at + 3) / 4;
    for (unsigned i = 0; piece && piece != &untracked && i < 3; ++i)
      std::fill_n(piece + i * PieceWords + word, count, 0);
    at = next;
  }
}

} // namespace heddle::check
