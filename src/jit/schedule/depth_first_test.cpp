// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/schedule/depth_first.h"

#include "jit/emit/machine.h"

#include "jit/test_module.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

constexpr unsigned Steps = 4;

/// Each step to all registers: loads, sums with a neighbour, stores. `attribute`: of %in.
std::string stepwise(unsigned registers, const char *attribute, const char *between = "",
                     const char *more = "") {
  std::string text;
  raw_string_ostream out(text);
  out << "define void @f(ptr " << attribute << " %in, ptr %out) {\n";
  for (unsigned i = 0; i < registers; ++i)
    out << "  %p" << i << " = getelementptr i8, ptr %in, i64 " << 32 * i << "\n  %v0_" << i
        << " = load <8 x float>, ptr %p" << i << "\n";
  out << between;
  for (unsigned step = 1; step <= Steps; ++step)
    for (unsigned i = 0; i < registers; ++i)
      out << "  %v" << step << "_" << i << " = fadd <8 x float> %v" << step - 1 << "_" << i
          << ", %v" << step - 1 << "_" << (i ^ 1) << "\n";
  for (unsigned i = 0; i < registers; ++i)
    out << "  %q" << i << " = getelementptr i8, ptr %out, i64 " << 32 * i
        << "\n  store <8 x float> %v" << Steps << "_" << i << ", ptr %q" << i << "\n";
  out << "  ret void\n}\n" << more;
  return text;
}

/// Loads that come before the first store, after the pass on the machine `cpu`.
unsigned loadsFirst(const std::string &text, const char *cpu) {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  auto machine = createMachine(cpu, /*optimize=*/true);
  if (!module || !machine) {
    ADD_FAILURE() << error.getMessage().str();
    return 0;
  }
  module->setDataLayout((*machine)->createDataLayout());
  module->setTargetTriple((*machine)->getTargetTriple());
  runPass<DepthFirst>(*module, **machine);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  unsigned loads = 0;
  for (Instruction &instruction : module->getFunction("f")->getEntryBlock()) {
    if (isa<StoreInst>(instruction))
      break;
    loads += isa<LoadInst>(instruction);
  }
  return loads;
}

#if defined(__x86_64__)

TEST(DepthFirst, StoresWhatItHasComputed) {
  EXPECT_EQ(loadsFirst(stepwise(64, "noalias"), "x86-64-v3"), 2u);
}

// LEGAL depth-first: aliases
TEST(DepthFirst, LoadsBeforeItStoresWhatMayBeTheSame) {
  EXPECT_EQ(loadsFirst(stepwise(64, ""), "x86-64-v3"), 64u);
}

TEST(DepthFirst, LeavesCodeThatTheRegistersHold) {
  EXPECT_EQ(loadsFirst(stepwise(8, "noalias"), "x86-64-v3"), 8u);
}

// LEGAL depth-first: order
TEST(DepthFirst, LoadsBeforeFences) {
  for (const char *between : {"  fence acquire\n", "  call void @leave()\n",
                              "  %a = load atomic i32, ptr %in acquire, align 4\n"})
    EXPECT_EQ(loadsFirst(stepwise(64, "noalias", between, "declare void @leave()\n"), "x86-64-v3"),
              64u + StringRef(between).contains("load"))
        << between;
}

/// What the program has divided, it has divided after it could leave.
// LEGAL depth-first: division
TEST(DepthFirst, DividesBehindWhatMayLeave) {
  std::string text =
      stepwise(64, "noalias",
               "  %n = load i32, ptr %in\n  call void @leave() memory(none)\n"
               "  %d = sdiv i32 100, %n\n  %far = getelementptr i8, ptr %out, i64 9000\n"
               "  store i32 %d, ptr %far\n",
               "declare void @leave()\n");
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  auto machine = cantFail(createMachine("x86-64-v3", true));
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  const BasicBlock &block = module->getFunction("f")->getEntryBlock();
  const Instruction *firstLoad = &*find_if(block, IsaPred<LoadInst>);
  runPass<DepthFirst>(*module, *machine);
  auto call = find_if(block, IsaPred<CallInst>);
  auto division = find_if(block, [](auto &one) { return one.getOpcode() == Instruction::SDiv; });
  EXPECT_TRUE(call->comesBefore(&*division));
  auto loads = count_if(make_range(block.begin(), call), IsaPred<LoadInst>);
  EXPECT_EQ(loads, 65) << "what came before the call still does";
  EXPECT_TRUE(firstLoad->comesBefore(&*call));
}

#endif

} // namespace
} // namespace heddle::jit
