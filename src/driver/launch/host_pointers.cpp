// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to pageable host memory as kernel parameters: the commonest mistake. A GPU whose
// cudaDevAttrPageableMemoryAccess is 0 faults where the kernel touches such memory, and only there:
// a null pointer, or one that the kernel passes on or never uses, is legal. On the CPU the access
// would simply work, and the program fail on its first GPU. So the parameter's address is moved to
// where nothing is (HostMemoryTag), the kernel faults like any other, and the report gives the
// thread, the line and the host address. That is done where the kernel uses the pointer for
// accesses alone (frontend/pointer_use.cpp); a pointer that it also stores, compares or prints
// keeps its value, and for that one there is the warning only.
#include "driver/launch/host_pointers.h"

#include "base/machine/mapped.h"
#include "driver/boards/board.h"
#include "driver/memory/memory.h"

#include <atomic>
#include <cstring>

namespace heddle::driver {

namespace {

/// Small odd values are flags in disguise, not pointers, and those beyond the user's half no
/// addresses.
bool mayBeHostAddress(uint64_t value) {
  constexpr uint64_t FirstPage = 4096;
  return value >= FirstPage && (value & HostMemoryTag) == 0;
}

/// The kernel can use the pointer. The end of an allocation counts: programs pass where the rest
/// behind the last whole vector would be, and touch nothing there.
bool isUsable(Context &device, uint64_t value, const PointerInfo &info) {
  return info.onDevice() || device.backend->inHeap(value) ||
         lookUp(reinterpret_cast<void *>(value - 1)).onDevice();
}

/// Whether the program was built for devices that may use all of the host's memory.
std::atomic<bool> isUnified = false;

void warn(Function &function, size_t number, uint64_t value, bool stale) {
  if (function.warnedOfHostPointer.exchange(true))
    return;
  char address[64];
  snprintf(address, sizeof(address), "0x%llx", static_cast<unsigned long long>(value));
  std::string what = "parameter " + std::to_string(number + 1) + " of kernel '" +
                     function.displayName + "' is " + address;
  if (stale)
    what += ", device memory that has been freed or was never allocated";
  else if (isMapped(value))
    what += ", a pointer to pageable host memory, which the kernel cannot use: copy the data with "
            "cudaMemcpy to memory "
            "from cudaMalloc, or take it from cudaMallocManaged";
  else
    what += ", where this process has no memory";
  reportFailure("kernel launch", what);
}

} // namespace

bool usesHostMemory() {
  return isUnified || currentContext().board->properties.pageableMemoryAccess;
}

void checkPointers(Function &function, Context &device, uint8_t *packed) {
  std::span<const ImageParam> all = function.image.params(*function.kernel);
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].isPointer)
      continue;
    uint64_t value;
    std::memcpy(&value, packed + all[i].offset, sizeof(value));
    if (!mayBeHostAddress(value))
      continue;
    PointerInfo info = lookUp(reinterpret_cast<void *>(value));
    if (isUsable(device, value, info))
      continue;
    if ((device.board->properties.pageableMemoryAccess || isUnified) && !info.stale)
      continue;
    warn(function, i, value, info.stale);
    if (all[i].isPointer != ParamOnlyAccessed || info.stale || !isMapped(value))
      continue;
    value |= HostMemoryTag;
    std::memcpy(packed + all[i].offset, &value, sizeof(value));
  }
}

} // namespace heddle::driver

/// For CUDA Fortran's -gpu=mem:unified.
extern "C" __attribute__((visibility("default"))) void heddle_driver_unify_memory() {
  heddle::driver::isUnified = true;
}
