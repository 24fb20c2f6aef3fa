// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/memory/load_before_atomic.h"

#include "jit/test_module.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// Whether a load is made, and a branch around the operation that it decides.
bool looks(const std::string &operation, const std::string &before = "") {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module =
      parseAssemblyString("define i32 @run(ptr %p, i32 %x, float %f) {\n  " + before + operation +
                              "\n  ret i32 %x\n}\n",
                          error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return false;
  runPass<LoadBeforeAtomic>(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  BasicBlock &entry = module->getFunction("run")->getEntryBlock();
  auto *branch = dyn_cast<BranchInst>(entry.getTerminator());
  if (!branch)
    return false;
  EXPECT_TRUE(isa<AtomicRMWInst>(branch->getSuccessor(0)->front()));
  auto *seen = dyn_cast<LoadInst>(&*find_if(entry, IsaPred<LoadInst>));
  return seen && seen->getOrdering() == AtomicOrdering::Monotonic;
}

TEST(LoadBeforeAtomic, BeforeWhatMayChangeNothing) {
  for (const char *name : {"max", "min", "umax", "umin", "and", "or"})
    EXPECT_TRUE(looks("%o = atomicrmw " + std::string(name) + " ptr %p, i32 %x monotonic")) << name;
}

// LEGAL load-before-atomic: idempotent
TEST(LoadBeforeAtomic, NotBeforeOthers) {
  for (const char *name : {"add", "xor", "xchg", "sub"})
    EXPECT_FALSE(looks("%o = atomicrmw " + std::string(name) + " ptr %p, i32 %x monotonic"))
        << name;
}

// LEGAL load-before-atomic: ordering
TEST(LoadBeforeAtomic, NotBeforeWhatOrdersOthers) {
  EXPECT_FALSE(looks("%o = atomicrmw max ptr %p, i32 %x seq_cst"));
  EXPECT_FALSE(looks("%o = atomicrmw max ptr %p, i32 %x release"));
  EXPECT_FALSE(looks("%o = atomicrmw volatile max ptr %p, i32 %x monotonic"));
}

// LEGAL load-before-atomic: old value
TEST(LoadBeforeAtomic, NotWhereTheOldValueIsWanted) {
  EXPECT_FALSE(looks("%o = atomicrmw max ptr %p, i32 %x monotonic\n  %u = add i32 %o, 1"));
}

// LEGAL load-before-atomic: fences
TEST(LoadBeforeAtomic, NotAfterFences) {
  const std::string operation = "%o = atomicrmw or ptr %p, i32 %x monotonic";
  for (const char *fence : {"fence release\n  ", "fence acq_rel\n  ", "fence seq_cst\n  "})
    EXPECT_FALSE(looks(operation, fence)) << fence;
  EXPECT_TRUE(looks(operation, "fence syncscope(\"singlethread\") seq_cst\n  "));
}

} // namespace
} // namespace heddle::jit
