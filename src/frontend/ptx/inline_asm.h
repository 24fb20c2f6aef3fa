// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace heddle::frontend::ptx {

/// Replaces the asm statements of a device module by LLVM IR. The error has a line for each
/// statement that cannot be: "FILE:LINE:COLUMN: error: inline PTX: ...". An asm without
/// instructions, a barrier for the compiler, stays.
llvm::Error lowerInlineAsm(llvm::Module &module);

/// The text of an asm statement as PTX: LLVM's "$0" is "%0", "$$" is "$", "${:uid}" the number.
std::string ptxOf(const llvm::InlineAsm &, unsigned number);

} // namespace heddle::frontend::ptx
