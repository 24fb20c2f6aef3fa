// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/forms.h"
#include "frontend/ptx/parser.h"
#include "frontend/ptx/registers.h"

namespace heddle::frontend::ptx {

/// What a function of a PTX module adds to the reading of its statements.
struct Surroundings {
  /// The value that `ret` gives, or null where the results are in memory; no function: nothing.
  std::function<llvm::Value *(llvm::IRBuilder<> &)> result;
  /// Before each statement: sets the place that the IR gets.
  std::function<void(const Statement &)> enter;
  /// Notes an error of a statement; the next one is read.
  std::function<void(const Statement &, llvm::Error)> note;
  Dialect dialect;
};

/// Writes LLVM IR for statements of a function's body, at the end of the block where `builder` is,
/// which has no terminator; `builder` stands at the end of a block of the same kind afterwards.
/// Labels are those of the statements themselves.
llvm::Error emitStatements(llvm::ArrayRef<Statement> statements, Registers &registers,
                           llvm::IRBuilder<> &builder, const Surroundings * = nullptr);

} // namespace heddle::frontend::ptx
