// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/fuzz/test_thread.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/ValueSymbolTable.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::simt {

TestThread::TestThread(const std::string &code) {
  std::string text = R"(
    target datalayout = "e-m:e-p:64:64-i64:64-n8:16:32:64-S128"
    declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
    define void @thread(ptr %launch, ptr %block, ptr %shared, i32 %warp, i32 %bx, i32 %by, i32 %bz,
                        i32 %a, i32 %b, i32 %c, i32 %d, i64 %w, ptr %p, ptr %q) {
    entry:
      %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  )" + code + "\n ret void\n }\n";
  SMDiagnostic error;
  module_ = parseAssemblyString(text, error, context_);
  if (!module_ || verifyModule(*module_, &errs())) {
    error.print("test", errs());
    std::abort();
  }
  function_ = module_->getFunction("thread");
}

Value *TestThread::value(StringRef name) { return function_->getValueSymbolTable()->lookup(name); }

BinaryOperator &TestThread::operation(StringRef name) { return *cast<BinaryOperator>(value(name)); }

Shape TestThread::shapeOf(StringRef name, LaneFacts facts) {
  LoopFacts loops(*function_);
  LaneShapes lanes(*function_, loops, facts);
  return lanes.shapes.of(value(name));
}

} // namespace heddle::simt
