// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/simt.h"

#include "llvm/ADT/Any.h"
#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// When a pass runs.
enum class When {
  Always,
  Optimised,           ///< not for a debugger (-G)
  Vectors,             ///< ... and not where each thread is a program
  SeveralPrograms,     ///< ... and where several programs are the block
  WholeBlock,          ///< one program is the block
  WholeBlockOptimised, ///< ... and not for a debugger
};

/// A line of a table of passes (passes.def).
struct PassInfo {
  llvm::StringRef name, doc;
  When when;
  bool isRequired; ///< cannot be left out
};

/// The tables of the warp compiler.
llvm::ArrayRef<PassInfo> passes();

/// What the passes of a table have in common: which of them run (Options::disabled), the IR after
/// them (Options::printAfter; verified in debug builds), and where it ends (Options::stopAfter).
class PassControl {
public:
  /// The options may change while the passes run.
  PassControl(const Options &options, llvm::ArrayRef<PassInfo> passes)
      : options_(options), passes_(passes) {}

  /// `isTimed`: prints the time of each on stderr.
  void run(llvm::ModulePassManager &, llvm::Module &, bool isTimed);

  /// No further pass runs.
  void stop() { hasStopped_ = true; }
  bool hasStopped() const { return hasStopped_; }

private:
  const PassInfo *find(llvm::StringRef name) const;
  bool runs(const PassInfo &) const;
  void ran(llvm::StringRef pass, llvm::Any module);

  const Options &options_;
  llvm::ArrayRef<PassInfo> passes_;
  bool hasStopped_ = false;
};

} // namespace heddle::simt
