// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/widen/widen.h"

namespace heddle::simt {

/// One kernel on its way from a thread program to a warp program: what the passes of passes.def
/// share. Methods are passes that concern more than one file's matter.
class Compilation {
public:
  Compilation(llvm::Module &module, llvm::Function &function, const Options &options,
              llvm::TargetMachine &machine);
  Compilation(const Compilation &) = delete;

  llvm::Module &module;
  Options options; ///< `width` is 0 until the form is chosen
  llvm::TargetMachine &machine;
  ThreadProgram thread;
  WarpProgram warp;   ///< behind `widen`
  WarpProgram second; ///< of one block, or of several above each other; may be empty

  /// The first failure; passes behind it do not run.
  llvm::Error takeFailure() { return std::move(failure_); }
  bool hasFailed() const { return hasFailed_; }

  // compilation.cpp
  void lower();
  void distributeExtensions() { distributeExtensions(options); }
  void markWaits();
  /// Cleans up behind a pass that has changed the thread program.
  void changed(bool isChanged);
  void prefetchNextRound();
  void promoteShared();
  void keepWavesInRegisters();
  void eliminateDeadLanes();
  void simplifyPrograms();
  void packStructs();
  void split();

  // choose_form.cpp
  void coarsenBlocks();
  void chooseForm();
  void mergeWarpCounters();

  // widen_programs.cpp
  void copyForOneBlock();
  void widen();

private:
  void distributeExtensions(const Options &);
  bool unrollsWholeBlock();
  void takeWholeBlock();
  unsigned widthOfBlock() const;
  llvm::Expected<WarpProgram> widenOne();
  llvm::Expected<WarpProgram> widenTogether();
  llvm::Expected<WarpProgram> widenAlone(const ThreadProgram &other, const Options &);
  bool isWholeBlock() const { return options.isWholeBlock(); }
  bool splits() const { return warp.waits && !thread.usesFibers; }
  void fail(llvm::Error error);

  llvm::Function &function_;
  bool chosenWidth_;                    ///< the form was free
  std::unique_ptr<llvm::Function> one_; ///< the program of one of several neighbours
  bool sharedIsApart_ = false;          ///< nobody comes to shared memory through other pointers
  bool inRegisters_ = false;            ///< shared memory is
  llvm::Error failure_ = llvm::Error::success();
  bool hasFailed_ = false;
};

} // namespace heddle::simt
