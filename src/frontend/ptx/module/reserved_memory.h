// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace heddle::frontend::ptx {

/// The shared memory that CUDA keeps for itself in each block (PTX ISA, "%reserved_smem_offset_begin"),
/// in which cooperative groups of several warps count who has come.
llvm::GlobalVariable *reservedMemory(llvm::Module &);
inline constexpr uint64_t ReservedBytes = 1024;

/// Makes kernels that may use it clear it before anything else: it begins with zeros.
void clearReservedMemory(llvm::Module &);

} // namespace heddle::frontend::ptx
