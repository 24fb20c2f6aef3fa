// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// Walks abreast: a kernel whose blocks go through memory in far steps, with a barrier at each,
/// gets one program for the block, which stops at one barrier of each step. The runner takes
/// `program.abreast` neighbouring blocks step by step in turns (KernelCode::abreast). Says how
/// many; 0 if the kernel is none of these, and then nothing is changed.
///
///     loop: ... barrier ... barrier   ->   loop: ... barrier ... barrier !heddle.halt
unsigned walkAbreast(const ThreadProgram &, const Options &);

} // namespace heddle::simt
