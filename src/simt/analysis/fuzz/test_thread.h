// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/function_facts.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace heddle::simt {

/// For tests: a thread program of one block of code. Its parameters behind the context's are %a to
/// %d (i32), %w (i64), %p and %q (pointers); %x and %y are threadIdx.x and .y, and %bx is
/// blockIdx.x.
class TestThread {
public:
  explicit TestThread(const std::string &code);

  llvm::Function &function() { return *function_; }
  llvm::Value *value(llvm::StringRef name);
  llvm::BinaryOperator &operation(llvm::StringRef name);
  Shape shapeOf(llvm::StringRef name, LaneFacts facts);

private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  llvm::Function *function_;
};

} // namespace heddle::simt
