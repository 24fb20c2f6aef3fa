// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop that runs the passes of a table (passes.def). A table is an array of PassInfo, one for
// each line:
//
//   constexpr PassInfo Passes[] = {
//   #define HEDDLE_PASS(CLASS, NAME, WHEN, MODES, DOC) {NAME, DOC, When::WHEN, MODES, false, runPass<CLASS>},
//   #define HEDDLE_STEP(CLASS, NAME, WHEN, MODES, DOC) {NAME, DOC, When::WHEN, MODES, true, runPass<CLASS>},
//   #include "jit/passes.def"
//   };
#pragma once

#include "simt/pass.h"
#include "simt/simt.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::simt {

/// For which programs a pass runs.
enum class When {
  Always,
  Vectors,         ///< not where each thread is a program
  SeveralPrograms, ///< several programs are the block
  WholeBlock,      ///< one program is the block
};

class PassControl;

/// What the passes of simt/passes.def share, while they run.
Compilation &compilationOf(llvm::Module &, llvm::ModuleAnalysisManager &);

/// A line of a table of passes (passes.def).
struct PassInfo {
  llvm::StringLiteral name, doc;
  When when;
  Modes modes;
  bool isRequired; ///< cannot be left out
  llvm::PreservedAnalyses (*run)(llvm::Module &, llvm::ModuleAnalysisManager &, PassControl &);
};

/// A pass as Options::printAfter and Options::stopAfter name it: `widen` is any line of a table with
/// that name, `distribute-extensions:2` the second one.
struct PassName {
  llvm::StringRef name;
  unsigned line = 0; ///< from 1 on; 0: any

  explicit PassName(llvm::StringRef text);
  /// Whether it is a pass, which is one of `table`.
  bool names(const PassInfo &pass, llvm::ArrayRef<PassInfo> table) const;
  bool isIn(llvm::ArrayRef<PassInfo> table) const;
};

/// The tables of the warp compiler.
llvm::ArrayRef<PassInfo> passes();

/// What the passes of a table have in common: which of them run (Options::disabled), the IR after
/// them (Options::printAfter), whether it is right and what they say of it (Options::verifies), how
/// often they change a function (Options::counts), and where it ends (Options::stopAfter).
class PassControl {
public:
  /// The options may change while the passes run.
  PassControl(const Options &options, llvm::ArrayRef<PassInfo> passes)
      : options_(options), passes_(passes) {}

  /// All passes, until one is the last or, if anybody asks, `hasFailed`.
  void run(llvm::Module &, llvm::ModuleAnalysisManager &,
           llvm::function_ref<bool()> hasFailed = nullptr);
  bool hasStopped() const { return hasStopped_; }

  /// A pass on all functions that have a body, one after the other.
  using FunctionPass = llvm::function_ref<llvm::PreservedAnalyses(llvm::Function &,
                                                                  llvm::FunctionAnalysisManager &)>;
  llvm::PreservedAnalyses onFunctions(llvm::Module &, llvm::ModuleAnalysisManager &, FunctionPass);
  /// A pass of the module.
  using ModulePass =
      llvm::function_ref<llvm::PreservedAnalyses(llvm::Module &, llvm::ModuleAnalysisManager &)>;
  llvm::PreservedAnalyses onModule(llvm::Module &, llvm::ModuleAnalysisManager &, ModulePass);
  /// A pass of the kernel.
  using KernelPass =
      llvm::function_ref<llvm::PreservedAnalyses(Compilation &, llvm::FunctionAnalysisManager &)>;
  llvm::PreservedAnalyses onKernel(llvm::Module &, llvm::ModuleAnalysisManager &, KernelPass);

private:
  bool runs(const PassInfo &) const;
  void ran(const PassInfo &, const llvm::Module &);
  void lies(const llvm::Twine &how) const;

  const Options &options_;
  llvm::ArrayRef<PassInfo> passes_;
  const PassInfo *current_ = nullptr;
  uint64_t changes_ = 0; ///< by the current pass: functions, or the module
  bool hasStopped_ = false;
};

/// A class as a line of a table runs it.
template <class Pass>
llvm::PreservedAnalyses runPass(llvm::Module &module, llvm::ModuleAnalysisManager &analyses,
                                PassControl &control) {
  Pass pass;
  if constexpr (requires(llvm::Function &function, llvm::FunctionAnalysisManager &functions) {
                  pass.run(function, functions);
                })
    return control.onFunctions(
        module, analyses, [&](llvm::Function &function, llvm::FunctionAnalysisManager &functions) {
          return pass.run(function, functions);
        });
  else if constexpr (requires(Compilation &kernel, llvm::FunctionAnalysisManager &functions) {
                       pass.run(kernel, functions);
                     })
    return control.onKernel(module, analyses,
                            [&](Compilation &kernel, llvm::FunctionAnalysisManager &functions) {
                              return pass.run(kernel, functions);
                            });
  else
    return control.onModule(module, analyses,
                            [&](llvm::Module &module, llvm::ModuleAnalysisManager &analyses) {
                              return pass.run(module, analyses);
                            });
}

} // namespace heddle::simt
