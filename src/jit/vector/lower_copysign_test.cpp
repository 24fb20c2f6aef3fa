// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copied sign where a mask says so, compiled and run.
#include "jit/vector/lower_copysign.h"

#include "jit/test_module.h"
#include "jit/test_object.h"

#include "llvm/ADT/bit.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

using Run = void (*)(const uint32_t *sizes, const uint32_t *signs, uint32_t *out);

constexpr const char *Text = R"(
  @heddle_kernel = constant ptr @run
  declare <8 x float> @llvm.copysign.v8f32(<8 x float>, <8 x float>)
  define internal void @run(ptr %sizes, ptr %signs, ptr %out) {
    %a = load <8 x float>, ptr %sizes, align 4
    %b = load <8 x float>, ptr %signs, align 4
    %m = fcmp olt <8 x float> %b, splat (float 3.0)
    %c = call <8 x float> @llvm.copysign.v8f32(<8 x float> %a, <8 x float> %b)
    %r = select <8 x i1> %m, <8 x float> %c, <8 x float> %a
    store <8 x float> %r, ptr %out, align 4
    ret void
  }
)";

void check(const char *cpu) {
  auto bytes = buildObject(Text, cpu, [](Module &module, TargetMachine &machine) {
    runPass<LowerCopysign>(module, machine);
  });
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  LoadedObject object(*bytes);
  Run *run = object.symbol<Run>("heddle_kernel");
  ASSERT_TRUE(run);
  const uint32_t sizes[] = {0x3f800000, 0xbf800001, 0x4b000000, 0,
                            0x7f800000, 0x80000000, 0x42000001, 0xc2000001};
  const uint32_t signs[] = {0xbf812345, 0x3f812345, 0x00007fff, 0xff800000,
                            0x41200000, 0xc1234567, 0x80000001, 0x7f800000};
  uint32_t out[8];
  (*run)(sizes, signs, out);
  for (unsigned i = 0; i < 8; ++i) {
    const bool isChosen = bit_cast<float>(signs[i]) < 3;
    const uint32_t copied = (sizes[i] & 0x7fffffff) | (signs[i] & 0x80000000);
    EXPECT_EQ(out[i], isChosen ? copied : sizes[i]) << i << ", " << cpu;
  }
}

#ifdef __x86_64__
TEST(LowerCopysign, TakesTheSignOnly) {
  check("x86-64");
  if (__builtin_cpu_supports("avx2"))
    check("x86-64-v3");
  if (__builtin_cpu_supports("avx512bw"))
    check("x86-64-v4");
}
#endif

} // namespace
} // namespace heddle::jit
