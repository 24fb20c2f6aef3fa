// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What instructions on integers and on floating-point numbers share their opcodes for: each of the
// functions `emitFloat...` writes the instruction if its type is a floating-point type, and is
// false otherwise.
#pragma once

#include "frontend/ptx/emitter.h"

namespace heddle::frontend::ptx {

bool emitFloatSum(Emitter &);
bool emitFloatProduct(Emitter &);
bool emitFloatFma(Emitter &);
bool emitFloatQuotient(Emitter &);
bool emitFloatSign(Emitter &);
bool emitFloatExtreme(Emitter &);

/// add.cc, sub.cc, mad.cc (lower/extended.cpp).
void emitCarrySum(Emitter &);
void emitCarryProduct(Emitter &);

/// A number below the smallest normal one as a zero of its sign (.ftz). Of a float in a module that is
/// not done yet (module/flushes.h).
llvm::Value *flushed(Emitter &, llvm::Value *);
/// Notes that the instruction keeps such numbers of floats.
void keepDenormals(Emitter &);
/// Between 0 and 1, NaN as 0 (.sat).
llvm::Value *saturated(Emitter &, llvm::Value *);
/// The NaN that PTX calls canonical, of a floating-point type.
llvm::Value *canonicalNan(llvm::Type *);

/// What .rn, .rz, .rm and .rp are in the names of device library functions: "rn", "rz", "rd", "ru".
llvm::StringRef libraryRounding(llvm::StringRef modifier);

} // namespace heddle::frontend::ptx
