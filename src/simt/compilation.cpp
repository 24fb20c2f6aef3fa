// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/compilation.h"

#include "base/switches.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/memory_space.h"
#include "simt/analysis/shape.h"
#include "simt/canonical/distribute_extensions.h"
#include "simt/canonical/normalize.h"
#include "simt/entry/entry.h"
#include "simt/form/restore_function.h"
#include "simt/progress/polls.h"
#include "simt/shared/promote_shared.h"
#include "simt/shared/wavefronts.h"
#include "simt/thread/prefetch_next_round.h"
#include "simt/vector/eliminate_dead_lanes.h"
#include "simt/vector/pack_structs.h"
#include "simt/vector/stream_stores.h"

#include "llvm/Analysis/TargetTransformInfo.h"

using namespace llvm;

namespace heddle::simt {

VectorRegisters vectorRegisters(const Function &function, TargetMachine &machine) {
  return vectorRegisters(machine.getTargetTransformInfo(function));
}

VectorRegisters vectorRegisters(const TargetTransformInfo &target) {
  auto bits = unsigned(
      target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue());
  unsigned count = target.getNumberOfRegisters(target.getRegisterClassForType(/*Vector=*/true));
  return {std::max(128u, bits), std::max(8u, count)};
}

Compilation::Compilation(Module &module, Function &function, const Options &options,
                         TargetMachine &machine)
    : module(module), options(options), machine(machine), function_(function) {
  // What is known of the allocations that parameters point into.
  if (options.debug || !options.isEnabled("noalias-arguments"))
    this->options.objects.clear();
}

void Compilation::fail(Error error) {
  failure_ = joinErrors(std::move(failure_), std::move(error));
  hasFailed_ = true;
}

void Compilation::lower() {
  Expected<ThreadProgram> lowered = lowerDevice(module, function_, options, machine);
  if (!lowered)
    return fail(lowered.takeError());
  thread = std::move(*lowered);
  options.registers = vectorRegisters(*thread.body, machine);
}

void Compilation::distributeExtensions(const Options &options) {
  if (options.debug || !options.isEnabled("distribute-extensions"))
    return;
  for (Function &function : module)
    if (!function.isDeclaration())
      thread.trustsShortObjects |= simt::distributeExtensions(function, options);
}

void Compilation::markWaits() {
  Waits waits = markPolls(module);
  thread.maySpin = waits.maySpin;
  thread.polls = waits.polls;
  thread.hasFences = hasFences(module);
}

void Compilation::changed(bool isChanged) {
  if (!isChanged)
    return;
  fold(*thread.body, machine);
  renormalize(module, machine);
  distributeExtensions();
}

void Compilation::prefetchNextRound() {
  if (!isWholeBlock() || thread.abreast)
    simt::prefetchNextRound(thread);
}

void Compilation::promoteShared() {
  inRegisters_ = simt::promoteShared(module, machine, options.registers, thread.staticShared);
}

void Compilation::keepWavesInRegisters() {
  if (!inRegisters_)
    simt::keepWavesInRegisters(module, machine, options.registers, thread.staticShared,
                               options.isEnabled("hoist-tile-stores"));
}

void Compilation::eliminateDeadLanes() {
  if (options.width < WarpSize || warp.waits)
    return;
  if (inRegisters_ || thread.together > 1)
    simt::eliminateDeadLanes(module, machine, options.isEnabled("shuffle-network"));
  else if (options.threads() < options.width)
    cutIdleLanes(module, machine, options.threads(), options.width);
}

void Compilation::simplifyPrograms() {
  if (splits() || (warp.hasStructs && options.isEnabled("pack-structs")))
    simplify(module, machine);
}

void Compilation::packStructs() {
  if (warp.hasStructs)
    simt::packStructs(module, machine);
}

/// What a program that waits writes once goes past the caches.
void Compilation::split() {
  if (!splits())
    return;
  streamStores(module, options.isEnabled("hoist-store-choices") && !options.debug
                           ? std::optional(options.registers)
                           : std::nullopt);
  splitCoroutine(module, machine, options, sharedIsApart_);
}

bool Options::isEnabled(StringRef pass) const { return heddle::isEnabled(pass, disabled); }

} // namespace heddle::simt
