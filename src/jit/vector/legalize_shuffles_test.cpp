// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shuffles of constant vectors: cutting them folds to a constant, which must be the shuffled one.
#include "jit/vector/legalize_shuffles.h"

#include "jit/emit/machine.h"

#include "jit/test_module.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

template <class T> Constant *numbers(LLVMContext &context, unsigned count, unsigned from) {
  SmallVector<T, 128> values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(from + i);
  return ConstantDataVector::get(context, values);
}

/// Lanes of two vectors of `count` elements, cut for a machine.
template <class T = uint32_t>
void check(unsigned count, ArrayRef<int> mask, bool isCut, const char *cpu = "x86-64-v4") {
  auto machine = cantFail(createMachine(cpu, true));
  LLVMContext context;
  Module module("test", context);
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(machine->getTargetTriple());
  auto *result = FixedVectorType::get(Type::getIntNTy(context, 8 * sizeof(T)), mask.size());
  auto *function =
      Function::Create(FunctionType::get(result, false), Function::ExternalLinkage, "f", module);
  auto *block = BasicBlock::Create(context, "", function);
  auto *shuffle = new ShuffleVectorInst(numbers<T>(context, count, 0),
                                        numbers<T>(context, count, count), mask, "", block);
  auto *end = ReturnInst::Create(context, shuffle, block);
  runPass<LegalizeShuffles>(module, *machine);
  ASSERT_FALSE(verifyModule(module));
  auto *folded = dyn_cast<Constant>(end->getReturnValue());
  ASSERT_EQ(folded != nullptr, isCut);
  for (unsigned i = 0; folded && i < mask.size(); ++i)
    if (mask[i] >= 0) {
      auto *element = dyn_cast<ConstantInt>(folded->getAggregateElement(i));
      ASSERT_TRUE(element) << "lane " << i;
      EXPECT_EQ(element->getZExtValue(), unsigned(mask[i])) << "lane " << i;
    }
}

TEST(LegalizeShuffles, KeepsEveryLane) {
  for (int by : {1, 2, 7, 16, 17, 33}) { // lane i from lane i - by, the first from the other vector
    SmallVector<int, 64> mask;
    for (int i = 0; i < 64; ++i)
      mask.push_back(i < by ? 64 + i : i - by);
    check(64, mask, true);
  }
  SmallVector<int, 64> evens, merged, holes;
  for (int i = 0; i < 64; ++i) {
    evens.push_back(2 * i);
    merged.push_back(i % 2 ? 64 + i : i);
    holes.push_back(i % 3 ? i ^ 5 : PoisonMaskElem);
  }
  check(64, evens, true);
  check(64, merged, true);
  check(64, holes, true);
}

TEST(LegalizeShuffles, TakesMembersApartAndTogether) {
  for (const char *cpu : {"x86-64-v4", "x86-64-v3"})
    for (int members : {3, 5, 7, 9, 15}) {
      SmallVector<int, 64> apart, together;
      for (int i = 0; i < 32; ++i)
        apart.push_back(i * members + 1);
      for (int i = 0; i < 16 * members; ++i)
        together.push_back(i % members == 1 ? i / members : PoisonMaskElem);
      check(32 * members, apart, true, cpu);
      check(16, together, true, cpu);
    }
}

TEST(LegalizeShuffles, TakesBytesAndShortsApartAndTogether) {
  for (const char *cpu : {"x86-64-v4", "x86-64-v3", "x86-64-v2"})
    for (int members : {3, 5}) {
      SmallVector<int, 64> apart, holes, together;
      for (int i = 0; i < 64; ++i) {
        apart.push_back(i * members % 191);
        holes.push_back(i % 5 ? apart.back() : PoisonMaskElem);
        together.push_back(i % members * 32 % 96 + i / members);
      }
      SCOPED_TRACE(std::string(cpu) + ", " + std::to_string(members));
      check<uint8_t>(96, apart, true, cpu);
      check<uint8_t>(96, holes, true, cpu);
      check<uint8_t>(96, together, true, cpu);
      check<uint16_t>(96, together, StringRef(cpu) != "x86-64-v4", cpu);
    }
}

