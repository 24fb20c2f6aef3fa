// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the analysis claims, against what is: random thread programs run lane by lane, and each
// claim is asked in each lane that is active and not poison.
#include "simt/analysis/fuzz/fuzz.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/function_facts.h"
#include "simt/analysis/fuzz/lane_interpreter.h"
#include "simt/analysis/lane_subset.h"
#include "simt/analysis/thread_sums.h"
#include "simt/canonical/distribute_extensions.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <gtest/gtest.h>

namespace heddle::simt {
namespace {

using namespace llvm;

/// How the values of a thread program go over the threads of a block.
struct BlockValues : LaneShapes {
  BlockValues(Function &thread, LoopFacts &facts, const LaneFacts &lanes)
      : LaneShapes(thread, facts, lanes), tables(lanes.blockDim),
        sums(tables, shapes, thread.getDataLayout()) {}

  ThreadTables tables;
  ThreadSums sums;
};

/// The first claim that is wrong, in words; empty: none is.
std::string differenceOfShapes(const BasicBlock &block, const std::vector<bool> &active,
                               const Shapes &shapes, LaneInterpreter &lanes) {
  for (const Instruction &instruction : block) {
    Type *type = instruction.getType();
    if (!type->isIntegerTy() && !type->isPointerTy())
      continue;
    unsigned bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
    uint64_t mask = maskTrailingOnes<uint64_t>(bits);
    Shape shape = shapes.of(&instruction);
    const LaneInterpreter::Numbers &numbers = lanes.of(&instruction);
    for (unsigned lane = 0; lane < shapes.width(); ++lane) {
      if (!active[lane] || numbers[lane].poison)
        continue;
      unsigned first = shape.part(lane) * shape.segment;
      uint64_t claimed = (numbers[first].bits + uint64_t(shape.offset(lane))) & mask;
      bool aligned = !type->isIntegerTy() || shape.align >= 64 ||
                     (numbers[first].bits & mask &
                      maskTrailingOnes<uint64_t>(std::min(63u, shape.align))) == 0;
      if (claimed == numbers[lane].bits && aligned)
        continue;
      std::string text;
      raw_string_ostream out(text);
      out << "lane " << lane << " of" << instruction << "\nis " << numbers[lane].bits << ", lane "
          << first << " is " << numbers[first].bits << ", with segment " << shape.segment
          << " period " << shape.period << " stride " << shape.stride << " step " << shape.step
          << " regular " << shape.regular << " align " << shape.align << '\n';
      return text;
    }
  }
  return {};
}

using Wide = unsigned __int128; ///< for whole numbers

/// The number that a sum gives for a thread, with what is in its lane for the factors; nothing if a
/// factor is poison.
std::optional<Wide> evaluate(const ThreadSum &sum, unsigned thread, unsigned lane,
                             const Shapes &shapes, LaneInterpreter &lanes) {
  Wide result = 0;
  for (const auto &[product, numbers] : sum.products) {
    Wide value = Wide(numbers[thread]);
    for (const Value *factor : product) {
      LaneNumber number = lanes.of(factor)[shapes.isScalar(factor) ? 0 : lane];
      if (number.poison)
        return std::nullopt;
      unsigned bits =
          factor->getType()->isIntegerTy() ? factor->getType()->getIntegerBitWidth() : 64;
      value *= Wide(SignExtend64(number.bits, bits));
    }
    result += value;
  }
  return result;
}

std::string differenceOfSums(const BasicBlock &block, const std::vector<bool> &active,
                             unsigned first, BlockValues &values, LaneSubsets &subsets,
                             LaneInterpreter &lanes) {
  std::string text;
  raw_string_ostream out(text);
  for (const Instruction &constant : block) {
    auto &instruction = const_cast<Instruction &>(constant);
    Type *type = instruction.getType();
    if (!type->isIntegerTy() && !type->isPointerTy())
      continue;
    unsigned bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
    std::optional<ThreadSum> whole = values.sums.of(instruction),
                             modular = values.sums.modular(instruction);
    for (unsigned lane = 0; lane < values.shapes.width(); ++lane) {
      LaneNumber number = lanes.of(&instruction)[lane];
      unsigned thread = first + lane;
      if (!active[lane] || number.poison || thread >= values.tables.threads())
        continue;
      std::optional<APInt> known = subsets.valueIn(&instruction, lane);
      std::optional<Wide> claimed =
          modular ? evaluate(*modular, thread, lane, values.shapes, lanes) : std::nullopt;
      std::optional<Wide> exact = whole && type->isIntegerTy()
                                      ? evaluate(*whole, thread, lane, values.shapes, lanes)
                                      : std::nullopt;
      const char *wrong = nullptr;
      if (known && known->getZExtValue() != number.bits)
        wrong = "number";
      if (claimed && (uint64_t(*claimed) & maskTrailingOnes<uint64_t>(bits)) != number.bits)
        wrong = "sum modulo 2^n";
      if (exact && *exact != Wide(SignExtend64(number.bits, bits)))
        wrong = "sum of whole numbers";
      if (!wrong)
        continue;
      out << "thread " << thread << " of" << instruction << "\nis " << number.bits << ", not its "
          << wrong << '\n';
      return text;
    }
  }
  return text;
}

/// What differs between threads of one program, against what two lanes hold.
std::string differenceOfPairs(const BasicBlock &block, const std::vector<bool> &active,
                              unsigned first, BlockValues &values, Random &random,
                              LaneInterpreter &lanes) {
  std::vector<unsigned> from, to;
  for (unsigned pairs = 0; pairs < 8; ++pairs) {
    unsigned one = random() % values.shapes.width(), two = random() % values.shapes.width();
    if (std::max(one, two) + first >= values.tables.threads() || !active[one] || !active[two])
      continue;
    from.push_back(first + one);
    to.push_back(first + two);
  }
  ThreadDifferences differences(values.sums, from, to);
  std::string text;
  raw_string_ostream out(text);
  for (const Instruction &constant : block) {
    auto &instruction = const_cast<Instruction &>(constant);
    Type *type = instruction.getType();
    if ((!type->isIntegerTy() && !type->isPointerTy()) || !text.empty())
      continue;
    unsigned bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
    std::optional<ThreadTable> claimed = differences.of(instruction);
    if (!claimed)
      continue;
    for (auto [one, two, difference] : zip(from, to, *claimed)) {
      LaneNumber a = lanes.of(&instruction)[one - first], b = lanes.of(&instruction)[two - first];
      if (a.poison || b.poison ||
          ((b.bits - a.bits - uint64_t(difference)) & maskTrailingOnes<uint64_t>(bits)) == 0)
        continue;
      out << "threads " << one << " and " << two << " of" << instruction << "\nare " << a.bits
          << " and " << b.bits << ", not apart by " << difference << '\n';
      break;
    }
  }
  return text;
}

TEST(AnalysisFuzz, ShapesHoldInEachLane) {
  fuzz([](FuzzCase &fuzzCase, unsigned first) {
    LoopFacts loops(*fuzzCase.program.thread);
    LaneShapes shapes(*fuzzCase.program.thread, loops, fuzzCase.facts);
    LaneInterpreter lanes(fuzzCase.program, fuzzCase.facts, first, fuzzCase.randomArguments());
    std::string difference;
    lanes.run([&](const BasicBlock &block, const std::vector<bool> &active) {
      if (difference.empty())
        difference = differenceOfShapes(block, active, shapes.shapes, lanes);
    });
    return difference;
  });
}

TEST(AnalysisFuzz, SumsHoldInEachThread) {
  fuzz([](FuzzCase &fuzzCase, unsigned first) {
    Function &thread = *fuzzCase.program.thread;
    LoopFacts loops(thread);
    BlockValues values(thread, loops, fuzzCase.facts);
    LaneSubsets subsets(values.order, fuzzCase.facts);
    LaneInterpreter lanes(fuzzCase.program, fuzzCase.facts, first, fuzzCase.randomArguments());
    std::string difference;
    lanes.run([&](const BasicBlock &block, const std::vector<bool> &active) {
      if (difference.empty())
        difference = differenceOfSums(block, active, first, values, subsets, lanes);
      if (difference.empty())
        difference = differenceOfPairs(block, active, first, values, fuzzCase.random, lanes);
    });
    return difference;
  });
}

TEST(AnalysisFuzz, ExtendedTermsAreTheSameNumbers) {
  fuzz([](FuzzCase &fuzzCase, unsigned first) {
    RandomProgram &old = fuzzCase.program, now = old;
    ValueToValueMapTy map;
    now.thread = CloneFunction(old.thread, map);
    for (BasicBlock *RandomProgram::*block :
         {&RandomProgram::entry, &RandomProgram::then, &RandomProgram::join, &RandomProgram::loop,
          &RandomProgram::exit})
      now.*block = cast<BasicBlock>(map[old.*block]);
    Options options;
    options.blockDim = fuzzCase.facts.blockDim;
    distributeExtensions(*now.thread, options);
    if (verifyFunction(*now.thread, &errs()))
      return std::string("invalid\n");
    std::vector<uint64_t> arguments = fuzzCase.randomArguments();
    LaneInterpreter before(old, fuzzCase.facts, first, arguments);
    LaneInterpreter after(now, fuzzCase.facts, first, arguments);
    before.setObject(arguments.back());
    std::string difference;
    std::vector<std::pair<const BasicBlock *, std::vector<bool>>> visits;
    std::vector<DenseMap<const Value *, LaneInterpreter::Numbers>> kept;
    before.run([&](const BasicBlock &block, const std::vector<bool> &active) {
      visits.push_back({&block, active});
      kept.emplace_back();
      for (const Instruction &instruction : block)
        if (!instruction.getType()->isVoidTy())
          kept.back()[&instruction] = before.of(&instruction);
    });
    size_t number = 0;
    after.run([&](const BasicBlock &here, const std::vector<bool> &) {
      // Lanes whose condition was poison before, by an address far away, may go on.
      if (number == visits.size() || map[visits[number].first] != &here)
        return;
      auto &[block, active] = visits[number];
      auto &numbers = kept[number++];
      for (const Instruction &instruction : *block) {
        Value *same = instruction.getType()->isVoidTy() ? nullptr : map.lookup(&instruction);
        if (!same || !difference.empty())
          continue;
        bool isAddress = isa<GetElementPtrInst>(instruction); // nobody accesses what is far away
        for (unsigned lane = 0; lane < fuzzCase.facts.width; ++lane) {
          LaneNumber was = numbers[&instruction][lane], is = after.of(same)[lane];
          bool counts = active[lane] && !was.poison;
          if (isAddress)
            counts &= AbsoluteValue(int64_t(was.bits - arguments.back())) < ShortObject;
          if (!counts || (was.bits == is.bits && !is.poison))
            continue;
          raw_string_ostream out(difference);
          out << "lane " << lane << " of" << instruction << "\nwas " << was.bits << " is "
              << is.bits << " poison " << is.poison << " as" << *same << '\n';
          break;
        }
      }
    });
    return difference;
  });
}

} // namespace
} // namespace heddle::simt
