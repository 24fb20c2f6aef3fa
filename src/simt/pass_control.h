// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/simt.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/PassInstrumentation.h"

namespace heddle::simt {

/// When a pass of a table (passes.def) runs.
enum class When {
  Always,
  Optimised, ///< not for a debugger (-G)
};

/// What the passes of one compilation have in common, whichever table they are in: which of them run
/// (Options::disabled), the IR after them (Options::printAfter; verified in debug builds), and the
/// last one (Options::stopAfter). `Table` passes are known by their names; others, of LLVM, run.
class PassControl {
public:
  explicit PassControl(const Options &options) : options_(options) {}

  /// A pass of the table. Required ones cannot be disabled.
  void add(llvm::StringRef name, When when, bool isRequired) {
    passes_[name] = {when, isRequired};
  }

  /// The control must outlive what runs with the callbacks.
  void registerCallbacks(llvm::PassInstrumentationCallbacks &);

  /// The pass that Options::stopAfter names has run.
  bool hasStopped() const { return hasStopped_; }

  bool runs(llvm::StringRef pass) const;
  /// Verifies, prints and stops.
  void ran(llvm::StringRef pass, const llvm::Module &);

private:
  struct Entry {
    When when;
    bool isRequired;
  };
  const Options &options_;
  llvm::StringMap<Entry> passes_;
  bool hasStopped_ = false;
};

} // namespace heddle::simt
