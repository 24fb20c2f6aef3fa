// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extends the terms of a sum instead of the sum.
//
// An index is a 32-bit sum, and an address a 64-bit one. The extension of the sum in one thread
// says nothing about that in another, because the sum may wrap around in between
// (analysis/overflow.h). If it does not, the terms are extended instead: then the shape of the
// address follows from the shapes of the terms, and no later pass needs to know why.
//
//     %i = add nsw i32 %row, %x                      %r = sext i32 %row to i64
//     %w = sext i32 %i to i64                   ->   %t = zext i32 %x to i64
//     %p = getelementptr float, ptr %a, i64 %w       %w = add nsw i64 %r, %t
//                                                    %p = getelementptr float, ptr %a, i64 %w
//
// Exact sums are split like this for any use. From a sum of which nothing is known, a small term
// that varies with the thread's index, with what it adds to the block's in y and z, is split off if
// the sum is the index of an access and objects are too short for it to wrap around:
//
//     %i = add i32 %u, %x                            %s = sext i32 %u to i64
//     %p = gep inbounds float, %a, zext(%i)     ->   %p = gep inbounds float, %a, %s + zext(%x)
//
// In a thread that accesses memory the index is 0 <= i < 2^31 - 2^24, because no object has more
// elements, and x is at most 2^24; so u = i - x, read as signed, is the whole number i - x, and the
// sums are equal. The index must be all that lies between the address and an object that contains
// it: the access is inbounds, so that the address before it lies in the object too (or the result
// is poison), or it counts from where an object was passed to the kernel and is used for accesses
// only.
//
// Only sums that vary regularly over the threads are split: 64 bits take twice the vector registers
// of 32.
//
// Loop counters are split too: into a uniform one, and the thread's part. One that some rounds
// leave as it is counts by a step that is chosen (a march through planes that loads one ahead):
//
//     %n = phi [%i, %first], [add %i, %s, %later]   ->   %c = phi [0, %first], [%s, %later]
//                                                        %n = add %i, %c
//
// The pass runs early and
// again before threads become lanes, since LLVM's clean-up merges what it can prove. Without the
// pass code is right, with gathers for indices that are not plain.
//
// The runtime knows the length of the longest object so far (allocations, registered memory,
// variables, the device's heap). Once one has more than `ShortObject` bytes, kernels that relied on
// short ones are compiled again (`KernelTrustsShortObjects`).
//
// Legality (distribute-extensions):
//  1. The sum does not wrap around in any thread, in the sense of the extension. [exact]
//  2. Or it is the index of an access to an object that is too short for that. [short objects]
//  3. Nobody sees an address that counts on short objects where it is not accessed. [only accessed]
#include "simt/canonical/distribute_extensions.h"

#include "simt/canonical/short_indices.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace heddle::simt {

/// What `next` adds to the counter; null: it is no sum of the counter.
static Value *stepOf(Value &next, PHINode &counter, bool &isExact) {
  if (&next == &counter)
    return Constant::getNullValue(counter.getType());
  auto *sum = dyn_cast<BinaryOperator>(&next);
  if (!sum || sum->getOpcode() != Instruction::Add || !is_contained(sum->operands(), &counter))
    return nullptr;
  isExact &= sum->hasNoSignedWrap();
  return sum->getOperand(sum->getOperand(0) == &counter);
}

/// Makes a sum of the counter's next number, of which each way here has its own.
static void chooseStep(PHINode &next, PHINode &counter) {
  SmallVector<Value *, 4> steps;
  bool isExact = true;
  for (Value *value : next.incoming_values())
    steps.push_back(stepOf(*value, counter, isExact));
  if (is_contained(steps, nullptr))
    return;
  PHINode *step = PHINode::Create(next.getType(), steps.size(), "", next.getIterator());
  for (auto [value, from] : zip_equal(steps, next.blocks()))
    step->addIncoming(value, from);
  auto *sum =
      BinaryOperator::CreateAdd(&counter, step, "", next.getParent()->getFirstInsertionPt());
  sum->setHasNoSignedWrap(isExact);
  next.replaceAllUsesWith(sum);
  next.eraseFromParent();
}

/// Only then is something gained: a thread's part can be taken out.
static bool beginsAtThreads(PHINode &counter, const PHINode &next, RegularSums &sums) {
  return counter.getNumIncomingValues() == 2 &&
         all_of(counter.incoming_values(),
                [&](Value *value) { return value == &next || sums.goesRegularly(*value); });
}

static void chooseSteps(Function &thread, const Options &options) {
  RegularSums sums(thread, options);
  SmallVector<std::pair<PHINode *, PHINode *>, 8> counters;
  for (BasicBlock &block : thread)
    for (PHINode &counter : block.phis())
      for (Value *value : counter.incoming_values())
        if (auto *next = dyn_cast<PHINode>(value); next && next->getParent() != &block &&
                                                   counter.getType()->isIntegerTy() &&
                                                   beginsAtThreads(counter, *next, sums) &&
                                                   !is_contained(make_first_range(counters), next))
          counters.push_back({next, &counter});
  for (auto [next, counter] : counters)
    chooseStep(*next, *counter);
}

static bool extendAllTerms(Function &thread, const Options &options) {
  chooseSteps(thread, options);
  SmallVector<WeakTrackingVH, 32> dead, extensions;
  RegularSums sums(thread, options);
  ExactTerms exact(thread, sums, dead);
  ShortIndices indices(thread, options, sums, exact, dead);
  for (Instruction &instruction : instructions(thread))
    if (isa<SExtInst, ZExtInst>(instruction) && instruction.getType()->isIntegerTy())
      extensions.push_back(&instruction);
  auto extendExact = [&](bool all) {
    for (const WeakTrackingVH &extension : extensions)
      if (auto *cast = dyn_cast_or_null<CastInst>(extension); cast && !cast->use_empty())
        exact.extend(*cast, all);
  };
  extendExact(/*all=*/true);
  SmallVector<GetElementPtrInst *, 32> addresses;
  for (Instruction &instruction : instructions(thread))
    if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
      addresses.push_back(address);
  for (GetElementPtrInst *address : addresses)
    for (Use &index : address->indices())
      indices.extend(*address, index);
  extendExact(/*all=*/false); // what is left of a sum may be exact, too
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
  return indices.trustsObjects();
}

bool distributeExtensions(Function &thread, const Options &options) {
  unsigned threads = options.blockDim[0] * options.blockDim[1] * options.blockDim[2];
  return options.width != 1 && threads > 1 && extendAllTerms(thread, options);
}

} // namespace heddle::simt
