// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"
#include "simt/widen/emitter.h"

#include "llvm/ADT/StringMap.h"

namespace heddle::simt {

/// What all checks need for the calls of their services.
class CheckCalls {
public:
  explicit CheckCalls(Emitter &emitter) : e_(emitter), builder_(emitter.builder) {}

  bool isOn(Checks check) const {
    return e_.options.mode == Mode::Checked && (e_.options.checks & check);
  }
  /// The function pointer of a service (offset in CheckServices).
  llvm::Value *service(size_t offset);
  /// SourceFrames of an instruction, of the user's functions.
  llvm::Constant *frames(const llvm::Instruction &, unsigned &count);
  llvm::Constant *text(llvm::StringRef);
  /// Of the function of our headers that the user calls, which the instruction is in.
  static llvm::StringRef calledName(const llvm::Instruction &);
  /// A constant of the kernel's object, and one that is a structure.
  llvm::Constant *constant(llvm::Constant *value, const llvm::Twine &name);
  llvm::Constant *constant(llvm::ArrayRef<llvm::Constant *> fields, const llvm::Twine &name) {
    return constant(llvm::ConstantStruct::getAnon(fields), name);
  }

private:
  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  llvm::StringMap<llvm::Constant *> texts_;
};

} // namespace heddle::simt
