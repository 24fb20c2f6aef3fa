// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/emit/stagger_loads.h"

#include "jit/test_object.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::jit {
namespace {

using namespace llvm;

/// The code of a sum of two vectors of `type`, from %p + `first` and %q + 2 * %i + `second` bytes.
std::vector<uint8_t> code(const char *cpu, const std::string &type, int first, int second,
                          const std::string &mark, bool isOn) {
  auto bytes = buildObject(
      "@heddle_kernel = constant { i32, ptr } { i32 32, ptr @sum }\n"
      "define internal void @sum(ptr %p, ptr %q, i64 %i, ptr %to) {\n  %a = getelementptr i8, ptr "
      "%p, i64 " +
          std::to_string(first) + "\n  %x = load " + type + ", ptr %a, align 4" + mark +
          "\n  %b = getelementptr [2 x i8], ptr %q, i64 %i\n  %c = getelementptr i8, ptr %b, i64 " +
          std::to_string(second) + "\n  %y = load " + type + ", ptr %c, align 4" + mark +
          "\n  %s = fadd " + type + " %x, %y\n  store " + type +
          " %s, ptr %to, align 4\n  ret void\n}\n!0 = !{i64 4, i64 4}\n",
      cpu, [&](Module &module, TargetMachine &) {
        if (isOn)
          module.getFunction("sum")->addFnAttr(Stagger);
      });
  EXPECT_TRUE(bool(bytes)) << toString(bytes.takeError());
  return bytes ? *bytes : std::vector<uint8_t>();
}

/// How many of the instructions that begin with `first` have the prefix.
long staggered(const std::vector<uint8_t> &bytes, uint8_t first) {
  long count = 0;
  for (size_t i = 0; i + 1 < bytes.size(); ++i)
    count += bytes[i] == 0x3e && bytes[i + 1] == first;
  return count;
}

constexpr const char *Stream = ", !heddle.stream !0";

TEST(StaggerLoads, LengthensLoadsOfEightBytes) {
  constexpr uint8_t Evex = 0x62, Vex = 0xc5;
  // 6 bytes and one of displacement; an index is one more: the second one is lengthened.
  EXPECT_EQ(staggered(code("skylake-avx512", "<16 x float>", 64, 64, Stream, true), Evex), 1);
  // 4 bytes and four of displacement; an index is one more: the first one is.
  EXPECT_EQ(staggered(code("haswell", "<8 x float>", 256, 256, Stream, true), Vex), 1);
  // 5 and 6 bytes.
  EXPECT_EQ(staggered(code("haswell", "<8 x float>", 32, 32, Stream, true), Vex), 0);
}

TEST(StaggerLoads, LeavesOthersAlone) {
  auto prefixes = [](const std::vector<uint8_t> &bytes) {
    return staggered(bytes, 0x62) + staggered(bytes, 0xc5) + staggered(bytes, 0xc4);
  };
  EXPECT_EQ(prefixes(code("skylake-avx512", "<16 x float>", 64, 64, "", true)), 0) << "no stream";
  EXPECT_EQ(prefixes(code("skylake-avx512", "<16 x float>", 64, 64, Stream, false)), 0) << "off";
  EXPECT_EQ(prefixes(code("skylake-avx512", "<4 x float>", 256, 256, Stream, true)), 0) << "short";
}

TEST(StaggerLoads, ComputesTheSame) {
  auto bytes = code(nullptr, "<16 x float>", 64, 64, Stream, true);
  LoadedObject object(bytes);
  struct Exported {
    int width;
    void (*run)(const float *, const float *, int64_t, float *);
  };
  const auto *kernel = object.symbol<Exported>("heddle_kernel");
  ASSERT_NE(kernel, nullptr);
  float p[32], q[32], sum[16];
  for (int i = 0; i < 32; ++i) {
    p[i] = static_cast<float>(i);
    q[i] = static_cast<float>(100 * i);
  }
  kernel->run(p, q, -4, sum); // 8 bytes back
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(sum[i], p[16 + i] + q[14 + i]);
}

} // namespace
} // namespace heddle::jit
