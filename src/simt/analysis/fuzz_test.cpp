// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the analysis claims, against what is: random thread programs run lane by lane, and each
// claim is asked in each lane that is active and not poison.
//
//     HEDDLE_FUZZ=COUNT[,SEED]    so many expressions, from this seed on
#include "simt/analysis/random_program.h"

#include "base/kernel_abi.h"
#include "simt/extend_terms.h"
#include "simt/function_facts.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <gtest/gtest.h>

namespace heddle::simt {
namespace {

using namespace llvm;

constexpr uint64_t ShortRun = 200'000; ///< expressions
constexpr unsigned PerProgram = 30;
constexpr unsigned Widths[] = {1, 8, 16, 32, 64, 256};
constexpr std::array<unsigned, 3> Blocks[] = {
    {32, 1, 1},  {256, 1, 1}, {100, 1, 1}, {48, 3, 1}, {16, 16, 1}, {32, 8, 1},
    {8, 8, 4},   {4, 2, 16},  {7, 5, 3},   {64, 4, 1}, {1, 32, 2},  {2, 128, 1},
    {512, 2, 1}, {12, 4, 2},  {1, 1, 64},  {1, 1, 1},  {16, 6, 2},  {1000, 1, 1},
};

struct FuzzRun {
  uint64_t expressions = ShortRun, seed = 1;
  FuzzRun() {
    if (const char *text = std::getenv("HEDDLE_FUZZ")) {
      StringRef count, first;
      std::tie(count, first) = StringRef(text).split(',');
      count.getAsInteger(10, expressions);
      first.getAsInteger(10, seed);
    }
  }
};

/// Numbers that arithmetic is near its bounds with, too.
std::vector<uint64_t> randomArguments(const Function &thread, Random &random) {
  std::vector<uint64_t> arguments;
  for (unsigned i = 0; i < thread.arg_size(); ++i) {
    uint64_t edges[] = {0, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
                        0xffffffff, uint64_t(1) << 63, ~uint64_t(0), 0x100000000};
    uint64_t number = edges[random() % std::size(edges)] + random() % 64 - 32;
    arguments.push_back(random() % 3 == 0 ? random() : random() % 2 ? random() % 1000 : number);
  }
  return arguments;
}

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
                     (numbers[first].bits & mask & maskTrailingOnes<uint64_t>(std::min(63u, shape.align))) == 0;
      if (claimed == numbers[lane].bits && aligned)
        continue;
      std::string text;
      raw_string_ostream out(text);
      out << "lane " << lane << " of" << instruction << "\nis " << numbers[lane].bits
          << ", lane " << first << " is " << numbers[first].bits << ", with segment "
          << shape.segment << " period " << shape.period << " stride " << shape.stride << " step "
          << shape.step << " regular " << shape.regular << " align " << shape.align << '\n';
      return text;
    }
  }
  return {};
}

/// One random program, its block and how many lanes it has.
struct FuzzCase {
  LLVMContext context;
  Module module{"fuzz", context};
  RandomProgram program;
  LaneFacts facts;
  Random random;

  explicit FuzzCase(uint64_t seed) : random(seed) {
    module.setDataLayout("e-m:e-p:64:64-i64:64-n8:16:32:64-S128");
    program = makeRandomProgram(module, random, PerProgram);
    facts = {Widths[random() % std::size(Widths)], Blocks[random() % std::size(Blocks)]};
  }
  unsigned threads() const { return facts.blockDim[0] * facts.blockDim[1] * facts.blockDim[2]; }
  std::string text(uint64_t seed, unsigned first) const {
    std::string text;
    raw_string_ostream out(text);
    out << "seed " << seed << ", width " << facts.width << ", block " << facts.blockDim[0] << ","
        << facts.blockDim[1] << "," << facts.blockDim[2] << ", thread " << first << "\n"
        << module;
    return text;
  }
};

/// Runs `test` on random programs until there were enough; it says what is wrong, or nothing.
void fuzz(function_ref<std::string(FuzzCase &, unsigned first)> test) {
  FuzzRun run;
  uint64_t expressions = 0, programs = 0;
  for (uint64_t seed = run.seed; expressions < run.expressions; ++seed, ++programs) {
    FuzzCase fuzzCase(seed);
    ASSERT_FALSE(verifyModule(fuzzCase.module, &errs())) << "seed " << seed;
    expressions += fuzzCase.program.expressions;
    for (unsigned first = 0, runs = 0; first < fuzzCase.threads() && runs < 3; ++runs) {
      std::string difference = test(fuzzCase, first);
      if (!difference.empty())
        FAIL() << difference << fuzzCase.text(seed, first);
      first += fuzzCase.facts.width * (1 + fuzzCase.random() % 4);
    }
  }
  std::printf("%llu expressions of %llu programs\n", static_cast<unsigned long long>(expressions),
              static_cast<unsigned long long>(programs));
}

TEST(AnalysisFuzz, ShapesHoldInEachLane) {
  fuzz([](FuzzCase &fuzzCase, unsigned first) {
    LoopFacts loops(*fuzzCase.program.thread);
    LaneShapes shapes(*fuzzCase.program.thread, loops, fuzzCase.facts);
    LaneInterpreter lanes(fuzzCase.program, fuzzCase.facts, first,
                          randomArguments(*fuzzCase.program.thread, fuzzCase.random));
    std::string difference;
    lanes.run([&](const BasicBlock &block, const std::vector<bool> &active) {
      if (difference.empty())
        difference = differenceOfShapes(block, active, shapes.shapes, lanes);
    });
    return difference;
  });
}

TEST(AnalysisFuzz, ExtendedTermsAreTheSameNumbers) {
  fuzz([](FuzzCase &fuzzCase, unsigned first) {
    RandomProgram &old = fuzzCase.program, now = old;
    ValueToValueMapTy map;
    now.thread = CloneFunction(old.thread, map);
    for (BasicBlock *RandomProgram::*block : {&RandomProgram::entry, &RandomProgram::then,
                                              &RandomProgram::join, &RandomProgram::loop,
                                              &RandomProgram::exit})
      now.*block = cast<BasicBlock>(map[old.*block]);
    Options options;
    options.blockDim = fuzzCase.facts.blockDim;
    extendTerms(*now.thread, options);
    if (verifyFunction(*now.thread, &errs()))
      return std::string("invalid\n");
    std::vector<uint64_t> arguments = randomArguments(*old.thread, fuzzCase.random);
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
            counts &= std::abs(int64_t(was.bits - arguments.back())) < int64_t(ShortObject);
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
