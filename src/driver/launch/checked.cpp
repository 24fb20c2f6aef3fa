// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/launch/checked.h"

#include "check/check.h"
#include "device/cpu/memory/allocator.h"
#include "driver/boards/board.h"
#include "driver/launch/host_pointers.h"
#include "driver/memory/memory.h"

#include "base/machine/mapped.h"

#include <cstdlib>

namespace heddle::driver {

namespace {

bool mayUse(const void *address) {
  PointerInfo info = lookUp(address);
  if (info.onDevice())
    return true;
  return !info.stale && usesHostMemory() && isMapped(reinterpret_cast<uint64_t>(address));
}

/// "a freed device allocation of 2,000 bytes".
void describe(const void *address, const void *object, std::vector<check::Note> &notes) {
  device::AllocationInfo info;
  if (object)
    return;
  auto value = reinterpret_cast<uint64_t>(address);
  if ((value & HostMemoryTag) == HostMemoryTag || isMapped(value)) {
    notes.push_back({"it is pageable host memory: the kernel was given a host pointer", {}});
    return;
  }
  if (!device::cpu::Allocator::get().nearest(address, info))
    return;
  auto base = reinterpret_cast<uint64_t>(info.base);
  std::string what = std::to_string(info.bytes) + " bytes of " + info.kind + " memory";
  if (value - base < info.bytes)
    notes.push_back({"it is inside " + what, {}});
  else
    notes.push_back({"it is " +
                         std::to_string(value < base ? base - value : value - base - info.bytes) +
                         " bytes " + (value < base ? "before " : "behind ") + what,
                     {}});
}

} // namespace

void startChecks() {
  check::start({mayUse, describe});
  if (check::checks())
    atexit(check::finish);
}

} // namespace heddle::driver
