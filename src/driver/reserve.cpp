// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that runs out. The standard library's containers say so by an exception, which would go
// through our code, leave its locks taken, and through CUDA's functions, which are C. So `new` never
// fails here (reserve_new.cpp): the calls that are under way get small pieces of a reserve, and all
// later ones are refused (driver/call.cpp, with CUDA_ERROR_OUT_OF_MEMORY) until there is memory again.
// What a program's sizes decide does not come here, but is allocated with std::nothrow.
#include "driver/reserve.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace heddle::driver {

namespace {

constexpr size_t ReserveBytes = 4u << 20; // pages that are not touched cost nothing

alignas(64) uint8_t reserve[ReserveBytes];
std::atomic<size_t> used{0};
std::atomic<bool> isTouched{false};

} // namespace

void *takeReserve(size_t bytes, size_t align) {
  isTouched.store(true, std::memory_order_relaxed);
  const size_t room = align < 16 ? 16 : align;
  if (bytes > ReserveBytes / 4 || room > ReserveBytes / 4)
    return nullptr;
  const size_t taken = (bytes + 15) / 16 * 16 + room;
  const size_t start = used.fetch_add(taken, std::memory_order_relaxed);
  if (start > ReserveBytes - taken) {
    used.fetch_sub(taken, std::memory_order_relaxed);
    return nullptr;
  }
  const auto address = reinterpret_cast<uintptr_t>(reserve + start);
  return reinterpret_cast<void *>((address + room - 1) / room * room);
}

bool isOfReserve(const void *p) {
  return reinterpret_cast<uintptr_t>(p) - reinterpret_cast<uintptr_t>(reserve) < ReserveBytes;
}

bool isMemoryShort() {
  if (!isTouched.load(std::memory_order_relaxed))
    return false;
  constexpr size_t Enough = 1u << 20;
  void *probe = std::malloc(Enough);
  std::free(probe);
  if (probe)
    isTouched.store(false, std::memory_order_relaxed);
  return !probe;
}

} // namespace heddle::driver
