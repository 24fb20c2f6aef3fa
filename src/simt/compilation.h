// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/pass.h"
#include "simt/widen/widen.h"

namespace heddle::simt {

/// One kernel on its way from a thread program to a warp program: what the passes of passes.def
/// share besides its code.
struct Compilation {
  Compilation(llvm::Module &module, llvm::Function &kernel, const Options &options,
              llvm::TargetMachine &machine);
  Compilation(const Compilation &) = delete;

  llvm::Module &module;
  llvm::Function &kernel; ///< as it came, until `lower-device`
  Options options;        ///< `width` is 0 until the form is chosen
  llvm::TargetMachine &machine;
  ThreadProgram thread; ///< after `lower-device`
  WarpProgram warp;     ///< after `widen`
  WarpProgram second;   ///< of one block, or of several above each other; may be empty

  std::unique_ptr<llvm::Function> one; ///< the thread program of one of several neighbours
  bool sharedIsApart = false;          ///< no other pointers point to shared memory
  bool inRegisters = false;            ///< shared memory is

  bool isWholeBlock() const { return options.isWholeBlock(); }
  /// The lanes are neighbouring blocks.
  bool hasBlocksOfOneThread() const {
    return thread.neighbours > 1 && thread.neighbours == options.threads();
  }
  /// The program is a coroutine.
  bool splits() const { return warp.waits && !thread.usesFibers; }

  /// Cleans up after a pass that has changed the thread program.
  void cleanThread();
  /// Extends indices term by term, unless that is left out (distribute_extensions.h). The options
  /// may be those of a form that is tried.
  void distributeExtensions(const Options &);

  /// Passes behind the first failure do not run.
  void fail(llvm::Error error);
  bool hasFailed() const { return hasFailed_; }
  llvm::Error takeFailure() { return std::move(failure_); }

private:
  llvm::Error failure_ = llvm::Error::success();
  bool hasFailed_ = false;
};

// Passes that concern more than one file's matter.

/// lower/lower_device.h
struct LowerDevice : llvm::PassInfoMixin<LowerDevice> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

/// canonical/distribute_extensions.h, in all functions.
struct DistributeExtensions : llvm::PassInfoMixin<DistributeExtensions> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

/// Neighbouring blocks are one, of so many threads as it has lanes, if that pays (choose_form.cpp).
struct CoarsenBlocks : llvm::PassInfoMixin<CoarsenBlocks> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

/// Chooses the width, and with it the loops to unroll (choose_form.cpp).
struct ChooseForm : llvm::PassInfoMixin<ChooseForm> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

/// Keeps a copy of the thread program of one of several neighbours (widen_programs.cpp).
struct CopyForOneBlock : llvm::PassInfoMixin<CopyForOneBlock> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

/// widen/widen.h, of one or two programs (widen_programs.cpp).
struct Widen : llvm::PassInfoMixin<Widen> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

/// LLVM's scalar passes, where programs are split or structures packed.
struct SimplifyPrograms : llvm::PassInfoMixin<SimplifyPrograms> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
