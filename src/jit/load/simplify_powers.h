// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::jit {

/// Powers with an exponent or a base that is known become products, roots and exponentials:
///
///     pow(x, 2)     ->    x * x
///     powf(2, y)    ->    exp2f(y)
///
/// Within the bounds that the CUDA guide gives for pow and powf (2 and 4 ulp): a product of four
/// factors is 1.5 ulp wrong at most. Before the library is linked.
void simplifyPowers(llvm::Module &);

} // namespace heddle::jit
