// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::frontend {

/// An attribute of functions that were read from PTX.
inline constexpr const char *PtxFunction = "heddle-ptx";

/// Makes direct calls of functions of PTX, and in them, have the types of the functions that they call, where both sides agree on the
/// bits only: PTX has integers where C++ has floats, pointers and structures.
///
///     call i32 @f(i32 %x)      ->   %a = bitcast i32 %x to float;  %r = call float @f(float %a)
void matchCallTypes(llvm::Module &);

} // namespace heddle::frontend
