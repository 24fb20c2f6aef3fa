// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/gpu.h"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {

const Gpu &gpu(std::string_view key) { return *findGpu(key); }

TEST(Gpu, everyBoardIsSound) {
  for (const Gpu &gpu : builtInGpus()) {
    SCOPED_TRACE(gpu.key);
    EXPECT_NE(findArchitecture(gpu.major, gpu.minor), nullptr);
    EXPECT_TRUE(hasParameters(gpu.major, gpu.minor));
    EXPECT_LE(gpu.sustainedKhz, gpu.clockKhz / 100 * 107);
    EXPECT_GT(gpu.sustainedKhz, gpu.clockKhz / 3);
    EXPECT_EQ(gpu.l2Bytes == 0, gpu.major == 1);
    EXPECT_EQ(gpu.l2Slices == 0, gpu.major == 1);
    EXPECT_LE(gpu.copyEngines, 7);
    EXPECT_EQ(findGpu(gpu.key)->name, gpu.name) << "the key is not the only one";
  }
}

/// The texts' tables of peak rates.
TEST(Gpu, peakBandwidths) {
  EXPECT_DOUBLE_EQ(gpu("c870").peakBandwidth(), 76.8e9);
  EXPECT_DOUBLE_EQ(gpu("c1060").peakBandwidth(), 102.4e9);
  EXPECT_DOUBLE_EQ(gpu("c2050").peakBandwidth(), 144e9);
  EXPECT_DOUBLE_EQ(gpu("k10").peakBandwidth(), 160e9);
  EXPECT_DOUBLE_EQ(gpu("K20").peakBandwidth(), 208e9);
  EXPECT_DOUBLE_EQ(gpu("gtx280").peakBandwidth() / 1e9, 141.696);
  EXPECT_EQ(gpu("k20").queues(), 32);
  EXPECT_EQ(gpu("k10").queues(), 1);
  EXPECT_EQ(gpu("gtx480").fp64PerClock(), 4);
  EXPECT_EQ(gpu("c2050").fp64PerClock(), 16);
}

TEST(Gpu, parametersByCapability) {
  EXPECT_EQ(parametersOf(3, 5).fp32, 192);
  EXPECT_EQ(parametersOf(3, 7).shift, 64);
  EXPECT_EQ(parametersOf(9, 0).fp64, 64);
  EXPECT_EQ(parametersOf(10, 0).fp32, parametersOf(9, 0).fp32);
  EXPECT_FALSE(hasParameters(10, 0));
}

std::string errorOf(std::string_view text) {
  Result<std::vector<Gpu>> result = parseGpus(text, "boards", builtInGpus());
  return result ? "none" : result.error();
}

TEST(GpuFile, boardsLikeOthers) {
  Result<std::vector<Gpu>> result = parseGpus("# mine\n\n[fast]\nlike = H100\nname = \"An H100\"\n"
                                              "busBits = 6016\ndram = hbm3e\n[faster]\r\n"
                                              "like=fast\nmemoryBytes = 999\ncapability = 8.9",
                                              "boards", builtInGpus());
  ASSERT_TRUE(result) << result.error();
  ASSERT_EQ(result->size(), 2u);
  EXPECT_EQ((*result)[0].key, "fast");
  EXPECT_EQ((*result)[0].name, "An H100");
  EXPECT_EQ((*result)[0].dram, Dram::Hbm3e);
  EXPECT_EQ((*result)[0].multiprocessors, gpu("h100").multiprocessors);
  EXPECT_EQ((*result)[1].busBits, 6016);
  EXPECT_EQ((*result)[1].memoryBytes, 999u);
  EXPECT_EQ((*result)[1].minor, 9);
}

TEST(GpuFile, errors) {
  EXPECT_EQ(errorOf("x"), "boards:1: expected [board] or field = value, found 'x'");
  EXPECT_EQ(errorOf("\n[a"), "boards:2: expected [board], found '[a'");
  EXPECT_EQ(errorOf("[a,b]"), "boards:1: expected [board], found '[a,b]'");
  EXPECT_EQ(errorOf("[k20]"), "boards:1: board 'k20' is known already");
  EXPECT_EQ(errorOf("ecc = 1"), "boards:1: a field before the first [board]");
  EXPECT_EQ(errorOf("[a]\necc = 1"), "boards:2: board 'a' begins without 'like = BOARD'");
  EXPECT_EQ(errorOf("[a]\n"), "boards:1: board 'a' has no 'like'");
  EXPECT_EQ(errorOf("[a]\nlike = b"), "boards:2: 'like' names an unknown board 'b'");
  EXPECT_EQ(errorOf("[a]\nlike = k20\nbus = 8"), "boards:3: a board has no field 'bus'");
  EXPECT_EQ(errorOf("[a]\nlike = k20\nbusBits = x8"), "boards:3: 'x8' is no number for busBits");
  EXPECT_EQ(errorOf("[a]\nlike = k20\nbusBits = 0"), "boards:3: '0' is no number for busBits");
  EXPECT_EQ(errorOf("[a]\nlike = k20\ncapability = 4.0"),
            "boards:3: unknown compute capability '4.0'");
  EXPECT_EQ(errorOf("[a]\nlike = k20\ndram = fast"), "boards:3: unknown kind of memory 'fast'");
  EXPECT_EQ(errorOf("[a]\nlike = k20\nname = \"\""), "boards:3: the name is empty");
}

} // namespace
} // namespace heddle::model
