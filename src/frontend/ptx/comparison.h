// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"

namespace heddle::frontend::ptx {

/// What a comparison of PTX, "lt", is of integers; BAD_ICMP_PREDICATE: of none.
llvm::CmpInst::Predicate integerPredicate(llvm::StringRef name, bool isSigned);

} // namespace heddle::frontend::ptx
