// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parameters of a launch point into different allocations. The compiler may count on it
// (simt/analysis/objects.cpp); code that does runs only in launches for which the same holds.
//
// A parameter counts if it points into an allocation of ours with nothing beside it: a program may
// pass the end of an array, or one element before it, and go back from there. So no slots of slabs
// (device/cpu/memory/allocator.cpp). A null pointer points to no object, so it is apart from all.
// Of pointers inside structures, and of those that a kernel loads, nothing is known.
#include "driver/launch/launch_objects.h"

#include "base/abi/kernel_abi.h"
#include "device/cpu/memory/allocator.h"

#include <atomic>
#include <cstring>

namespace heddle::driver {

namespace {

/// The allocation's address, or another number that is only this parameter's; 0: not known.
uintptr_t objectAt(uintptr_t pointer, size_t parameter) {
  if (!pointer)
    return parameter + 1;
  device::cpu::Allocation found;
  bool isKnown =
      device::cpu::Allocator::get().find(reinterpret_cast<void *>(pointer), found) && found.isApart;
  return isKnown ? reinterpret_cast<uintptr_t>(found.base) : 0;
}

} // namespace

ObjectNumbers numberObjects(const Function &function, const uint8_t *packed,
                            const uint8_t *globals) {
  ObjectNumbers numbers = {};
  uintptr_t objects[MostObjects] = {};
  std::span<const ImageParam> params = function.image.params(*function.kernel);
  size_t count = 0;
  auto add = [&](uintptr_t object) {
    objects[count] = object;
    size_t first = 0;
    while (objects[first] != object)
      ++first;
    numbers[count++] = object ? static_cast<uint8_t>(first + 1) : 0;
  };
  add(objectAt(reinterpret_cast<uintptr_t>(globals), 0));
  for (const ImageParam &param : params) {
    if (!param.isPointer)
      continue;
    if (count == MostObjects)
      break;
    uintptr_t pointer;
    std::memcpy(&pointer, packed + param.offset, sizeof(pointer));
    add(objectAt(pointer, count));
  }
  return numbers;
}

/// A launch with more than MostIndices threads along x has been made.
static std::atomic<bool> hasLongLaunches = false;

void noteLaunch(const dim3 &grid, const dim3 &block) {
  if (uint64_t(grid.x) * block.x > MostIndices)
    hasLongLaunches.store(true, std::memory_order_relaxed);
}

bool hasLongObjects() {
  return device::cpu::Allocator::get().longestObject() > ShortObject ||
         hasLongLaunches.load(std::memory_order_relaxed);
}

bool fits(const ObjectNumbers &compiledFor, const ObjectNumbers &launch) {
  for (size_t i = 0; i < MostObjects; ++i)
    for (size_t j = 0; compiledFor[i] && j < i; ++j)
      if (compiledFor[j] && compiledFor[i] != compiledFor[j] &&
          (!launch[i] || !launch[j] || launch[i] == launch[j]))
        return false;
  return true;
}

} // namespace heddle::driver
