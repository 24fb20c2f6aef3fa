// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/test_object.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// Sixteen lanes of a comparison, or three, above 32 lanes: a mask of 64 with zeros on top.
std::vector<uint8_t> code(const char *cpu) {
  std::string halves, all;
  for (int i = 0; i < 64; ++i) {
    std::string lane = (i ? ", i32 " : "i32 ") + std::to_string(i);
    halves += i < 32 ? lane : "";
    all += lane;
  }
  auto bytes =
      buildObject("@heddle_kernel = constant { i32, ptr } { i32 64, ptr @mask }\n"
                  "define internal i64 @mask(ptr %p, i32 %low, i1 %compares) {\n"
                  "entry:\n  br i1 %compares, label %load, label %join\n"
                  "load:\n  %v = load <16 x i32>, ptr %p, align 4\n"
                  "  %c = icmp eq <16 x i32> %v, zeroinitializer\n  br label %join\n"
                  "join:\n  %k = phi <16 x i1> [ %c, %load ], [ bitcast (i16 7 to <16 x i1>), "
                  "%entry ]\n"
                  "  %high = shufflevector <16 x i1> %k, <16 x i1> zeroinitializer, <32 x i32> <" +
                      halves +
                      ">\n  %lanes = bitcast i32 %low to <32 x i1>\n"
                      "  %m = shufflevector <32 x i1> %lanes, <32 x i1> %high, <64 x i32> <" +
                      all + ">\n  %bits = bitcast <64 x i1> %m to i64\n  ret i64 %bits\n}\n",
                  cpu, [](Module &, TargetMachine &) {});
  EXPECT_TRUE(bool(bytes)) << toString(bytes.takeError());
  return bytes ? *bytes : std::vector<uint8_t>();
}

/// Instructions `kmovw %k, %k`: VEX.L0.0F.W0 90 with two registers.
int copies(const std::vector<uint8_t> &bytes) {
  int count = 0;
  for (size_t i = 0; i + 3 < bytes.size(); ++i)
    count +=
        bytes[i] == 0xc5 && bytes[i + 1] == 0xf8 && bytes[i + 2] == 0x90 && bytes[i + 3] >= 0xc0;
  return count;
}

TEST(ExtendMasks, LeavesNoExtensionThatCountsAsACopy) {
  EXPECT_EQ(copies(code("skylake-avx512")), 0);
}

TEST(ExtendMasks, ComputesTheSame) {
  LoadedObject object(code(nullptr));
  struct Exported {
    int width;
    uint64_t (*run)(const int *, uint32_t, bool);
  };
  const auto *kernel = object.symbol<Exported>("heddle_kernel");
  ASSERT_NE(kernel, nullptr);
  int values[16];
  for (int i = 0; i < 16; ++i)
    values[i] = i % 3;
  EXPECT_EQ(kernel->run(values, 0x12345678, true), 0x924912345678u);
  EXPECT_EQ(kernel->run(values, 0xffffffff, false), 0x7ffffffffu);
}

} // namespace
} // namespace heddle::jit
