// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of the widener share.
//
// Method. `Widener` (widener.h) walks over the blocks of a thread function and hands each
// instruction to the part for its kind. A part has state of its own and gets the parts that it
// needs by reference. Dependencies go one way, in the order of the folders:
//
//     lanes     values and masks: in which lanes a value is kept, and how others get it; loops over
//               the active lanes, for what has no vector form
//     memory    loads and stores, by the shapes of their addresses; local arrays
//     control   which lanes run a block, and where they go next; blocks that run lane by lane
//     atomics   read-modify-writes: for each lane, combined, or deferred
//     calls     mathematics, the runtime's services, device functions
//     warp      barriers, and operations between lanes of a CUDA warp
//
// This file has what all of them need, as plain data: the two functions, the options, the builder.
// Facts of the thread function that few parts need are in flow_facts.h. A part returns the value
// that it has made of an instruction; only the Widener records it.
//
// Why these parts: each has state that no other touches (the forms of values, the mask, the slots
// of masks, vectors in memory for a loop, members of wide loads, groups of atomics), or is one form
// of an access or call that another part chooses.
//
// Rejected: one class with all methods and all state (it hid which part of the state a method
// needed); a part as a base class of the next one (the same under another name).
#pragma once

#include "simt/analysis/shapes.h"
#include "simt/widen/widen.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::simt {

/// What all functions of one module share.
struct WidenContext {
  llvm::Module &module;
  const ThreadProgram &program;
  const Options &options;
  llvm::TargetMachine &machine;
  llvm::DenseMap<llvm::Function *, llvm::Function *>
      functions; ///< thread function -> warp function
  WarpProgram result;

  WidenContext(llvm::Module &module, const ThreadProgram &program, const Options &options,
               llvm::TargetMachine &machine)
      : module(module), program(program), options(options), machine(machine) {}
};

/// The warp function that is made of a thread function, and where its code goes next.
struct Emitter {
  /// Begins the warp function: the builder stands in its entry block.
  Emitter(WidenContext &, llvm::Function &thread, llvm::Function &warp, const Shapes &);

  WidenContext &context;
  llvm::Module &module;
  const Options &options;
  llvm::Function &thread;
  llvm::Function &warp;
  const Shapes &shapes; ///< of the thread function's values
  const unsigned width; ///< lanes
  llvm::IRBuilder<> builder;
  llvm::Instruction *allocaPoint; ///< the end of the entry block

  /// Types of the warp function: address spaces are one, a structure of vectors stands for a vector
  /// of structures.
  llvm::Type *scalarType(llvm::Type *) const;
  llvm::Type *vectorType(llvm::Type *type) const { return vectorType(type, width); }
  llvm::Type *vectorType(llvm::Type *, unsigned count) const;
  /// Bytes in memory.
  int64_t sizeOf(llvm::Type *) const;

  llvm::BasicBlock *newBlock(const llvm::Twine &name = "");
  /// A place for a value, of which `finish` makes SSA values.
  llvm::AllocaInst *newSlot(llvm::Type *, const llvm::Twine &name);
  /// The address so many bytes behind `object`.
  llvm::Value *field(llvm::Value *object, uint64_t offset);
  /// Keeps the compiler, not the processor, from moving or merging memory accesses across: what
  /// `volatile` asks for.
  void compilerFence();
  /// Ends the entry block with a jump to `first`.
  void finish(llvm::BasicBlock &first);

private:
  std::vector<llvm::AllocaInst *> slots_;
};

} // namespace heddle::simt
