// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/module/debug_lines.h"
#include "frontend/ptx/registers.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Module.h"

namespace heddle::frontend::ptx {

/// Makes LLVM IR of a module's directives, and of the bodies of its functions.
class ModuleBuilder {
public:
  ModuleBuilder(llvm::Module &, const ModuleText &, llvm::StringRef text, Problems &);

  /// Everything.
  void buildAll();
  /// All variables with their initial values, and the functions that these name, without bodies.
  void buildIndex();
  /// A kernel with all that it may call, and variables without their values.
  void buildKernel(llvm::StringRef name);
  /// Numbers the functions of the text in their order (functions.h); null where one was not made.
  void numberFunctions();

  /// What a name of the module means, which is made at first use; null: nothing.
  const Register *find(llvm::StringRef name);

private:
  struct Declared {
    const ModuleFunction *function = nullptr;
    const ModuleVariable *variable = nullptr;
    llvm::StringRef aliased; ///< the function that it is another name of
  };

  void makeVariables();
  void makeAliases();
  llvm::GlobalVariable *makeVariable(const ModuleVariable &);
  llvm::Function *makeFunction(const ModuleFunction &);
  llvm::GlobalValue::LinkageTypes linkageOf(const ModuleFunction &) const;
  void setBounds(llvm::Function &, const ModuleFunction &) const;
  void markManaged(llvm::ArrayRef<llvm::GlobalVariable *>);

  /// The bodies of functions that were named, and of those that they name.
  void buildPending();
  void buildBody(const ModuleFunction &);
  bool callNative(const ModuleFunction &, llvm::Function &);
  void findIndirectCalls(const llvm::Function &);
  /// Names the functions that indirect calls may reach; false: they all were.
  bool nameTargets();

  llvm::Module &module_;
  const ModuleText &text_;
  Problems &problems_;
  DebugLines lines_;
  llvm::StringMap<Declared> declared_;
  llvm::StringMap<Register> names_; ///< what was made
  std::vector<const ModuleFunction *> pending_;
  llvm::SetVector<llvm::FunctionType *> indirect_; ///< types of indirect calls
};

} // namespace heddle::frontend::ptx
