// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <new>

#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define HEDDLE_ROOT_REGION(address, bytes) __lsan_register_root_region(address, bytes)
#endif
#endif
#ifndef HEDDLE_ROOT_REGION
#define HEDDLE_ROOT_REGION(address, bytes) (void)0
#endif

namespace heddle::runtime {

/// Objects behind opaque handles. They lie in one reserved range of addresses which is never given
/// back, so a handle can be checked without a lock and without touching foreign memory: any foreign
/// or made-up value is told from a live handle, and so is a stale one, until Rest other objects have
/// been destroyed after it and its place is used again.
template <typename T, size_t Max> class HandlePool {
public:
  HandlePool() {
    void *range = mmap(nullptr, Max * sizeof(Slot), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    slots_ = range == MAP_FAILED ? nullptr : static_cast<Slot *>(range);
  }

  /// A new object; null when there are Max.
  T *create() {
    std::lock_guard guard(mutex_);
    Slot *slot;
    if (free_.size() > Rest || (used_ == Max && !free_.empty())) {
      slot = free_.front();
      free_.pop_front();
    } else if (slots_ && used_ < Max) {
      slot = &slots_[used_++];
      // What an object that the program never destroys holds is no leak of ours.
      HEDDLE_ROOT_REGION(slot, sizeof(Slot));
    } else {
      return nullptr;
    }
    T *object = new (slot->storage) T();
    slot->live.store(true, std::memory_order_release);
    return object;
  }
  void destroy(T *object) {
    std::lock_guard guard(mutex_);
    Slot *slot = reinterpret_cast<Slot *>(object);
    slot->live.store(false, std::memory_order_release);
    object->~T();
    free_.push_back(slot);
  }
  /// The object of a handle, or null.
  T *find(const void *handle) const {
    auto offset = reinterpret_cast<uintptr_t>(handle) - reinterpret_cast<uintptr_t>(slots_);
    if (!slots_ || offset >= Max * sizeof(Slot) || offset % sizeof(Slot) != 0)
      return nullptr;
    Slot &slot = slots_[offset / sizeof(Slot)];
    return slot.live.load(std::memory_order_acquire) ? reinterpret_cast<T *>(slot.storage)
                                                     : nullptr;
  }
  template <typename F> void forEach(F &&visit) {
    for (size_t i = 0; i < used_; ++i)
      if (slots_[i].live.load(std::memory_order_acquire))
        visit(reinterpret_cast<T *>(slots_[i].storage));
  }

  static constexpr size_t Rest = Max < 8192 ? Max / 2 : 4096;

private:
  struct Slot {
    alignas(alignof(std::max_align_t)) std::byte storage[sizeof(T)];
    std::atomic<bool> live; ///< zero pages: false
  };
  Slot *slots_;
  size_t used_ = 0;
  std::deque<Slot *> free_; ///< the longest first
  std::mutex mutex_;
};

} // namespace heddle::runtime
