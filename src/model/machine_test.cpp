// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/lowering.h"
#include "model/test_kernels.h"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {

using test::CodeWriter;
using enum Operation;
constexpr ValueKind Integer = ValueKind::Integer, Float = ValueKind::Float;

const Gpu &gpu(std::string_view key) { return *findGpu(key); }

CodeOperation operation(Operation name, ValueKind kind, uint8_t bits, unsigned flags = 0) {
  CodeOperation op{};
  op.operation = name, op.kind = kind, op.bits = bits, op.flags = static_cast<uint16_t>(flags);
  return op;
}

int count(const CodeOperation &op, std::string_view key) { return instructionsOf(op, gpu(key)); }

TEST(Machine, integersOf64BitsArePairs) {
  const CodeOperation add = operation(Add, Integer, 64);
  EXPECT_EQ(count(add, "k20"), 2);
  EXPECT_EQ(count(add, "h100"), 2);
  const CodeOperation address = operation(Add, Integer, 64, IsAddress);
  EXPECT_EQ(count(address, "c1060"), 1) << "pointers of 1.x have 32 bits";
  EXPECT_EQ(count(operation(Add, Float, 64), "k20"), 1);
}

TEST(Machine, products) {
  const CodeOperation low = operation(Multiply, Integer, 32);
  EXPECT_EQ(count(low, "c1060"), 4);
  EXPECT_EQ(count(low, "k20"), 1);
  EXPECT_EQ(count(low, "gtx980"), 3) << "XMAD";
  EXPECT_EQ(count(low, "v100"), 1);
  const CodeOperation wide = operation(Multiply, Integer, 32, IsWide);
  EXPECT_EQ(count(wide, "k20"), 2);
  EXPECT_EQ(count(wide, "v100"), 1);
  EXPECT_EQ(count(operation(Multiply, Integer, 32, IsWide | HasImmediate), "gtx1080"), 2);
}

TEST(Machine, divisionsAreSequences) {
  EXPECT_GT(count(operation(Divide, Integer, 32), "k20"), 12);
  EXPECT_GT(count(operation(Divide, Integer, 64), "v100"), 60);
  EXPECT_LE(count(operation(Divide, Float, 32, IsApproximate), "v100"), 4);
  EXPECT_GT(count(operation(Divide, Float, 32), "v100"), 8);
  EXPECT_EQ(count(operation(ReciprocalRoot, Float, 32, IsApproximate), "k20"), 1);
}

TEST(Machine, pipelinesByTheTables) {
  EXPECT_EQ(ticksOf(Pipe::Fp32, gpu("v100")), 2 * TicksPerCycle) << "16 lanes of a scheduler";
  EXPECT_EQ(ticksOf(Pipe::Fp64, gpu("v100")), 4 * TicksPerCycle);
  EXPECT_EQ(ticksOf(Pipe::Fp64, gpu("rtx3090")), 64 * TicksPerCycle);
  EXPECT_EQ(ticksOf(Pipe::Fp32, gpu("c1060")), 4 * TicksPerCycle);
  EXPECT_EQ(ticksOf(Pipe::Special, gpu("8800gtx")), 16 * TicksPerCycle);
  EXPECT_EQ(latencyOf(Pipe::Fp32, gpu("k20")), 9);
}

size_t instructions(const KernelCode &code, std::string_view key) {
  return makeMachineCode(code, gpu(key)).instructions.size();
}

/// base + index * 8: one IMAD.WIDE from 7.0 on, two instructions before.
TEST(Fusion, addresses) {
  CodeWriter w;
  w.block();
  const uint32_t base = w.parameter(), index = w.make(SpecialRegister, Integer, 32, {});
  w.address(base, index);
  const KernelCode code = w.take();
  EXPECT_EQ(instructions(code, "v100"), 1 + 1 + 1u) << "entry, S2R, IMAD.WIDE";
  EXPECT_EQ(instructions(code, "k20"), 1 + 1 + 2u);
  EXPECT_EQ(instructions(code, "h100"), 1 + 1 + 1 + 1u) << "the parameter is loaded";
  EXPECT_EQ(instructions(code, "c1060"), 1 + 2u) << "no stack; shift and add";
}

/// The address of a variable is part of the access, and a constant at a known place an operand.
TEST(Fusion, constants) {
  CodeWriter w;
  w.block();
  const uint32_t index = w.make(SpecialRegister, Integer, 32, {});
  const uint32_t base = w.make(Move, Integer, 32, {}, IsAddress);
  const uint32_t at = w.make(Add, Integer, 32, {base, index}, IsAddress);
  const uint32_t one = w.load(Space::Constant, 4, at), other = w.load(Space::Constant, 4, w.reg(0));
  w.make(Add, Float, 32, {one, other});
  const KernelCode code = w.take();
  EXPECT_EQ(instructions(code, "v100"), 1 + 1 + 1 + 1u) << "entry, S2R, LDC, FADD";
}

