// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/module/module_text.h"
#include "frontend/ptx/parser.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DIBuilder.h"

namespace heddle::frontend::ptx {

/// The places that reports name: those of `.loc` where a function has some, else lines of the PTX.
///
///     .loc 1 2 3, function_name $L__info_string0, inlined_at 1 5 3
///
/// is a place in another function, whose name `.debug_str` has; that of the call may be such a place
/// itself, which an earlier `.loc` has.
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
  void readNames();
  llvm::StringRef nameOf(const Statement &);
  llvm::DILocation *locationOf(const Statement &);
  llvm::DISubprogram *makeFunction(llvm::DIFile *, llvm::StringRef name, unsigned line);

  llvm::DIBuilder builder_;
  const ModuleText &text_;
  llvm::DIFile *own_;
  llvm::DICompileUnit *unit_;
  std::map<uint64_t, llvm::DIFile *> files_;
  const char *counted_; ///< up to here, lines_ have been counted
  unsigned lines_ = 1;
  llvm::DISubprogram *function_ = nullptr;
  llvm::DebugLoc place_; ///< of the last `.loc`
  /// Of this function, by file, line and column.
  std::map<std::array<uint64_t, 3>, llvm::DILocation *> places_;
  llvm::StringMap<llvm::DISubprogram *> inlined_;
  std::string names_; ///< the bytes of `.debug_str`
  llvm::StringMap<size_t> nameAt_;
  bool hasNames_ = false;
  bool hasLocations_ = false;
};

} // namespace heddle::frontend::ptx
