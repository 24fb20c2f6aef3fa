// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/launch/checked.h"

#include "check/allocations.h"
#include "check/check.h"
#include "check/init/init.h"
#include "device/checks.h"
#include "device/cpu/memory/allocator.h"
#include "driver/boards/board.h"
#include "driver/call.h"
#include "driver/launch/host_pointers.h"
#include "driver/memory/memory.h"
#include "driver/modules/jit_library.h"
#include "driver/modules/module.h"

#include "base/machine/mapped.h"

#include <cstdlib>
#include <cstring>

namespace heddle::driver {

namespace {

bool mayUse(const void *address) {
  PointerInfo info = lookUp(address);
  if (info.onDevice())
    return true;
  return !info.stale && usesHostMemory() && isMapped(reinterpret_cast<uint64_t>(address));
}

void describeAllocationAt(const void *base, std::vector<check::Note> &notes) {
  check::AllocationNote note;
  if (check::findAllocationNote(base, note))
    check::describeAllocation(note, notes);
}

std::vector<check::Frame> symbolize(const char *path, uint64_t offset) {
  constexpr size_t Words = 4; ///< of a frame
  std::vector<std::string> words = jitSymbolizeHost(path, offset);
  std::vector<check::Frame> frames;
  for (size_t i = 0; i + Words <= words.size(); i += Words)
    frames.push_back({words[i], words[i + 1],
                      static_cast<uint32_t>(std::strtoul(words[i + 2].c_str(), nullptr, 10)),
                      static_cast<uint32_t>(std::strtoul(words[i + 3].c_str(), nullptr, 10))});
  return frames;
}

/// "a freed device allocation of 2,000 bytes".
void describe(const void *address, const void *object, std::vector<check::Note> &notes) {
  device::AllocationInfo info;
  if (object)
    return describeAllocationAt(object, notes);
  auto value = reinterpret_cast<uint64_t>(address);
  bool isOurs = device::cpu::Allocator::get().owns(address);
  if (!isOurs && ((value & HostMemoryTag) == HostMemoryTag || isMapped(value))) {
    notes.push_back({"it is pageable host memory: the kernel was given a host pointer", {}});
    return;
  }
  if (!device::cpu::Allocator::get().nearest(address, info))
    return;
  auto base = reinterpret_cast<uint64_t>(info.base);
  std::string what = std::to_string(info.bytes) + " bytes of " + info.kind + " memory";
  const void *freedBase;
  check::AllocationNote freed;
  if (value - base < info.bytes)
    notes.push_back({"it is inside " + what, {}});
  else
    notes.push_back({"it is " +
                         std::to_string(value < base ? base - value : value - base - info.bytes) +
                         " bytes " + (value < base ? "before " : "behind ") + what,
                     {}});
  if (check::findFreedAllocation(address, freedBase, freed))
    check::describeAllocation(freed, notes);
  else
    describeAllocationAt(info.base, notes);
}

/// When objects of the program are gone that free memory.
__attribute__((destructor)) void finishChecks() {
  if (isChecked)
    check::finish();
}

/// `kind`: &Function::unchecked or &Function::plain.
Function &otherForm(Function &function, std::atomic<Function *> Function::*kind) {
  if (Function *known = (function.*kind).load(std::memory_order_acquire))
    return *known;
  std::lock_guard guard(function.mutex);
  if (Function *known = (function.*kind).load(std::memory_order_relaxed))
    return *known;
  auto *plain = new Function; // as long as the function itself
  plain->name = function.name;
  plain->capability = function.capability;
  plain->module = function.module;
  plain->image = function.image;
  plain->kernel = function.kernel;
  plain->displayName = function.displayName;
  plain->isUnchecked = true;
  plain->isPlain = kind == &Function::plain;
  (function.*kind).store(plain, std::memory_order_release);
  return *plain;
}

bool isChosen(Function &function) {
  int known = function.isChosen.load(std::memory_order_relaxed);
  if (known < 0)
    function.isChosen = known = check::choosesKernel(function.name, function.displayName);
  return known != 0;
}

} // namespace

Function &functionToRun(Function &function) {
  if (!isChecked || function.isUnchecked)
    return function;
  return isChosen(function) && check::choosesLaunch() ? function
                                                      : otherForm(function, &Function::unchecked);
}

Function *plainInstead(Function &function, const KernelCode &code, const uint8_t *packed) {
  if ((check::checks() & ~CheckWrites) != CheckInit || !(code.flags & KernelLooksAtParams) ||
      !code.checkedParams || device::liveCheckedLaunches() || check::initMayChange())
    return nullptr;
  for (const uint32_t *param = code.checkedParams; *param != NoParam; ++param) {
    const void *pointer;
    std::memcpy(&pointer, packed + offsetOfParam(*param), sizeof(pointer));
    if (check::initMustLook(pointer))
      return nullptr;
  }
  return &otherForm(function, &Function::plain);
}

void startChecks() {
  check::start({mayUse, describe, symbolize});
  isChecked = check::checks() != 0;
}

} // namespace heddle::driver
