// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The back end for GPUs asks for partial unrolling, also of loops whose count is not known. The JIT
// does that when it knows the width. LLVM has options for it (-unroll-runtime), but they belong to
// the process, in which kernels may be compiled at the same time; so here the pass of clang's
// pipeline is replaced, at its place, by one with other settings.
#include "plugin/full_unrolling.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"

using namespace llvm;

namespace heddle::plugin {

void unrollFullyOnly(PassBuilder &builder) {
  PassInstrumentationCallbacks *callbacks = builder.getPassInstrumentationCallbacks();
  if (!callbacks)
    return;
  auto manager = std::make_shared<FunctionAnalysisManager *>(nullptr);
  builder.registerAnalysisRegistrationCallback(
      [manager](FunctionAnalysisManager &analyses) { *manager = &analyses; });
  callbacks->registerShouldRunOptionalPassCallback([manager](StringRef pass, Any unit) {
    const auto *function = any_cast<const Function *>(&unit);
    if (!function || !*manager || !(*function)->getParent()->getTargetTriple().isNVPTX())
      return true;
    if (pass != "LoopUnrollPass")
      return pass != "MergedLoadStoreMotionPass"; // it heeds no marks (frontend/own_lines)
    Function &changed = const_cast<Function &>(**function);
    LoopUnrollPass unroll(LoopUnrollOptions().setPartial(false).setRuntime(false));
    (*manager)->invalidate(changed, unroll.run(changed, **manager));
    return false;
  });
}

} // namespace heddle::plugin
