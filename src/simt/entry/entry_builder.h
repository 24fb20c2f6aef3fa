// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/entry/entry.h"
#include "simt/lower/lower_device.h"
#include "simt/simt.h"
#include "simt/thread/cut_rows.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/MathExtras.h"

#include <array>

namespace heddle::simt {

/// Builds `heddle_kernel` and the functions that it points at (entry.cpp).
class Entry {
public:
  Entry(llvm::Module &module, const WarpProgram &program, const WarpProgram &second,
        const ThreadProgram &thread, const Options &options)
      : module_(module), context_(module.getContext()), builder_(context_), program_(program),
        second_(second), thread_(thread), options_(options),
        threads_(options.blockDim[0] * options.blockDim[1] * options.blockDim[2]) {}

  void build();

private:
  llvm::Constant *alignedParams();
  llvm::Constant *checkedParams();
  template <class T> llvm::Constant *table(const std::vector<T> &, const char *name);
  llvm::Constant *counted();
  llvm::Constant *proof();
  llvm::Constant *deferredObjects();
  /// KernelCode::band. Blocks that print do so in the order of their numbers.
  unsigned band() const {
    if (thread_.together > 1)
      return thread_.together;
    return program_.prints || thread_.goesByColumns || thread_.goesByRows || thread_.abreast ||
                   thread_.cutsRows
               ? 1
               : thread_.band;
  }
  /// Where blocks that wait are the runner's, their order is, too.
  unsigned declaredBand() const {
    return band() == 1 && thread_.goesByColumns && !program_.waits ? AllRows : band();
  }
  unsigned warps() const { return llvm::divideCeil(threads_, options_.width); }
  llvm::Function *create(llvm::StringRef name, llvm::FunctionType *type);
  /// What a warp program is called with, beside its number and lanes.
  struct BlockArguments {
    llvm::Value *launch, *state, *shared, *x, *y, *z;
  };

  // Loops over blocks (entry_blocks.cpp).
  void loop(llvm::Value *first, llvm::Value *end, const llvm::Twine &name,
            llvm::function_ref<void(llvm::Value *index)> body);
  void runWarp(const BlockArguments &, llvm::Value *warp, unsigned lanes);
  void runBlock(const BlockArguments &);
  void runRow(BlockArguments, llvm::Value *end);
  llvm::Value *sharedMemory(llvm::Value *block);
  void dropMark(llvm::Function &body);
  /// A loop over blocks.
  struct Turns {
    llvm::Value *launch, *state, *shared;
    llvm::BasicBlock *head = nullptr, *done = nullptr;
    llvm::PHINode *index[3] = {};  ///< of the block, the fastest dimension first
    llvm::PHINode *left = nullptr; ///< blocks, with this one
  };
  Turns beginTurns(llvm::Function *function,
                   llvm::function_ref<std::array<llvm::Value *, 3>(llvm::Value *first)> start);
  void setNext(const Turns &, const std::array<llvm::Value *, 3> &index, llvm::Value *left);
  llvm::Constant *endTurns(const Turns &);
  llvm::Function *createRunBlocks();
  void storeIndex(const Turns &, unsigned dimension, llvm::Value *);
  unsigned dimension(unsigned d) const;
  llvm::Constant *buildRunBlocks();
  void goToNextBlock(const Turns &, llvm::ArrayRef<llvm::Value *> grid, llvm::Value *nextX,
                     llvm::Value *nextLeft);
  llvm::Value *runNeighbours(const BlockArguments &, llvm::Value *inRow);
  void runPartOfBeside(const BlockArguments &, llvm::Value *taken);
  llvm::Value *runBeside(const BlockArguments &, llvm::Value *inRow);
  void runTogetherOr(llvm::Value *canRun, const BlockArguments &);
  llvm::Constant *buildRunBands();

  // Programs that wait (entry_waits.cpp).
  llvm::Constant *buildStart();
  llvm::Constant *buildFiber();
  llvm::Constant *buildResume();
  llvm::Value *stateOf(llvm::Value *block, llvm::Value *warp);
  void callOneWarp(llvm::Value *block, llvm::Value *warp);
  void endWarp(llvm::Value *state);

  llvm::Constant *lanes(unsigned count) const { return lanes(count, options_.width); }
  llvm::Constant *lanes(unsigned count, unsigned width) const;
  bool goesByRows() const {
    unsigned x = options_.blockDim[0], width = options_.width;
    return thread_.goesByRows && (x % width == 0 || width % x == 0) && threads_ % width == 0;
  }
  void callWarp(llvm::ArrayRef<llvm::Value *> arguments) {
    builder_.CreateCall(program_.body, arguments);
  }
  void inlineWarps();
  llvm::Value *field(llvm::Value *object, uint64_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), object, offset);
  }
  llvm::Value *load(llvm::Type *type, llvm::Value *object, uint64_t offset) {
    return builder_.CreateLoad(type, field(object, offset));
  }

  llvm::Module &module_;
  llvm::LLVMContext &context_;
  llvm::IRBuilder<> builder_;
  const WarpProgram &program_, &second_;
  const ThreadProgram &thread_;
  const Options &options_;
  unsigned threads_;
};

} // namespace heddle::simt