TEST(LegalizeShuffles, CutsWhatComesDifferentWays) {
  auto machine = cantFail(createMachine("x86-64-v4", true));
  LLVMContext context;
  SMDiagnostic error;
  std::string stride = "<i32 0";
  for (int i = 1; i < 16; ++i)
    stride += ", i32 " + std::to_string(3 * i);
  std::unique_ptr<Module> module = parseAssemblyString(
      "define void @f(ptr %p, ptr %q, i32 %k) {\n"
      "  %a = load <48 x i32>, ptr %p\n"
      "  switch i32 %k, label %other [ i32 0, label %end  i32 1, label %end ]\n"
      "other:\n  br label %end\n"
      "end:\n"
      "  %v = phi <48 x i32> [ %a, %0 ], [ %a, %0 ], [ zeroinitializer, %other ]\n"
      "  %x = shufflevector <48 x i32> %v, <48 x i32> poison, <16 x i32> " +
          stride +
          ">\n"
          "  store <16 x i32> %x, ptr %q\n  ret void\n}\n",
      error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  runPass<LegalizeShuffles>(*module, *machine);
  ASSERT_FALSE(verifyModule(*module, &errs()));
  unsigned phis = 0;
  for (Instruction &instruction : instructions(*module->getFunction("f")))
    if (isa<PHINode, LoadInst>(instruction)) {
      EXPECT_EQ(cast<FixedVectorType>(instruction.getType())->getNumElements(), 16u);
      phis += isa<PHINode>(instruction);
    }
  EXPECT_EQ(phis, 3u);
}

TEST(LegalizeShuffles, LeavesWhatTheBackEndTakes) {
  SmallVector<int, 64> part, both, reversed, far;
  for (int i = 0; i < 32; ++i)
    part.push_back(32 + i);
  for (int i = 0; i < 64; ++i)
    both.push_back(i);
  for (int i = 0; i < 16; ++i)
    reversed.push_back(15 - i);
  for (int i = 0; i < 64; ++i)
    far.push_back(i * 12 % 64 + i / 16); // each register from all four, many from the same place
  check(64, part, false);
  check(32, both, false);
  check(16, reversed, false);
  check(64, far, false);
}

/// The lanes of the longest load or store after the pass over three registers that are loaded and
/// stored so.
unsigned longestAccess(const std::string &body, unsigned lanes = 48) {
  auto machine = cantFail(createMachine("x86-64-v4", true));
  LLVMContext context;
  SMDiagnostic error;
  std::string type = "<" + std::to_string(lanes) + " x i32>",
              bits = "<" + std::to_string(lanes) + " x i1>";
  std::string text = "define void @f(ptr %p, ptr %q, BITS %mask, <16 x i1> %few, TYPE %old) {\n" +
                     body + "  ret void\n}\n";
  for (auto [name, by] : {std::pair<std::string, std::string>("TYPE", type), {"BITS", bits}})
    for (size_t at = 0; (at = text.find(name, at)) != text.npos; at += by.size())
      text.replace(at, name.size(), by);
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str() << text;
  if (!module)
    return 0;
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  runPass<LegalizeShuffles>(*module, *machine);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  unsigned longest = 0;
  for (Instruction &instruction : instructions(*module->getFunction("f")))
    if (isa<LoadInst, StoreInst, CallInst>(instruction)) {
      Type *accessed = isa<StoreInst>(instruction) || instruction.getType()->isVoidTy()
                           ? instruction.getOperand(0)->getType()
                           : instruction.getType();
      longest = std::max(longest, cast<FixedVectorType>(accessed)->getNumElements());
    }
  return longest;
}

// LEGAL legalize-shuffles: plain
TEST(LegalizeShuffles, LeavesVolatileAccesses) {
  EXPECT_EQ(longestAccess("  %v = load TYPE, ptr %p\n  store TYPE %v, ptr %q\n"), 16u);
  EXPECT_EQ(longestAccess("  %v = load volatile TYPE, ptr %p\n  store TYPE %v, ptr %q\n"), 48u);
  EXPECT_EQ(longestAccess("  %v = load TYPE, ptr %p\n  store volatile TYPE %v, ptr %q\n"), 48u);
}

// LEGAL legalize-shuffles: whole
TEST(LegalizeShuffles, LeavesPartsOfRegisters) {
  EXPECT_EQ(longestAccess("  %v = load TYPE, ptr %p\n  store TYPE %v, ptr %q\n", 40), 40u);
}

// LEGAL legalize-shuffles: masks
TEST(LegalizeShuffles, LeavesMasksThatAreNotOfStructures) {
  auto masked = [](const std::string &mask, const std::string &old) {
    return "  %v = call TYPE @llvm.masked.load.v48i32.p0(ptr align 4 %p, BITS " + mask + ", TYPE " +
           old + ")\n  store TYPE %v, ptr %q\n";
  };
  std::string spread =
      "  %spread = shufflevector <16 x i1> %few, <16 x i1> poison, <48 x i32> <i32 0";
  for (int i = 1; i < 48; ++i)
    spread += ", i32 " + std::to_string(i / 3);
  spread += ">\n";
  EXPECT_EQ(longestAccess(spread + masked("%spread", "poison")), 16u);
  EXPECT_EQ(longestAccess(masked("%mask", "poison")), 48u);
  EXPECT_EQ(longestAccess(spread + masked("%spread", "%old")), 48u) << "idle lanes are wanted";
}

} // namespace
} // namespace heddle::jit
