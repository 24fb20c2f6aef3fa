// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define HEDDLE_ROOT_REGION(what, address, bytes) __lsan_##what##_root_region(address, bytes)
#endif
#endif
#ifndef HEDDLE_ROOT_REGION
#define HEDDLE_ROOT_REGION(what, address, bytes) (void)0
#endif

namespace heddle::driver {

/// Objects behind opaque handles. They lie in one reserved range of addresses which is never given
/// back, so a handle can be checked without a lock and without touching foreign memory: any foreign
/// or made-up value is told from a live handle, and so is a stale one, until its place is used again.
/// That is when all of the Max places have been used that no live object has: a new object takes the
/// next free place behind the one before it. Memory of blocks without a live object goes back.
template <typename T, size_t Max> class HandlePool {
public:
  HandlePool() {
    void *range = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    slots_ = range == MAP_FAILED ? nullptr : static_cast<Slot *>(range);
    live_ = reinterpret_cast<Word *>(slots_ + Max);
    some_ = live_ + Words;
  }

  /// A new object; null when there are Max.
  T *create() {
    std::lock_guard guard(mutex_);
    if (!slots_ || count_ == Max)
      return nullptr;
    const size_t index = nextFree();
    T *object = new (slots_[index].storage) T();
    // What an object that the program never destroys holds is no leak of ours.
    HEDDLE_ROOT_REGION(register, object, sizeof(Slot));
    ++count_;
    next_ = (index + 1) % Max;
    live_[index / Bits].fetch_or(bit(index), std::memory_order_release);
    some_[index / Bits / Bits].fetch_or(bit(index / Bits), std::memory_order_release);
    top_.store(std::max(top_.load(std::memory_order_relaxed), index / Bits / Bits + 1),
               std::memory_order_release);
    return object;
  }
  void destroy(T *object) {
    std::lock_guard guard(mutex_);
    const size_t index = static_cast<size_t>(reinterpret_cast<Slot *>(object) - slots_);
    Word &word = live_[index / Bits];
    if (!(word.fetch_and(~bit(index), std::memory_order_acq_rel) & ~bit(index)))
      some_[index / Bits / Bits].fetch_and(~bit(index / Bits), std::memory_order_release);
    object->~T();
    HEDDLE_ROOT_REGION(unregister, object, sizeof(Slot));
    --count_;
    if (index / Block != next_ / Block)
      giveBack(index / Block);
  }
  /// The object of a handle, or null.
  T *find(const void *handle) const {
    auto offset = reinterpret_cast<uintptr_t>(handle) - reinterpret_cast<uintptr_t>(slots_);
    if (!slots_ || offset >= Max * sizeof(Slot) || offset % sizeof(Slot) != 0)
      return nullptr;
    const size_t index = offset / sizeof(Slot);
    return live_[index / Bits].load(std::memory_order_acquire) & bit(index) ? objectAt(index)
                                                                            : nullptr;
  }
  template <typename F> void forEach(F &&visit) {
    for (size_t group = 0; group < top_.load(std::memory_order_acquire); ++group)
      forBits(some_[group], group * Bits, [&](size_t word) {
        forBits(live_[word], word * Bits, [&](size_t index) { visit(objectAt(index)); });
      });
  }

private:
  struct Slot {
    alignas(alignof(std::max_align_t)) std::byte storage[sizeof(T)];
  };
  using Word = std::atomic<uint64_t>; ///< zero pages: nothing lives
  static constexpr size_t Bits = 64, Words = Max / Bits, Groups = (Words + Bits - 1) / Bits;
  static constexpr size_t Block = 256; ///< slots; always whole pages
  static constexpr size_t Bytes = Max * sizeof(Slot) + (Words + Groups) * sizeof(Word);
  static_assert(Max % Block == 0 && Block * alignof(Slot) % 4096 == 0);

  static uint64_t bit(size_t index) { return uint64_t(1) << index % Bits; }
  T *objectAt(size_t index) const { return reinterpret_cast<T *>(slots_[index].storage); }

  template <typename F> static void forBits(const Word &word, size_t first, F &&visit) {
    for (uint64_t bits = word.load(std::memory_order_acquire); bits; bits &= bits - 1)
      visit(first + static_cast<size_t>(std::countr_zero(bits)));
  }

  /// With the lock held, and one free.
  size_t nextFree() const {
    size_t word = next_ / Bits;
    uint64_t free = ~live_[word].load(std::memory_order_relaxed) & ~(bit(next_) - 1);
    for (; !free; free = ~live_[word].load(std::memory_order_relaxed))
      word = (word + 1) % Words;
    return word * Bits + static_cast<size_t>(std::countr_zero(free));
  }

  /// With the lock held: the memory of a block in which nothing lives.
  void giveBack(size_t block) {
    for (size_t word = 0; word < Block / Bits; ++word)
      if (live_[block * Block / Bits + word].load(std::memory_order_relaxed))
        return;
    madvise(slots_ + block * Block, Block * sizeof(Slot), MADV_DONTNEED);
  }

  Slot *slots_;
  Word *live_, *some_;         ///< by slot; by word of the former
  std::atomic<size_t> top_{0}; ///< words of `some_` that were ever used
  size_t next_ = 0, count_ = 0;
  std::mutex mutex_;
};

} // namespace heddle::driver
