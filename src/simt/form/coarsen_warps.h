// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// How many lanes one program of the kernel gets: 32 (a CUDA warp), up to the whole block, or 16
/// where a thread needs many registers. With
/// Options::width 0 the cheapest; otherwise the most that are possible and not above it.
unsigned coarsenWarps(const ThreadProgram &, const Options &);

/// Instructions of a thread above which nothing but a warp is considered: each width costs an
/// analysis.
inline constexpr unsigned LargestThread = 2500;

/// The widest program that is chosen without being asked for.
inline constexpr unsigned WidestChosen = 1024;
/// The most that warps of larger blocks are fused to.
inline constexpr unsigned MostFused = 256;
/// That, or as many lanes as the block's threads need.
unsigned widestFused(const Options &);

/// What one thread costs in a program of `width` lanes, in instructions on vector registers;
/// infinite where warps cannot be one program. For comparisons only.
double costOfThread(const ThreadProgram &, const Options &, unsigned width);

} // namespace heddle::simt
