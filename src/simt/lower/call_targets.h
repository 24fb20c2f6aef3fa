// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Also true for a constant that is no function: a number, or null.
bool callsThroughPointer(const llvm::CallBase &);

/// Inlining turns `call ptr %f(...)` into `call ptr inttoptr (i64 tagged number)(...)` where the
/// caller passed a known function. Such a call becomes direct, and can be inlined in turn. `table`:
/// the functions whose addresses are taken, by their numbers.
bool bindKnownTargets(llvm::Module &, llvm::ArrayRef<llvm::Function *> table);

/// Calls through pointers become choices among the few functions of their type, which can be
/// inlined:
///
///     call ptr %f(...)    ->    switch %f:  case first: call @first(...)
///                                           case second: call @second(...)
///                                           else: call @heddle.bad.call(%f)
///
/// Leaves those alone that would make the kernel long.
void spellOutTargets(llvm::Module &, llvm::Function &kernel,
                     llvm::ArrayRef<llvm::Function *> table);

/// A method that calls the same method of its parts (a list of shapes) is a function that calls
/// itself. Where the kernel calls one, its first level is inlined, for there all threads mostly have
/// the same object. Says whether there was one.
bool inlineFirstLevel(llvm::Function &kernel);

/// The kernel's local variables whose addresses functions get that were not inlined, and do not keep:
/// these get copies, so that the variables can be registers elsewhere.
///
///     call @hit(ptr %ray)    ->    memcpy(%copy, %ray);  call @hit(ptr %copy);  memcpy(%ray, %copy)
void passCopies(llvm::Function &kernel, llvm::ModuleAnalysisManager &);

} // namespace heddle::simt
