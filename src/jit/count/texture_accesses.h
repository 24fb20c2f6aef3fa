// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples of textures as accesses of memory: calls of the device library's texture functions
// (devlib/textures/texture.cpp), which has a function for where their texels lie.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::jit {

/// The bytes of a sample's texel, as far as the call tells: at most so many are read there. 0: it is no
/// sample.
uint64_t texelBytesOf(const llvm::Instruction &);

/// Before a sample: the number of the address at which a GPU has its first texel, aligned to
/// `texelBytesOf`.
llvm::Value *emitTexelAddress(llvm::IRBuilder<> &, const llvm::Instruction &sample);

} // namespace heddle::jit