TEST(Fusion, operandsThatNothingElseNeeds) {
  auto sum = [](bool isUsedTwice) {
    CodeWriter w;
    w.block();
    const uint32_t a = w.make(SpecialRegister, Integer, 32, {});
    const uint32_t b = w.make(SpecialRegister, Integer, 32, {});
    const uint32_t first = w.make(Add, Integer, 32, {a, b});
    w.make(Add, Integer, 32, {first, a});
    if (isUsedTwice)
      w.make(Shift, Integer, 32, {first}, HasImmediate);
    return w.take();
  };
  EXPECT_EQ(instructions(sum(false), "v100"), 4u) << "IADD3";
  EXPECT_EQ(instructions(sum(false), "k20"), 5u);
  EXPECT_EQ(instructions(sum(true), "v100"), 6u);
}

TEST(Fusion, copiesShareARegister) {
  CodeWriter w;
  w.block();
  const uint32_t a = w.make(SpecialRegister, Integer, 32, {}), variable = w.reg();
  w.into(variable, Move, Integer, 32, {a});
  const uint32_t loop = w.block();
  const uint32_t next = w.make(Shift, Integer, 32, {variable}, HasImmediate);
  w.into(variable, Move, Integer, 32, {next});
  w.jump(0, {loop}), w.jump(loop, {loop});
  const MachineCode code = makeMachineCode(w.take(), gpu("v100"));
  const MachineInstruction &shift = code.instructions.back();
  EXPECT_EQ(code.blocks[1].count, 1u) << "no move";
  EXPECT_EQ(shift.sources[0], shift.results[0]) << "the chain is not lost";
}

TEST(Fusion, shortBranchesArePredicates) {
  auto skip = [](unsigned operations) {
    CodeWriter w;
    w.block();
    const uint32_t a = w.make(SpecialRegister, Integer, 32, {});
    w.guard(a);
    const uint32_t skipped = w.block();
    for (unsigned i = 0; i < operations; ++i)
      w.make(Shift, Integer, 32, {a}, HasImmediate);
    const uint32_t join = w.block();
    w.make(Shift, Integer, 32, {a}, HasImmediate), w.simple(Return);
    w.jump(0, {skipped, join}), w.jump(skipped, {join});
    return w.take();
  };
  const MachineCode little = makeMachineCode(skip(3), gpu("v100"));
  const MachineCode much = makeMachineCode(skip(18), gpu("v100"));
  EXPECT_EQ(much.blocks[0].count - little.blocks[0].count, 3u) << "BSSY, BRA, BSYNC";
  EXPECT_EQ(makeMachineCode(skip(17), gpu("v100")).runsWith[1], 0u);
  EXPECT_EQ(makeMachineCode(skip(17), gpu("k20")).runsWith[1], 1u);
  EXPECT_EQ(little.runsWith[1], 0u) << "all warps execute what is predicated";
  EXPECT_EQ(much.runsWith[1], 1u);
}

/// A condition within a condition is one predicate.
TEST(Fusion, predicatesOfNestedConditions) {
  auto outerOf = [](unsigned operations) {
    CodeWriter w;
    w.block();
    const uint32_t a = w.make(SpecialRegister, Integer, 32, {});
    w.guard(a);
    const uint32_t outer = w.block();
    w.make(Shift, Integer, 32, {a}, HasImmediate);
    w.guard(a);
    const uint32_t inner = w.block();
    for (unsigned i = 0; i < operations; ++i)
      w.make(Shift, Integer, 32, {a}, HasImmediate);
    const uint32_t join = w.block();
    w.make(Shift, Integer, 32, {a}, HasImmediate), w.simple(Return);
    w.jump(0, {outer, join}), w.jump(outer, {inner, join}), w.jump(inner, {join});
    const MachineCode code = makeMachineCode(w.take(), gpu("v100"));
    return std::pair(code.runsWith[outer], code.runsWith[inner]);
  };
  EXPECT_EQ(outerOf(8), std::pair(0u, 0u));
  EXPECT_EQ(outerOf(17), std::pair(1u, 1u)) << "the inner one alone";
}

