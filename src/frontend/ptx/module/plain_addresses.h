// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::frontend::ptx {

/// Says of addresses that are only accessed, and count from what lies in an object, that they lie in
/// it, too; and counts them in elements.
void makeAddressesPlain(llvm::Function &);

} // namespace heddle::frontend::ptx
