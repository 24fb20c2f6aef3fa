// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/emit/codegen.h"

#include "jit/emit/back_end.h"

#include "base/abi/kernel_abi.h"
#include "jit/emit/symbolize.h"
#include "jit/load/guard.h"
#include "jit/test_module.h"
#include "jit/test_object.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// Host IR through optimize, emitObject and linkObject.
Expected<std::vector<uint8_t>> build(const std::string &text, const char *cpu = nullptr) {
  return buildObject(text, cpu, [](Module &module, TargetMachine &machine) {
    runPass<Simplify>(module, machine);
  });
}

uint64_t baseOf(const LoadedObject &object) {
  struct link_map *map = nullptr;
  return dlinfo(object.handle(), RTLD_DI_LINKMAP, &map) == 0 ? map->l_addr : 0;
}

std::vector<std::string> neededBy(const LoadedObject &object) {
  struct link_map *map = nullptr;
  dlinfo(object.handle(), RTLD_DI_LINKMAP, &map);
  std::vector<std::string> names;
  const char *strings = nullptr;
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB)
      strings = reinterpret_cast<const char *>(entry->d_un.d_ptr);
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED)
      names.push_back(strings + entry->d_un.d_val);
  return names;
}

constexpr const char *Adder = R"(
  @heddle_kernel = constant { i32, ptr } { i32 32, ptr @add }
  define internal void @add(ptr %p) !dbg !4 {
    %v = load <32 x float>, ptr %p, align 4, !dbg !7
    %w = fadd <32 x float> %v, %v, !dbg !8
    store <32 x float> %w, ptr %p, align 4, !dbg !8
    ret void, !dbg !8
  }
  define internal void @unused() { ret void }
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!2, !3}
  !0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: DebugDirectivesOnly)
  !1 = !DIFile(filename: "add.cu", directory: "/src")
  !2 = !{i32 2, !"Debug Info Version", i32 3}
  !3 = !{i32 7, !"Dwarf Version", i32 2}
  !4 = distinct !DISubprogram(name: "add", scope: !1, file: !1, line: 11, type: !5, unit: !0, spFlags: DISPFlagDefinition)
  !5 = !DISubroutineType(types: !6)
  !6 = !{}
  !7 = !DILocation(line: 12, column: 3, scope: !4)
  !8 = !DILocation(line: 13, column: 3, scope: !4)
)";

struct Exported {
  int width;
  void (*run)(float *);
};

TEST(Codegen, MakesASharedObjectThatRuns) {
  auto bytes = build(Adder);
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  LoadedObject object(*bytes);
  auto *kernel = object.symbol<Exported>(KernelSymbol);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->width, 32);
  float values[32];
  for (int i = 0; i != 32; ++i)
    values[i] = float(i);
  kernel->run(values);
  for (int i = 0; i != 32; ++i)
    EXPECT_EQ(values[i], 2.0f * float(i));
  EXPECT_EQ(object.symbol<void>("add"), nullptr) << "only the kernel is exported";
  EXPECT_TRUE(neededBy(object).empty());
}

TEST(Codegen, KeepsLineTables) {
  auto bytes = build(Adder);
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  LoadedObject object(*bytes);
  auto *kernel = object.symbol<Exported>(KernelSymbol);
  ASSERT_NE(kernel, nullptr);
  uint64_t offset = reinterpret_cast<uint64_t>(kernel->run) - baseOf(object);
  auto position = symbolize(object.path().c_str(), offset);
  ASSERT_TRUE(bool(position)) << toString(position.takeError());
  EXPECT_EQ(position->function, "add");
  EXPECT_EQ(position->file, "/src/add.cu");
  EXPECT_GE(position->line, 11u);
  EXPECT_LE(position->line, 13u);
  auto nowhere = symbolize(object.path().c_str(), 1);
  EXPECT_FALSE(bool(nowhere));
  consumeError(nowhere.takeError());
}

TEST(Codegen, NeedsLibmOnlyWhenCalled) {
  auto bytes = build(R"(
    @heddle_kernel = constant { i32, ptr } { i32 1, ptr @f }
    declare double @lgamma(double)
    define internal void @f(ptr %p) {
      %x = load double, ptr %p
      %y = call double @lgamma(double %x)
      store double %y, ptr %p
      ret void
    }
  )");
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  LoadedObject object(*bytes);
  EXPECT_EQ(neededBy(object), std::vector<std::string>{"libm.so.6"});
}