/// Up to four accesses, but no atomic one.
TEST(Fusion, predicatesOfAccesses) {
  auto runsAlone = [](unsigned loads, bool isAtomic) {
    CodeWriter w;
    w.block();
    const uint32_t a = w.make(SpecialRegister, Integer, 32, {});
    w.guard(a);
    const uint32_t skipped = w.block();
    for (unsigned i = 0; i < loads; ++i)
      w.load(Space::Shared, 4, a);
    if (isAtomic)
      w.store(Space::Shared, 4, a, a, Reduce);
    const uint32_t join = w.block();
    w.make(Shift, Integer, 32, {a}, HasImmediate), w.simple(Return);
    w.jump(0, {skipped, join}), w.jump(skipped, {join});
    return makeMachineCode(w.take(), gpu("v100")).runsWith[1] == 1;
  };
  EXPECT_FALSE(runsAlone(4, false));
  EXPECT_TRUE(runsAlone(5, false));
  EXPECT_TRUE(runsAlone(1, true));
}

/// From 9.0 on parameters are loaded where they are needed: not by warps that leave before.
TEST(Fusion, scalesOfSharedAccesses) {
  auto instructions = [](std::string_view key, Space space) {
    CodeWriter w;
    w.block();
    const uint32_t index = w.make(SpecialRegister, Integer, 32, {});
    w.load(space, 4, w.make(Shift, Integer, 32, {index}, HasImmediate));
    w.simple(Return);
    return makeMachineCode(w.take(), gpu(key)).blocks[0].count;
  };
  EXPECT_EQ(instructions("v100", Space::Shared), instructions("v100", Space::Global) - 1);
  EXPECT_EQ(instructions("gtx980", Space::Shared), instructions("gtx980", Space::Global));
  EXPECT_EQ(instructions("h200", Space::Shared), instructions("h200", Space::Global));
}

TEST(Placement, parametersWhereTheyAreUsed) {
  CodeWriter w;
  w.block();
  const uint32_t base = w.parameter(), a = w.make(SpecialRegister, Integer, 32, {});
  w.guard(a);
  const uint32_t loop = w.block();
  w.store(Space::Global, 4, w.address(base, a), a);
  w.guard(a);
  const uint32_t end = w.block();
  w.make(Shift, Integer, 32, {a}, HasImmediate), w.simple(Return);
  w.jump(0, {loop, end}), w.jump(loop, {loop, end});
  const KernelCode looping = w.take();
  auto loadsIn = [](const KernelCode &code, uint32_t b) {
    const MachineCode machine = makeMachineCode(code, gpu("h100"));
    unsigned count = 0;
    for (uint32_t i = 0; i < machine.blocks[b].count; ++i)
      count += machine.instructions[machine.blocks[b].first + i].operation == Parameter;
    return count;
  };
  // Each guard has a parameter of its own.
  EXPECT_EQ(loadsIn(looping, 0), 1 + 1u) << "before the loop";
  KernelCode straight = looping;
  straight.successors[loop] = {end};
  EXPECT_EQ(loadsIn(straight, 0), 1u);
  EXPECT_EQ(loadsIn(straight, loop), 1 + 1u);
}

TEST(Fusion, leastOfThree) {
  CodeWriter w;
  w.block();
  const uint32_t a = w.make(SpecialRegister, Integer, 32, {});
  const uint32_t least = w.make(MinMax, Integer, 32, {a, a});
  w.make(MinMax, Integer, 32, {least, a});
  const KernelCode code = w.take();
  EXPECT_EQ(instructions(code, "a100"), 1 + 1 + 2u);
  EXPECT_EQ(instructions(code, "h100"), 1 + 1 + 1u) << "VIMNMX3";
}

/// Sums of floats in shared memory are loops of compare and swap from 5.0 on; those of integers are not.
TEST(Machine, sumsInSharedMemory) {
  CodeOperation sum = operation(Reduce, Float, 32);
  sum.space = Space::Shared;
  EXPECT_EQ(count(sum, "v100"), RoundInstructions + 2);
  EXPECT_EQ(count(sum, "k20"), 1);
  sum.kind = Integer;
  EXPECT_EQ(count(sum, "v100"), 1);
  sum.kind = Float, sum.space = Space::Global;
  EXPECT_EQ(count(sum, "v100"), 1);
}

/// Lanes meet where a loop ends: a branch that leaves it from the middle is one instruction. The way
/// back of a loop that was put on an edge of its own is none.
TEST(Fusion, branchesOfLoops) {
  CodeWriter w;
  w.block();
  const uint32_t a = w.make(SpecialRegister, Integer, 32, {});
  const uint32_t loop = w.block();
  w.guard(a);
  const uint32_t latch = w.block();
  w.simple(Branch);
  const uint32_t end = w.block();
  w.make(Shift, Integer, 32, {a}, HasImmediate), w.simple(Return);
  w.jump(0, {loop}), w.jump(loop, {latch, end}), w.jump(latch, {loop});
  const KernelCode code = w.take();
  const MachineCode machine = makeMachineCode(code, gpu("v100"));
  EXPECT_EQ(machine.blocks[loop].count, 2u) << "a comparison and the branch";
  EXPECT_EQ(machine.blocks[latch].count, 0u);
}

