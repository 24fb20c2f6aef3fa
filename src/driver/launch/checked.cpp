// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/launch/checked.h"

#include "check/allocations.h"
#include "check/check.h"
#include "check/init/init.h"
#include "device/checks.h"
#include "device/cpu/memory/allocator.h"
#include "device/kernel_forms.h"
#include "driver/boards/board.h"
#include "driver/call.h"
#include "driver/launch/child_arguments.h"
#include "driver/launch/host_pointers.h"
#include "driver/launch/stream_makers.h"
#include "driver/memory/memory.h"
#include "driver/modules/jit_library.h"
#include "driver/modules/module.h"
#include "driver/program_end.h"
#include "driver/textures/texture.h"
#include "profile/count/counting.h"

#include "base/machine/mapped.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace heddle::driver {

namespace {

bool mayUse(const void *address) {
  PointerInfo info = lookUp(address);
  if (info.onDevice() || isInArguments(address))
    return true;
  return !info.stale && usesHostMemory() && isMapped(reinterpret_cast<uint64_t>(address));
}

/// Memory of cudaMalloc's: pools, and addresses that the program maps, say themselves who may use them.
bool isForeign(const void *device, const void *address) {
  const auto &all = state().devices;
  device::cpu::Allocation found;
  if (all.size() < 2 || !device::cpu::Allocator::get().find(address, found) ||
      found.use.kind != device::cpu::MemoryKind::Device || found.use.device >= all.size() ||
      Tag::unpack(found.use.tag).owner != Owner::User)
    return false;
  for (const auto &context : all)
    if (device ? context->backend.get() == device : context.get() == &currentContext())
      return context->ordinal != found.use.device &&
             !(context->settings.peers >> found.use.device & 1);
  return false;
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
  if (PointerInfo known = lookUp(address); !isOurs && known.base) {
    notes.push_back({"it is inside " + std::to_string(known.bytes) + " bytes of " +
                         (known.registered ? "registered host memory" : "a managed variable"),
                     {}});
    return;
  }
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

/// The same with fewer checks, or none.
Function &otherForm(Function &function, std::atomic<Function *> &place, uint32_t checks) {
  if (Function *known = place.load(std::memory_order_acquire))
    return *known;
  std::lock_guard guard(function.mutex);
  if (Function *known = place.load(std::memory_order_relaxed))
    return *known;
  auto *other = new Function; // as long as the function itself
  other->name = function.name;
  other->capability = function.capability;
  other->module = function.module;
  other->image = function.image;
  other->kernel = function.kernel;
  other->displayName = function.displayName;
  other->hasOwnChecks = true;
  other->ownChecks = checks;
  place.store(other, std::memory_order_release);
  return *other;
}

Function &withChecks(Function &function, uint32_t checks) {
  return otherForm(function, function.lessChecked[checks], checks);
}

bool isChosen(Function &function) {
  int known = function.isChosen.load(std::memory_order_relaxed);
  if (known < 0)
    function.isChosen = known = check::choosesKernel(function.name, function.displayName);
  return known != 0;
}

} // namespace

Function &uncounted(Function &function) {
  Function &other = otherForm(function, function.uncounted, 0);
  other.isUncounted = true;
  return other;
}

Function &functionToRun(Function &function) {
  if (profile::counts() && !profile::countsLaunch(function.displayName))
    return uncounted(function);
  if (!isChecked || function.hasOwnChecks || (isChosen(function) && check::choosesLaunch()))
    return function;
  check::initUnchecked();
  // What kernels write that are not checked counts for initcheck.
  bool countsWrites = check::checks() & CheckInit;
  return otherForm(function, function.unchecked, countsWrites ? CheckInit | CheckWrites : 0);
}

/// Whether all memory that initcheck would look at was written.
static bool wasWritten(const device::LaunchRequest &request) {
  const KernelCode &code = *request.kernel->code;
  if (!(code.flags & KernelLooksAtParams) ||
      request.dynamicSharedBytes > code.writtenDynamicBytes || device::liveCheckedLaunches() ||
      check::initMayChange())
    return false;
  for (const uint32_t *param = code.checkedParams; *param != NoParam; ++param) {
    const void *pointer;
    std::memcpy(&pointer, static_cast<const uint8_t *>(request.params) + offsetOfParam(*param),
                sizeof(pointer));
    if (check::initMustLook(pointer))
      return false;
  }
  return true;
}

/// Without what only says how others check.
static uint32_t withoutIdle(uint32_t checks) {
  if (!(checks & CheckFloat))
    checks &= ~uint32_t(CheckCancellation);
  return checks & CheckInit ? checks : checks & ~uint32_t(CheckWrites);
}

LessChecked lessChecked(Function &function, const device::LaunchRequest &request) {
  uint32_t checks = function.hasOwnChecks ? function.ownChecks : check::checks(), left = checks;
  if (!request.kernel->code->checkedParams)
    return {};
  if (checks & CheckRaces)
    lookForStreamMakers();
  device::Proven proven = device::prove(request);
  if (proven.memory)
    left &= ~uint32_t(CheckMemory);
  if (check::needsAllAccesses())
    proven.races = proven.racesOfRest = false;
  if (proven.races)
    left &= ~uint32_t(CheckRaces);
  if (left & CheckInit && wasWritten(request))
    left &= ~uint32_t(CheckInit);
  left &= ~uint32_t((proven.sync ? CheckSync : 0) | (proven.floats ? CheckFloat : 0));
  left = withoutIdle(left);
  LessChecked less;
  if (left != checks)
    less.all = &withChecks(function, left);
  uint32_t rest = left & ~uint32_t((proven.memoryOfRest ? CheckMemory : 0) |
                                   (proven.racesOfRest ? CheckRaces : 0));
  if (rest != left)
    less.rest = &withChecks(function, withoutIdle(rest));
  less.restBlocks = proven.rest;
  return less;
}

/// Both ask for the bounds of the same parameters, or the second for none.
static bool looksAtSameParams(const KernelCode &first, const KernelCode &rest) {
  if (!rest.checkedParams)
    return true;
  const uint32_t *param = first.checkedParams;
  for (const uint32_t *other = rest.checkedParams; *other != NoParam; ++other, ++param)
    if (*param == NoParam || offsetOfParam(*param) != offsetOfParam(*other))
      return false;
  return true;
}

/// The same code whose blocks come in the order of another's: that of blocks that wait is the runner's.
static const device::KernelInfo *inOrderOf(const device::KernelInfo &info, const KernelCode &rest) {
  const KernelCode &code = *info.code;
  auto *compiled = static_cast<Compiled *>(info.owner);
  if (std::max(code.band, 1u) == std::max(rest.band, 1u))
    return &info;
  if (!(code.flags & KernelWaits) || code.band > 1)
    return nullptr;
  std::lock_guard guard(compiled->function->mutex);
  std::unique_ptr<device::KernelInfo> &other = compiled->inBands[rest.band];
  if (!other) { // as long as the code itself
    auto *banded = new KernelCode(code);
    banded->band = rest.band;
    other = std::make_unique<device::KernelInfo>();
    other->code = banded;
    other->name = info.name, other->objectPath = info.objectPath;
    other->makeThreadwise = info.makeThreadwise, other->owner = info.owner;
  }
  return other.get();
}

void takeRest(device::LaunchRequest &request, const device::KernelInfo &rest) {
  const device::KernelInfo *first = inOrderOf(*request.kernel, *rest.code);
  bool mayFollow = first && device::mayTakeTurns(*first->code, *rest.code) &&
                   first->code->neighbours == 1 && rest.code->neighbours == 1 &&
                   first->code->together == 1 && rest.code->together == 1;
  if (!mayFollow || !looksAtSameParams(*first->code, *rest.code))
    return;
  request.kernel = first;
  request.rest = &rest;
}

/// The default streams of several devices run beside each other.
void startChecks(size_t devices) {
  check::start({mayUse, isForeign, isSampled, describe, symbolize,
                [](uint32_t fault) { return int(errorOf(device::Fault(fault))); },
                [] { (void)synchronizeContexts(); }});
  isChecked = check::checks() != 0;
  if (isChecked)
    reportAtAnyEnd(check::finishEarly);
  if (!(check::checks() & CheckRaces))
    return;
  if (devices > 1)
    device::noteStreams();
  lookForStreamMakers();
}

} // namespace heddle::driver
