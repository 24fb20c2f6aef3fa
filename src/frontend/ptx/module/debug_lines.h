// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/module/module_text.h"
#include "frontend/ptx/parser.h"

#include "llvm/IR/DIBuilder.h"

namespace heddle::frontend::ptx {

/// The places that reports name: those of `.loc` where a function has some, else lines of the PTX.
class DebugLines {
public:
  DebugLines(llvm::Module &, const ModuleText &, llvm::StringRef text);
  ~DebugLines();

  /// Statements of this function follow.
  void enter(llvm::Function &, const ModuleFunction &, llvm::ArrayRef<Statement>);
  llvm::DebugLoc at(const Statement &);

private:
  llvm::DIFile *fileOf(uint64_t number);
  unsigned lineOf(const char *at);

  llvm::DIBuilder builder_;
  const ModuleText &text_;
  llvm::DIFile *own_;
  llvm::DICompileUnit *unit_;
  std::map<uint64_t, llvm::DIFile *> files_;
  const char *counted_; ///< up to here, lines_ have been counted
  unsigned lines_ = 1;
  llvm::DISubprogram *function_ = nullptr;
  llvm::DebugLoc place_; ///< of the last `.loc`
  bool hasLocations_ = false;
};

} // namespace heddle::frontend::ptx
