// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace heddle::simt {

/// A thread computes with long vectors of its own, as of OpenCL's float16. Programs of one lane keep
/// them; in others their elements are scalars.
bool hasOwnVectors(const llvm::Function &);
bool hasOwnVectors(const llvm::Module &);

/// Before vectors become scalars: notes how much of a lone thread's time is left where they stay
/// vectors, in registers of so many bits.
void noteOwnVectors(llvm::Function &, unsigned registerBits, double loopFactor);
/// What was noted; 1: nothing.
double shareWithVectors(const llvm::Function &);

} // namespace heddle::simt
