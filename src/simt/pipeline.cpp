// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way from a thread program to a warp program, as a table of contents.
#include "simt/entry.h"
#include "simt/lower_device.h"
#include "simt/simt.h"
#include "simt/widen.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Timer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"

using namespace llvm;

namespace heddle::simt {

namespace {

class Pipeline {
public:
  Pipeline(Module &module, const Options &options, TargetMachine &machine)
      : module_(module), options_(options), machine_(machine) {}

  Error run(Function &kernel) {
    // What is a matter of NVPTX becomes plain IR; device functions are inlined. From here on the module is the host's.
    Expected<ThreadProgram> thread = lowerDevice(module_, kernel, options_, machine_);
    if (!thread)
      return thread.takeError();
    if (finished("lower-device"))
      return Error::success();

    // The forms that the next pass counts on: scalars only, a single exit, reducible loops in simplified and closed form.
    normalize();
    if (finished("normalize"))
      return Error::success();

    // Thread programs become warp programs.
    Expected<WarpProgram> warp = widen(module_, *thread, options_, machine_);
    if (!warp)
      return warp.takeError();
    if (finished("widen"))
      return Error::success();

    // The functions that the block runner calls.
    buildEntry(module_, *warp, *thread, options_);
    if (finished("build-entry"))
      return Error::success();

    // A program that waits is split where it does.
    if (warp->waits) {
      simplify();
      splitCoroutine(module_, machine_);
    }
    finished("split-coroutine");
    return Error::success();
  }

private:
  void normalize();
  void simplify();
  template <typename Build> void runOnFunctions(Build build);

  /// After each pass: the IR verifier in debug builds, the dump that was asked for.
  bool finished(StringRef pass) {
#ifndef NDEBUG
    if (verifyModule(module_, &errs())) {
      errs() << "after " << pass << ":\n" << module_;
      report_fatal_error("heddle: invalid IR");
    }
#endif
    if (options_.printAfter == pass || options_.printAfter == "*")
      errs() << "; after " << pass << '\n' << module_;
    return options_.stopAfter == pass;
  }

  Module &module_;
  const Options &options_;
  TargetMachine &machine_;
};

template <typename Build> void Pipeline::runOnFunctions(Build build) {
  ModuleAnalysisManager modules;
  FunctionAnalysisManager functions;
  LoopAnalysisManager loops;
  CGSCCAnalysisManager sccs;
  PassBuilder builder(&machine_);
  builder.registerModuleAnalyses(modules);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.registerCGSCCAnalyses(sccs);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  FunctionPassManager passes;
  build(passes);
  for (Function &function : module_)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

/// A path that ends in `unreachable` (after a trap or a failed assertion) returns instead: the runtime does not come back
/// there. Calls lose `noreturn`, by which later passes would put the `unreachable` back.
void returnFromUnreachable(Function &function) {
  function.removeFnAttr(Attribute::NoReturn);
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction)) {
      call->removeFnAttr(Attribute::NoReturn);
      if (Function *callee = call->getCalledFunction())
        callee->removeFnAttr(Attribute::NoReturn);
    }
  for (BasicBlock &block : function) {
    auto *unreachable = dyn_cast<UnreachableInst>(block.getTerminator());
    if (!unreachable)
      continue;
    Type *type = function.getReturnType();
    Value *value = type->isVoidTy() ? nullptr : PoisonValue::get(type);
    ReturnInst::Create(function.getContext(), value, unreachable->getIterator());
    unreachable->eraseFromParent();
  }
}

void Pipeline::normalize() {
  runOnFunctions([&](FunctionPassManager &passes) {
    if (options_.debug)
      return;
    passes.addPass(SROAPass(SROAOptions::PreserveCFG));
    passes.addPass(EarlyCSEPass());
    passes.addPass(InstCombinePass());
    passes.addPass(SimplifyCFGPass(SimplifyCFGOptions().convertSwitchToLookupTable(false)));
    passes.addPass(EarlyCSEPass());
  });
  for (Function &function : module_)
    if (!function.isDeclaration())
      returnFromUnreachable(function);
  ScalarizerPassOptions scalars;
  scalars.ScalarizeLoadStore = true;
  scalars.ScalarizeVariableInsertExtract = true;
  runOnFunctions([&](FunctionPassManager &passes) {
    passes.addPass(ScalarizerPass(scalars));
    passes.addPass(LowerSwitchPass());
    passes.addPass(UnifyFunctionExitNodesPass());
    passes.addPass(FixIrreduciblePass());
    passes.addPass(LoopSimplifyPass());
    passes.addPass(LCSSAPass());
  });
  for (Function &function : module_)
    if (!function.isDeclaration())
      removeUnreachableBlocks(function);
}

/// Before a coroutine is split: fewer values live across a wait mean smaller frames.
void Pipeline::simplify() {
  runOnFunctions([&](FunctionPassManager &passes) {
    passes.addPass(SROAPass(SROAOptions::PreserveCFG));
    passes.addPass(EarlyCSEPass());
    passes.addPass(InstCombinePass());
    passes.addPass(SimplifyCFGPass());
  });
}

} // namespace

Error buildWarpProgram(Module &device, StringRef kernel, const Options &options, TargetMachine &machine) {
  Function *function = device.getFunction(kernel);
  if (!function || function->isDeclaration())
    return createStringError(inconvertibleErrorCode(), "no kernel named '" + kernel + "' in the device module");
  return Pipeline(device, options, machine).run(*function);
}

} // namespace heddle::simt
