// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::jit {

/// With -use_fast_math, as the CUDA guide has it: expf, exp10f and tanhf are __expf, __exp10f and
/// __tanhf, and divisions of floats are approximate (-prec-div=false). Of other functions clang's
/// headers have chosen the fast form already. Before the library is linked.
///
///     fdiv float %x, %y                      ->    call float @__nv_fast_divide(%x, %y)
///     fdiv float %x, (call @__nv_sqrtf(%y))  ->    fmul %x, (call @__nv_rsqrtf(%y))
///     fdiv float %x, 3.0                     ->    fmul %x, 0x3FD5555560000000
/// Roots stay exact: they have a unit of their own, which is busy for 19 cycles in 16 lanes while
/// other instructions go on; by an estimate they would take ten of these.
void chooseFastFunctions(llvm::Module &);

} // namespace heddle::jit
