// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/module/debug_lines.h"
#include "frontend/ptx/registers.h"

#include "llvm/IR/Module.h"

namespace heddle::frontend::ptx {

/// Makes LLVM IR of a module's directives, and of the bodies of its functions.
class ModuleBuilder {
public:
  ModuleBuilder(llvm::Module &, const ModuleText &, llvm::StringRef text, Problems &);
  void run();

private:
  void makeFunctions();
  void makeVariables();
  llvm::GlobalVariable *makeVariable(const ModuleVariable &);
  void makeAliases();
  llvm::Function *makeFunction(const ModuleFunction &);
  llvm::GlobalValue::LinkageTypes linkageOf(const ModuleFunction &) const;
  void setBounds(llvm::Function &, const ModuleFunction &) const;
  void markManaged(llvm::ArrayRef<llvm::GlobalVariable *>);

  const Register *find(llvm::StringRef name) const;
  void buildBody(const ModuleFunction &);

  llvm::Module &module_;
  const ModuleText &text_;
  Problems &problems_;
  DebugLines lines_;
  llvm::StringMap<Register> names_; ///< of the module
};

} // namespace heddle::frontend::ptx