/// Two branches, one within the other, whose ways join at one place: it is told once.
TEST(Fusion, branchesThatJoinAtOnePlace) {
  CodeWriter w;
  w.block();
  const uint32_t a = w.make(SpecialRegister, Integer, 32, {});
  w.guard(a);
  auto fill = [&] {
    for (unsigned i = 0; i < 12; ++i)
      w.make(Shift, Integer, 32, {a}, HasImmediate);
  };
  const uint32_t first = w.block();
  fill(), w.guard(a);
  const uint32_t second = w.block();
  fill();
  const uint32_t join = w.block();
  fill(), w.simple(Return);
  w.jump(0, {first, join}), w.jump(first, {second, join}), w.jump(second, {join});
  const KernelCode code = w.take();
  const std::vector<uint8_t> meets = findMeetings(code);
  EXPECT_EQ(meets[0], 1);
  EXPECT_EQ(meets[first], 0);
}

/// Loads go before the arithmetic that needs the first of them.
TEST(Schedule, loadsFirst) {
  CodeWriter w;
  w.block();
  const uint32_t at = w.make(SpecialRegister, Integer, 64, {});
  uint32_t sum = w.make(Move, Float, 32, {}, HasImmediate);
  for (int i = 0; i < 4; ++i)
    sum = w.make(Add, Float, 32, {sum, w.load(Space::Global, 4, at)});
  const MachineCode code = makeMachineCode(w.take(), gpu("v100"));
  unsigned loads = 0, firstAdd = 0;
  for (const MachineInstruction &in : code.instructions) {
    loads += in.operation == Load;
    if (in.operation == Add && !firstAdd)
      firstAdd = loads;
  }
  EXPECT_EQ(firstAdd, 4u);
}

TEST(Schedule, storesStayBetweenLoadsOfTheirSpace) {
  CodeWriter w;
  w.block();
  const uint32_t at = w.make(SpecialRegister, Integer, 64, {});
  w.load(Space::Shared, 4, at);
  w.store(Space::Shared, 4, at, at);
  w.load(Space::Shared, 4, at);
  w.simple(Barrier);
  w.load(Space::Shared, 4, at);
  const MachineCode code = makeMachineCode(w.take(), gpu("k20"));
  std::string order;
  for (const MachineInstruction &in : code.instructions)
    order += in.operation == Load      ? "L"
             : in.operation == Store   ? "S"
             : in.operation == Barrier ? "B"
                                       : "";
  EXPECT_EQ(order, "LSLBL");
}

/// Unless they are other bytes behind one address.
TEST(Schedule, loadsPassStoresOfOtherBytes) {
  auto orderOf = [](int32_t step) {
    CodeWriter w;
    w.block();
    const uint32_t at = w.make(SpecialRegister, Integer, 64, {});
    uint32_t sum = w.make(Move, Float, 32, {}, HasImmediate);
    for (int32_t i = 0; i < 3; ++i) {
      const uint32_t value = w.load(Space::Global, 4, at);
      w.code_.operations.back().offset = step * i;
      w.store(Space::Global, 4, at, sum);
      w.code_.operations.back().offset = step * i;
      sum = w.make(Add, Float, 32, {sum, value});
    }
    std::string order;
    for (const MachineInstruction &in : makeMachineCode(w.take(), gpu("v100")).instructions)
      order += in.operation == Load ? "L" : in.operation == Store ? "S" : "";
    return order;
  };
  EXPECT_EQ(orderOf(0), "LSLSLS");
  EXPECT_EQ(orderOf(4).substr(0, 3), "LLL");
}

TEST(Registers, thatLiveAtATime) {
  CodeWriter w;
  w.block();
  std::vector<uint32_t> values;
  for (int i = 0; i < 20; ++i)
    values.push_back(w.make(SpecialRegister, Integer, 32, {}));
  w.simple(Barrier);
  for (uint32_t value : values)
    w.store(Space::Shared, 4, value, value);
  KernelCode code = w.take();
  const MachineCode all = makeMachineCode(code, gpu("v100"));
  EXPECT_EQ(all.registers, 25);
  code.maxRegisters = 16;
  const MachineCode few = makeMachineCode(code, gpu("v100"));
  EXPECT_EQ(few.registers, 16);
  EXPECT_EQ(few.spillBytes, 36u);
  EXPECT_EQ(makeMachineCode(code, gpu("v100")).pressure, 25);
}

} // namespace
} // namespace heddle::model
