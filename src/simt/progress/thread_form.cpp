// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When threads must go by themselves.
//
// Lanes that poll may wait for lanes of their warp that a warp program would hold meanwhile
// (polling_lanes.cpp), or lanes meet in warp operations at different instructions
// (meeting_lanes.cpp).
//
// A function that stayed one (it is recursive or called through a pointer) cannot be left in the
// middle by a warp program; if it polls, or holds a warp operation, the threads go by themselves,
// each on a stack of its own.
#include "simt/progress/thread_form.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/pending.h"
#include "simt/progress/meeting_lanes.h"
#include "simt/progress/polling_lanes.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

bool hasSuspension(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    return call && (isYield(*call) || hasMemberMask(*call));
  });
}

/// Most programs ask no more.
bool mayPartAtOperations(Function &thread, const Options &options) {
  unsigned width = WarpWalk::widthFor(options);
  LoopFacts facts(thread);
  LaneShapes lanes(thread, facts, {width, options.blockDim});
  PendingBlocks pending(lanes.order, lanes.shapes);
  return any_of(instructions(thread), [&](const Instruction &instruction) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    return call && hasMemberMask(*call) &&
           (pending.at(lanes.order.index(call->getParent())).any() ||
            (width < WarpSize && !lanes.shapes.isUniform(memberMask(*call))));
  });
}

} // namespace

bool needsThreads(ThreadProgram &program, const Options &options) {
  if (options.width == 1)
    return true;
  for (const Function &function : *program.body->getParent())
    if (!function.isDeclaration() && &function != program.body && hasSuspension(function))
      return true;
  if (!hasSuspension(*program.body) || program.neighbours > 1) // those are blocks of one thread
    return false;
  if (!program.polls && !mayPartAtOperations(*program.body, options))
    return false;
  WarpWalk walk(*program.body, options);
  return (program.polls && PollingLanes(program, options, walk).waitForHeldOnes()) ||
         lanesMeet(*program.body, options, walk);
}

} // namespace heddle::simt
