// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over the passes of a table, with passes of its own.
#include "simt/pass_control.h"

#include "simt/analysis/analyses.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

#include <gtest/gtest.h>

namespace heddle::simt {
namespace {

using namespace llvm;

/// Counts the loops of functions, as the manager knows them.
struct AskLoops : PassInfoMixin<AskLoops> {
  static inline unsigned found = 0;

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    found += analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder().size();
    return PreservedAnalyses::all();
  }
};

/// Makes an endless loop of each function's end.
struct MakeLoops : PassInfoMixin<MakeLoops> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    function.back().getTerminator()->eraseFromParent();
    BasicBlock *loop = BasicBlock::Create(function.getContext(), "loop", &function);
    IRBuilder<>(&*std::prev(function.end(), 2)).CreateBr(loop);
    IRBuilder<>(loop).CreateBr(loop);
    return PreservedAnalyses::none();
  }
};

/// The same, and says otherwise.
struct Lie : PassInfoMixin<Lie> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    MakeLoops().run(function, analyses);
    return PreservedAnalyses::all();
  }
};

struct HalfALie : PassInfoMixin<HalfALie> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    MakeLoops().run(function, analyses);
    return changedInBlocks(true);
  }
};

/// Names a variable; of the module.
struct AddVariable : PassInfoMixin<AddVariable> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
    const Options &options = analyses.getResult<LaunchFactsAnalysis>(module).options;
    module.getOrInsertGlobal("width" + std::to_string(options.width),
                             Type::getInt8Ty(module.getContext()));
    return PreservedAnalyses::none();
  }
};

constexpr PassInfo Table[] = {
    {"ask", "", When::Always, AllModes, false, runPass<AskLoops>},
    {"make", "", When::Always, AllModes, false, runPass<MakeLoops>},
    {"ask-again", "", When::Always, AllModes, true, runPass<AskLoops>},
    {"variable", "", When::Always, OptimisedModes, false, runPass<AddVariable>},
};
constexpr PassInfo Lies[] = {{"ask", "", When::Always, AllModes, false, runPass<AskLoops>},
                             {"lie", "", When::Always, AllModes, false, runPass<Lie>}};
constexpr PassInfo HalfLies[] = {{"half", "", When::Always, AllModes, false, runPass<HalfALie>}};

struct PassControlTest : testing::Test {
  PassControlTest() {
    InitializeAllTargets();
    InitializeAllTargetMCs();
    std::string message;
    Triple triple("x86_64-unknown-linux-gnu");
    const Target *target = TargetRegistry::lookupTarget(triple, message);
    machine.reset(target->createTargetMachine(triple, "x86-64-v3", "", TargetOptions(), {}));
    SMDiagnostic error;
    module = parseAssemblyString("declare void @other()\n"
                                 "define void @one() {\n  ret void\n}\n"
                                 "define void @two() {\n  ret void\n}\n",
                                 error, context);
    AskLoops::found = 0;
    options.width = 32;
    options.verifies = true;
  }

  /// What is on stderr; whether it has stopped.
  std::pair<std::string, bool> run(ArrayRef<PassInfo> table = Table) {
    testing::internal::CaptureStderr();
    Analyses analyses(*machine, options);
    PassControl control(options, table);
    control.run(*module, analyses.modules);
    return {testing::internal::GetCapturedStderr(), control.hasStopped()};
  }

  LLVMContext context;
  std::unique_ptr<TargetMachine> machine;
  std::unique_ptr<Module> module;
  Options options;
};

TEST_F(PassControlTest, MakesLoopsKnownAnewBehindPassesThatChangeThem) {
  EXPECT_FALSE(run().second);
  EXPECT_EQ(AskLoops::found, 2u);
  EXPECT_TRUE(module->getNamedGlobal("width32"));
}

TEST_F(PassControlTest, LeavesOutWhatIsNotWanted) {
  options.disabled = "make,ask-again";
  options.mode = Mode::Debug;
  run();
  EXPECT_EQ(AskLoops::found, 0u);
  EXPECT_FALSE(module->getNamedGlobal("width32"));
}

TEST_F(PassControlTest, StopsAfterAPass) {
  options.stopAfter = "make";
  EXPECT_TRUE(run().second);
  EXPECT_EQ(AskLoops::found, 0u);
}

TEST_F(PassControlTest, TellsLinesOfOneNameApart) {
  constexpr PassInfo twice[] = {
      {"make", "", When::Always, AllModes, false, runPass<MakeLoops>},
      {"ask", "", When::Always, AllModes, false, runPass<AskLoops>},
      {"variable", "", When::Always, AllModes, false, runPass<AddVariable>},
      {"ask", "", When::Always, AllModes, false, runPass<AskLoops>},
      {"ask", "", When::Always, AllModes, false, runPass<AskLoops>},
  };
  auto stopAfter = [&](const char *name) {
    AskLoops::found = 0;
    options.stopAfter = options.printAfter = name;
    auto [text, hasStopped] = run(twice);
    size_t prints = 0;
    for (size_t at = 0; (at = text.find("; after ask", at)) != text.npos; ++at)
      ++prints;
    return std::tuple(hasStopped, AskLoops::found, prints);
  };
  EXPECT_EQ(stopAfter("ask"), std::tuple(true, 2u, 1u));
  EXPECT_EQ(stopAfter("ask:1"), std::tuple(true, 2u, 1u));
  EXPECT_EQ(stopAfter("ask:2"), std::tuple(true, 4u, 1u));
  EXPECT_EQ(stopAfter("ask:3"), std::tuple(true, 6u, 1u));
  for (const char *other : {"ask:4", "ask:0", "ask:", "ask:2x", ":2", "ask:2:1"}) {
    EXPECT_EQ(stopAfter(other), std::tuple(false, 6u, 0u)) << other;
    EXPECT_FALSE(PassName(other).isIn(twice)) << other;
  }
  EXPECT_TRUE(PassName("ask:3").isIn(twice));
}

TEST_F(PassControlTest, StopsWhereAPassHasFailed) {
  Analyses analyses(*machine, options);
  PassControl control(options, Table);
  control.run(*module, analyses.modules, [] { return true; });
  EXPECT_TRUE(control.hasStopped());
  EXPECT_EQ(module->getFunction("one")->size(), 1u);
}

TEST_F(PassControlTest, PrintsBehindPassesAlsoIfTheyDoNotRun) {
  options.printAfter = "make";
  options.disabled = "make";
  EXPECT_EQ(run().first.rfind("; after make", 0), 0u);
}

TEST_F(PassControlTest, CountsHowOftenAPassChangesAFunction) {
  options.counts = true;
  std::string counts = run().first;
  EXPECT_NE(counts.find("2 make"), counts.npos) << counts;
  EXPECT_NE(counts.find("1 variable"), counts.npos) << counts;
  EXPECT_EQ(counts.find(" ask"), counts.npos) << counts;
}

TEST_F(PassControlTest, NoticesPassesThatLie) {
  EXPECT_DEATH(run(Lies), "");
  EXPECT_DEATH(run(HalfLies), "");
}

} // namespace
} // namespace heddle::simt
