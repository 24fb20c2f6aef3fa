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
/// - As many lanes as a register has, up to 32, a CUDA warp.
/// - More, up to the whole block, where the warps of a block can go together.
unsigned chooseWidth(const ThreadProgram &, const Options &, const llvm::TargetMachine &);

/// What one thread costs in a program of `width` lanes, in operations on vector registers; infinite
/// where warps cannot be one program. For comparisons only.
double costOfThread(const ThreadProgram &, const Options &, unsigned width,
                    const llvm::TargetMachine &);

/// Instructions of a thread above which nothing but a warp is considered: each width costs an
/// analysis.
inline constexpr unsigned LargestThread = 2500;
/// The widest program that is chosen without being asked for.
inline constexpr unsigned WidestChosen = 1024;
/// The most that warps of larger blocks are fused to.
inline constexpr unsigned MostFused = 256;
/// That, or as many lanes as the block's threads need.
unsigned widestFused(const Options &);

/// A function that stayed one (it is recursive or called through a pointer) would have to wait: for
/// the other warps at a barrier, or below width 32 for the rest of the warp. A coroutine can wait
/// only in its body, and lanes that come to the function by different ways cannot wait for each
/// other. Such a kernel runs at width 1, with a stack for each thread.
bool waitsInFunctions(const ThreadProgram &, const Options &);

} // namespace heddle::simt
