// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device library functions that are one instruction on some machines. The library defines each in
// plain C++ (src/devlib/native.cpp); where the machine has the instruction the definition is
// dropped before inlining and the calls stay until simt widens them:
//
//     %m = call float @__heddle_mantissa(float %x)
//       -> two times <16 x float> @llvm.x86.avx512.mask.getmant.ps.512 on 32 lanes
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::simt {

struct NativeFunction;

/// Null if there is none of that name.
const NativeFunction *findNativeFunction(llvm::StringRef name);

/// Drops the definitions of those that `machine` has instructions for, and says to the library
/// which they are (`__heddle_has_...` return true).
void chooseNative(llvm::Module &, const llvm::TargetMachine &machine);

/// A function of simt's own, about 1 / sqrt(x) to 1.5 * 2^-12, for machines with AVX and no
/// AVX-512: infinity for 0 and for denormal x, 0 for infinity. Null on others.
inline constexpr const char *CoarseRoot = "__heddle_rsqrt_coarse";
llvm::Function *coarseRoot(llvm::Module &, const llvm::TargetMachine &machine);

/// Whether it adds and multiplies numbers of half precision, rounding once.
bool hasHalves(const llvm::TargetMachine &machine);

/// The function on scalars or on vectors of any length.
llvm::Value *emitNative(llvm::IRBuilder<> &, const NativeFunction &,
                        llvm::ArrayRef<llvm::Value *> arguments);

/// values[index] for 32 values of 32 bits and a vector of indices below 32. Null where the machine
/// has no instruction for it.
llvm::Value *emitNativePermute(llvm::IRBuilder<> &, const llvm::TargetMachine &machine,
                               llvm::Value *values, llvm::Value *index);

/// The most words, a power of two, that the machine looks up in a register by an index for each
/// lane; 0 where it has no instruction for it.
unsigned tableLength(const llvm::TargetMachine &machine);

/// table[index modulo its length] for a table of that length and a vector of 32-bit indices.
llvm::Value *emitLookup(llvm::IRBuilder<> &, llvm::Value *table, llvm::Value *index);

} // namespace heddle::simt
