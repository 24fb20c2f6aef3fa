// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/memory/device_heap.h"

#include "device/cpu/memory/allocator.h"
#include "device/cpu/memory/pages.h"

#include <bit>
#include <cstring>

namespace heddle::device::cpu {

namespace {
constexpr uint32_t LiveMagic = 0x48454150, FreeMagic = 0x46524545;
/// Address space per byte of capacity: free blocks of one size class do not serve another.
constexpr size_t Slack = 4;
} // namespace

DeviceHeap::~DeviceHeap() { clear(); }

bool DeviceHeap::setCapacity(size_t bytes) {
  std::lock_guard guard(mutex_);
  if (base_)
    return false;
  capacity_ = bytes;
  Allocator::get().noteObject(bytes);
  return true;
}

void DeviceHeap::clear() {
  std::lock_guard guard(mutex_);
  if (base_)
    unmapGuarded(base_, static_cast<size_t>(end_ - base_) * (hasShadow_ ? 2 : 1));
  base_ = end_ = fresh_ = nullptr;
  live_ = 0;
  capacity_ = initialCapacity_;
  for (Header *&list : free_)
    list = nullptr;
}

// Class 4*k + m holds blocks of (4 + m) * 2^k * 4 bytes, from 16 bytes on.
uint32_t DeviceHeap::classOf(uint64_t bytes) {
  if (bytes <= 16)
    return 0;
  uint32_t k = static_cast<uint32_t>(std::bit_width(bytes - 1)) - 5;
  uint64_t step = uint64_t(4) << k;
  return 4 * k + static_cast<uint32_t>((bytes + step - 1) / step) - 4;
}

uint64_t DeviceHeap::classBytes(uint32_t sizeClass) {
  return roundUp((uint64_t(4) << (sizeClass / 4)) * (4 + sizeClass % 4), 16);
}

void *DeviceHeap::allocate(uint64_t bytes) {
  std::lock_guard guard(mutex_);
  if (bytes == 0 || bytes > capacity_ || live_ + bytes > capacity_)
    return nullptr;
  if (!base_) {
    size_t space = roundUp(capacity_ * Slack, pageBytes());
    base_ = fresh_ = static_cast<uint8_t *>(mapGuarded(hasShadow_ ? 2 * space : space));
    if (!base_)
      return nullptr;
    end_ = base_ + space;
  }
  uint32_t sizeClass = classOf(bytes);
  Header *header = free_[sizeClass];
  if (header) {
    free_[sizeClass] = *reinterpret_cast<Header **>(header + 1);
  } else {
    size_t whole = sizeof(Header) + classBytes(sizeClass);
    if (whole > static_cast<size_t>(end_ - fresh_))
      return nullptr;
    header = reinterpret_cast<Header *>(fresh_);
    fresh_ += whole;
  }
  *header = {bytes, sizeClass, LiveMagic};
  live_ += bytes;
  if (hasShadow_)
    std::memset(shadowOf(header + 1), 0xff, bytes);
  return header + 1;
}

bool DeviceHeap::release(void *p) {
  if (!p)
    return true;
  std::lock_guard guard(mutex_);
  auto *byte = static_cast<uint8_t *>(p);
  if (!base_ || reinterpret_cast<uintptr_t>(p) % 16 != 0 || byte < base_ + sizeof(Header) ||
      byte >= fresh_)
    return false;
  Header *header = static_cast<Header *>(p) - 1;
  if (header->magic != LiveMagic || header->sizeClass >= Classes)
    return false;
  header->magic = FreeMagic;
  live_ -= header->bytes;
  if (hasShadow_)
    std::memset(shadowOf(p), 0, header->bytes);
  *reinterpret_cast<Header **>(p) = free_[header->sizeClass];
  free_[header->sizeClass] = header;
  return true;
}

void DeviceHeap::forgetShadow(const void *p) {
  const void *base;
  size_t bytes;
  if (hasShadow_ && find(p, base, bytes))
    std::memset(shadowOf(base), 0, bytes);
}

bool DeviceHeap::find(const void *p, const void *&base, size_t &bytes) {
  std::lock_guard guard(mutex_);
  auto *byte = static_cast<const uint8_t *>(p);
  for (uint8_t *at = base_; at < fresh_;) {
    auto *header = reinterpret_cast<Header *>(at);
    if (header->sizeClass >= Classes)
      return false; // overwritten by the kernel
    uint8_t *next = at + sizeof(Header) + classBytes(header->sizeClass);
    if (byte < next) {
      base = header + 1;
      bytes = header->bytes;
      return byte >= at && header->magic == LiveMagic;
    }
    at = next;
  }
  return false;
}

} // namespace heddle::device::cpu
