// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells allocations apart.
//
// Problem. A kernel with parameters `in` and `out` may be given the same array twice, so whatever
// it has read from `in` may change with each store to `out`: it must be kept, or read first.
//
// Method. The runtime made the allocations, and looks up at each launch which one a pointer
// parameter points into. Code is compiled under the assumption that some parameters point into
// different allocations; a launch for which this is not true gets other code
// (driver/launch/launch_objects.h). An access belongs to the allocation of the parameter that its
// address is computed from. An access beyond the allocation's end is an error whatever it hits.
//
//     %p = load ptr, (load %launch->params) + 8      -> object 2, if the launch says so
//     %q = getelementptr i32, ptr %p, i64 %i         -> the same
//     %s = getelementptr i8, ptr %shared, i64 64     -> the block's shared memory
//     %r = load ptr, ptr %q                          -> not known
//
// Nothing is known of pointers inside structures and of those that a kernel loads. A program that
// computes an address in one array from another's (`a + (b - a)`) is wrong by the rules of C++, and
// here too.
//
// Legality (noalias-arguments):
//  1. The launch says that the parameters point into different allocations, and code that counts
//     on it runs in no other launch. [different allocations]
//  2. Nothing is known of a parameter of which the launch says nothing. [known allocations]
//  3. Nor of pointers that the kernel has loaded. [no loaded pointers]
#include "simt/analysis/objects.h"

#include "base/abi/kernel_abi.h"
#include "simt/lower/lower_device.h"

#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr uint64_t Shared = 1; ///< in a set; numbers of allocations are the other bits

} // namespace

const Value *addressOfScalarAccess(const Instruction &instruction) {
  if (const auto *rmw = dyn_cast<AtomicRMWInst>(&instruction))
    return rmw->getPointerOperand();
  if (const auto *cas = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return cas->getPointerOperand();
  return getLoadStorePointerOperand(&instruction);
}

uint64_t Objects::ofObject(const Value *object) const {
  if (object == thread_.getArg(ParamShared))
    return Shared;
  const auto *load = dyn_cast<LoadInst>(object);
  if (!load || !load->hasMetadata(LLVMContext::MD_invariant_load))
    return 0;
  APInt offset(64, 0);
  const Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      thread_.getDataLayout(), offset, /*AllowNonInbounds=*/true);
  const Value *launch = thread_.getArg(ParamLaunch);
  static_assert(offsetof(Launch, params) == 0);
  const auto *params = dyn_cast<LoadInst>(base);
  bool isParam = params && params->getPointerOperand() == launch,
       isGlobals = base == launch && offset == offsetof(Launch, globals);
  auto found = isParam     ? options_.objects.find(uint32_t(offset.getZExtValue()))
               : isGlobals ? options_.objects.find(DeferredObjects::Globals)
                           : options_.objects.end();
  bool isKnown = found != options_.objects.end() && found->second > 0 && found->second < 64;
  return isKnown ? uint64_t(1) << found->second : 0;
}

uint64_t Objects::of(const Value *pointer) const {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects);
  uint64_t all = 0;
  for (const Value *object : objects) {
    uint64_t one = ofObject(object);
    if (!one)
      return 0;
    all |= one;
  }
  return all;
}

bool mayReadWritten(ArrayRef<const Instruction *> code, const Objects &objects, bool &trustsObjects,
                    function_ref<bool(const Instruction &)> isInTurns) {
  SmallVector<const Instruction *, 16> accesses;
  for (const Instruction *instruction : code) {
    const auto *call = dyn_cast<CallInst>(instruction);
    if (!instruction->mayReadOrWriteMemory() || (call && call->onlyAccessesInaccessibleMemory()))
      continue;
    const Value *address = addressOfScalarAccess(*instruction);
    if (!address && instruction->mayWriteToMemory())
      return true;
    if (!address || !isa<AllocaInst>(getUnderlyingObject(address)))
      accesses.push_back(instruction);
  }
  for (const Instruction *write : accesses)
    for (const Instruction *read : accesses) {
      bool isRead = read->mayReadFromMemory() && !read->use_empty();
      if (!write->mayWriteToMemory() || !isRead || write == read)
        continue;
      const Value *to = addressOfScalarAccess(*write), *from = addressOfScalarAccess(*read);
      if (to == from && !isInTurns(*write) && !isInTurns(*read)) // its own element, or a race
        continue;
      if (isa<LoadInst>(read) && read->hasMetadata(LLVMContext::MD_invariant_load))
        continue;
      if (!from || !objects.areApart(to, from))
        return true;
      trustsObjects = true;
    }
  return false;
}

} // namespace heddle::simt