TEST(Codegen, CallsMemsetForManyZeros) {
  auto bytes = build(R"(
    @heddle_kernel = constant { i32, ptr } { i32 1, ptr @f }
    define internal void @f(ptr %p) {
      call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 16384, i1 false)
      ret void
    }
  )");
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  LoadedObject object(*bytes);
  EXPECT_EQ(neededBy(object), std::vector<std::string>{"libc.so.6"}) << "a loop over bytes?";
  auto *kernel = object.symbol<Exported>(KernelSymbol);
  ASSERT_NE(kernel, nullptr);
  std::vector<float> values(4097, 1.0f);
  kernel->run(values.data());
  for (int i = 0; i != 4097; ++i)
    EXPECT_EQ(values[i], i < 4096 ? 0.0f : 1.0f);
}

TEST(Codegen, NamesAnUndefinedSymbol) {
  auto bytes = build(R"(
    @heddle_kernel = constant ptr @f
    declare void @nobody_has_this()
    define internal void @f() { call void @nobody_has_this() ret void }
  )");
  ASSERT_FALSE(bool(bytes));
  std::string error = toString(bytes.takeError());
  EXPECT_NE(error.find("undefined symbol: nobody_has_this"), std::string::npos) << error;
}

TEST(Codegen, LinksAgainAfterAnError) {
  auto bad = build("@heddle_kernel = external global i32\n@x = global ptr @heddle_kernel");
  consumeError(bad.takeError());
  auto good = build(Adder);
  EXPECT_TRUE(bool(good));
  consumeError(good.takeError());
}

template <typename T> cl::opt<T> &optionOf(StringRef name) {
  cl::Option *option = cl::getRegisteredOptions().lookup(name);
  EXPECT_NE(option, nullptr);
  return *static_cast<cl::opt<T> *>(option);
}

/// Whether the limits of our back end hold.
bool isLimited() {
  bool budget = optionOf<unsigned long>("grow-region-complexity-budget") < 1000ul;
  bool accesses = optionOf<unsigned>("dag-maps-huge-region") < 1000u;
  bool blocks = optionOf<unsigned>("cgpp-huge-func") < 10'000u;
  bool branches = !optionOf<bool>("x86-cmov-converter");
  EXPECT_EQ(budget, accesses);
  EXPECT_EQ(budget, blocks);
  EXPECT_EQ(budget, branches);
  return budget;
}

/// lld would reset LLVM's options at each link; a limit that it undid would cost seconds at a large
/// kernel that another thread compiles.
TEST(Codegen, LimitsTheBackEndWhileItRuns) {
  EXPECT_FALSE(isLimited());
  {
    BackEndLimits outer;
    EXPECT_TRUE(isLimited());
    {
      BackEndLimits inner;
    }
    EXPECT_TRUE(isLimited());
    cantFail(build(Adder));
    EXPECT_TRUE(isLimited());
  }
  EXPECT_FALSE(isLimited());
  cantFail(build(Adder));
  EXPECT_FALSE(isLimited());
}

TEST(Codegen, LeavesLlvmsOptionsToTheProgram) {
  auto &accesses = optionOf<unsigned>("dag-maps-huge-region");
  ASSERT_FALSE(accesses.addOccurrence(0, accesses.ArgStr, "123"));
  {
    BackEndLimits limits;
    EXPECT_EQ(accesses, 123u);
    EXPECT_LT(optionOf<unsigned long>("grow-region-complexity-budget"), 1000ul);
  }
  cantFail(build(Adder));
  EXPECT_EQ(accesses, 123u);
  accesses.reset();
}

TEST(Codegen, AlignsTheStackWhereVectorsMayBeKept) {
  LLVMContext context;
  SMDiagnostic error;
  auto module = parseAssemblyString(R"(
    define void @wide(ptr %p) {
      %v = load <8 x i32>, ptr %p
      store <8 x i32> %v, ptr %p
      ret void
    }
    define void @narrow(ptr %p) {
      %v = load <4 x i32>, ptr %p
      store <4 x i32> %v, ptr %p
      ret void
    })",
                                    error, context);
  ASSERT_TRUE(module);
  runPass<AlignSpills>(*module);
  EXPECT_TRUE(module->getFunction("wide")->hasFnAttribute("stackrealign"));
  EXPECT_FALSE(module->getFunction("narrow")->hasFnAttribute("stackrealign"));
}

TEST(Codegen, RefusesAnUnknownCpu) {
  auto bytes = build(Adder, "pentium-99");
  ASSERT_FALSE(bool(bytes));
  EXPECT_EQ(toString(bytes.takeError()), "unknown CPU 'pentium-99'");
}

TEST(Guard, SurvivesFatalErrors) {
  std::string message;
  EXPECT_FALSE(survive([] { report_fatal_error("no such thing"); }, message));
  EXPECT_EQ(message, "no such thing");
  bool ran = false;
  EXPECT_TRUE(survive([&] { ran = true; }, message));
  EXPECT_TRUE(ran);
}

} // namespace
} // namespace heddle::jit
