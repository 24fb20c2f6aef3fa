// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// The width for a kernel, at most Options::width if that is not 0.
///
/// - 1 if its loops do little but gather and scatter, which one thread after the other does faster.
///   Only a kernel whose threads do not work together may get 1: no barriers, warp operations,
///   shared memory, atomics or volatile accesses, whose meaning could rest on the threads of a warp
///   going together.
/// - 32, a CUDA warp, in general.
/// - More, up to the whole block, where the warps of a block can go together and gain by it.
unsigned chooseWidth(const ThreadProgram &, const Options &, const llvm::TargetMachine &);

/// What a warp takes as a vector program, of the time of its threads one after the other. For a
/// kernel that is one function.
double costOfVectors(const ThreadProgram &, const Options &, const llvm::TargetMachine &);

/// A function that stayed one (it is recursive or called through a pointer) would have to wait: for
/// the other warps at a barrier, or below width 32 for the rest of the warp. A coroutine can wait
/// only in its body, and lanes that come to the function by different ways cannot wait for each
/// other. Such a kernel runs at width 1, with a stack for each thread.
bool waitsInFunctions(const ThreadProgram &, const Options &);

} // namespace heddle::simt
