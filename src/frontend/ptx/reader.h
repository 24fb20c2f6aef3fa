// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/parser.h"
#include "frontend/ptx/registers.h"

namespace heddle::frontend::ptx {

/// Writes LLVM IR for statements of a function's body, at the end of the block where `builder` is,
/// which has no terminator; `builder` stands at the end of a block of the same kind afterwards.
/// Labels are those of the statements themselves.
llvm::Error emitStatements(llvm::ArrayRef<Statement> statements, Registers &registers,
                           llvm::IRBuilder<> &builder);

} // namespace heddle::frontend::ptx
