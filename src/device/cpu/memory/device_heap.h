// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace heddle::device::cpu {

/// The heap of malloc and free in kernels (CUDA guide, "Dynamic Global Memory Allocation"). Lives
/// in a mapping of its own, so that a kernel that overruns its memory cannot break the host's heap.
/// And, with another capacity, of alloca. Size classes at four per power of two, a free list each, refilled from the untouched end.
class DeviceHeap {
public:
  explicit DeviceHeap(size_t capacity = DefaultCapacity)
      : initialCapacity_(capacity), capacity_(capacity) {}
  ~DeviceHeap();

  /// 16-byte aligned; null when the live bytes would exceed the capacity.
  void *allocate(uint64_t bytes);
  /// False if `p` is not what allocate returned, or was released before. Null is fine.
  bool release(void *p);

  static constexpr size_t DefaultCapacity = 8u << 20;
  /// cudaLimitMallocHeapSize. False, and nothing changes, after the first allocation, as in CUDA.
  bool setCapacity(size_t bytes);
  size_t capacity() const { return capacity_; }
  /// Empty, with the capacity that it began with.
  void clear();
  /// The calling thread was cut off inside allocate or release.
  void recover() { mutex_.unlock(); }
  bool contains(uint64_t address) const {
    return address >= reinterpret_cast<uint64_t>(base_) &&
           address < reinterpret_cast<uint64_t>(end_);
  }
  const uint8_t *begin() const { return base_; }
  const uint8_t *end() const { return end_; }
  /// The live block that `p` lies in, if any: its start and size.
  bool find(const void *p, const void *&base, size_t &bytes);
  /// Before the first allocation: shadow memory (base/abi/check_abi.h) lies behind the heap, and
  /// says what was not written since it was allocated.
  void keepShadow() { hasShadow_ |= !base_; }
  /// Of an address that it contains.
  uint8_t *shadowOf(const void *p) const {
    auto *byte = static_cast<uint8_t *>(const_cast<void *>(p));
    return hasShadow_ ? byte + (end_ - base_) : nullptr;
  }
  /// The block at an address counts as written: parameters point there, and by them no code looks.
  void forgetShadow(const void *p);
  uint64_t bytesBehind(const void *p) const {
    return static_cast<uint64_t>(end_ - static_cast<const uint8_t *>(p));
  }

private:
  static constexpr size_t Classes = 4 * 64;
  struct Header {
    uint64_t bytes; ///< as asked for
    uint32_t sizeClass;
    uint32_t magic;
  };
  static uint32_t classOf(uint64_t bytes);
  static uint64_t classBytes(uint32_t sizeClass);

  std::mutex mutex_;
  const size_t initialCapacity_;
  size_t capacity_;
  size_t live_ = 0;
  bool hasShadow_ = false;
  uint8_t *base_ = nullptr, *end_ = nullptr, *fresh_ = nullptr;
  Header *free_[Classes] = {};
};

} // namespace heddle::device::cpu
