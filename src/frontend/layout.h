// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where every variable of a device module lies in the module's globals block, and the block's first
// bytes.
#pragma once

#include "base/image/module_image.h"

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace heddle::frontend {

/// NVPTX address spaces.
inline constexpr unsigned GlobalSpace = 1;
inline constexpr unsigned SharedSpace = 3;
inline constexpr unsigned ConstantSpace = 4;
inline constexpr unsigned LocalSpace = 5;
inline constexpr uint64_t MinimumBlockAlign = 256;

struct PlacedVariable {
  llvm::GlobalVariable *variable;
  VariableSpace space;
  bool isExtern;
  uint64_t size;
  uint64_t align;
  uint64_t offset;     ///< as in ImageVariable
  uint64_t initOffset; ///< as in ImageVariable; equals offset unless managed
};

struct GlobalsLayout {
  std::vector<PlacedVariable> variables;
  uint64_t bytes = 0;
  uint64_t align = MinimumBlockAlign;
  std::vector<uint8_t> init;
  std::vector<ImageRelocation> relocations;
};

/// Lists all variables of the module that are not shared memory; gives names to those that have
/// none. Offsets are not set yet.
GlobalsLayout listVariables(llvm::Module &module);

/// Sets the initial bytes of managed variables only, for a relocatable image: the host reads and
/// writes them before any device code is linked.
llvm::Error layOutManaged(GlobalsLayout &layout, const llvm::DataLayout &dataLayout);

/// Sets offsets, initial bytes and relocations. `functions` are the numbered functions. Fails for
/// an initial value that is not known before the program runs, and for undefined variables.
llvm::Error layOut(GlobalsLayout &layout, const llvm::DataLayout &dataLayout,
                   llvm::ArrayRef<llvm::Function *> functions);

} // namespace heddle::frontend
