// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/fuzz/fuzz.h"

#include "base/test_fuzz.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr uint64_t ShortRun = 200'000; ///< expressions
constexpr unsigned PerProgram = 30;
constexpr unsigned Widths[] = {1, 8, 16, 32, 64, 256};
constexpr std::array<unsigned, 3> Blocks[] = {
    {32, 1, 1},  {256, 1, 1}, {100, 1, 1}, {48, 3, 1}, {16, 16, 1}, {32, 8, 1},
    {8, 8, 4},   {4, 2, 16},  {7, 5, 3},   {64, 4, 1}, {1, 32, 2},  {2, 128, 1},
    {512, 2, 1}, {12, 4, 2},  {1, 1, 64},  {1, 1, 1},  {16, 6, 2},  {1000, 1, 1},
};

} // namespace

FuzzCase::FuzzCase(uint64_t seed) : random(seed) {
  module.setDataLayout("e-m:e-p:64:64-i64:64-n8:16:32:64-S128");
  program = makeRandomProgram(module, random, PerProgram);
  facts = {Widths[random() % std::size(Widths)], Blocks[random() % std::size(Blocks)]};
}

std::vector<uint64_t> FuzzCase::randomArguments() {
  std::vector<uint64_t> arguments;
  for (unsigned i = 0; i < program.thread->arg_size(); ++i) {
    uint64_t edges[] = {0,
                        0x7f,
                        0x80,
                        0xff,
                        0x7fff,
                        0x8000,
                        0xffff,
                        0x7fffffff,
                        0x80000000,
                        0xffffffff,
                        uint64_t(1) << 63,
                        ~uint64_t(0),
                        0x100000000};
    uint64_t number = edges[random() % std::size(edges)] + random() % 64 - 32;
    arguments.push_back(random() % 3 == 0 ? random() : random() % 2 ? random() % 1000 : number);
  }
  return arguments;
}

static std::string describe(const FuzzCase &fuzzCase, uint64_t seed, unsigned first) {
  const LaneFacts &facts = fuzzCase.facts;
  std::string text;
  raw_string_ostream out(text);
  out << "seed " << seed << ", width " << facts.width << ", block " << facts.blockDim[0] << ","
      << facts.blockDim[1] << "," << facts.blockDim[2] << ", thread " << first << "\n"
      << fuzzCase.module;
  return text;
}

/// Runs `test` on random programs until there were enough; it says what is wrong, or nothing.
void fuzz(function_ref<std::string(FuzzCase &, unsigned first)> test) {
  const test::FuzzRun run;
  uint64_t expressions = 0, programs = 0;
  for (uint64_t seed = run.seed; expressions < ShortRun * run.factor; ++seed, ++programs) {
    FuzzCase fuzzCase(seed);
    ASSERT_FALSE(verifyModule(fuzzCase.module, &errs())) << "seed " << seed;
    expressions += fuzzCase.program.expressions;
    for (unsigned first = 0, runs = 0; first < fuzzCase.threads() && runs < 3; ++runs) {
      std::string difference = test(fuzzCase, first);
      if (!difference.empty())
        FAIL() << difference << describe(fuzzCase, seed, first);
      first += fuzzCase.facts.width * (1 + fuzzCase.random() % 4);
    }
  }
  std::printf("%llu expressions of %llu programs\n", static_cast<unsigned long long>(expressions),
              static_cast<unsigned long long>(programs));
}

} // namespace heddle::simt
