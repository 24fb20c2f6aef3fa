// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scatters of neighbours, run with all lanes active and with some, and what must leave them.
#include "jit/memory/row_scatters.h"

#include "jit/test_module.h"
#include "jit/test_object.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <optional>

namespace heddle::jit {
namespace {

using namespace llvm;

constexpr int Lanes = 16;

struct Rows {
  int members = 4, pitch = 16; ///< bytes between two lanes
  std::string mask = "%mask";  ///< of the last scatter
  std::string between = {};    ///< the second and the third
  std::string type = "i32", suffix = "v16i32";
  int last = 0; ///< the last one's distance; 0: behind the one before
};

/// void run(to, bits of a mask, a vector of offsets in memory): member n has 100 n + lane.
std::string textOf(const Rows &rows, bool constantLanes = true) {
  std::string lanes = "<16 x i64> <";
  for (int i = 0; i < Lanes; ++i)
    lanes += (i ? ", i64 " : "i64 ") + std::to_string(i * rows.pitch);
  std::string text = R"(
@heddle_kernel = constant ptr @run
define internal void @run(ptr %a, i16 %bits, ptr %offsets) {
  %mask = bitcast i16 %bits to <16 x i1>
  %lanes = load <16 x i64>, ptr %offsets
)";
  int size = rows.type == "i64" ? 8 : 4;
  for (int n = 0; n < rows.members; ++n) {
    bool isLast = n + 1 == rows.members;
    int distance = isLast && rows.last ? rows.last : n * size;
    std::string number = std::to_string(n), values;
    for (int i = 0; i < Lanes; ++i)
      values += (i ? ", " : "") + rows.type + " " + std::to_string(100 * n + i);
    text += "  %b" + number + " = getelementptr i8, ptr %a, i64 " + std::to_string(distance) +
            "\n  %p" + number + " = getelementptr i8, ptr %b" + number + ", " +
            (constantLanes ? lanes + ">" : "<16 x i64> %lanes") +
            "\n  call void @llvm.masked.scatter." + rows.suffix + ".v16p0(<16 x " + rows.type +
            "> <" + values + ">, <16 x ptr> align 4 %p" + number + ", <16 x i1> " +
            (isLast ? rows.mask : "%mask") + ")\n" + (n == 1 ? rows.between : "");
  }
  return text + "  ret void\n}\n";
}

/// Stores of a lane's piece after the pass.
size_t rowStores(const std::string &source, const std::string &piece = "store <4 x i32>") {
  LLVMContext context;
  std::unique_ptr<Module> module =
      moduleAfter(context, source, "x86-64-v4",
                  [](Module &module, TargetMachine &) { runPass<RowScatters>(module); });
  std::string text;
  if (module)
    raw_string_ostream(text) << *module;
  return count(text, piece);
}

// LEGAL row-scatters: neighbours
TEST(RowScatters, TakesNeighboursOfTheSameLanes) {
  EXPECT_EQ(rowStores(textOf({})), 16u) << "one for each lane";
  EXPECT_EQ(rowStores(textOf({.members = 7, .pitch = 28})), 32u) << "the last of two has one again";
  EXPECT_EQ(rowStores(textOf({.members = 5, .pitch = 20})), 16u) << "one scatter is left";
  EXPECT_EQ(rowStores(textOf({.pitch = 32, .last = 16})), 0u) << "a gap";
  EXPECT_EQ(rowStores(textOf({.mask = "splat (i1 true)"})), 0u) << "other lanes are active";
}

// LEGAL row-scatters: between
TEST(RowScatters, LeavesWhatIsUsedBetween) {
  EXPECT_EQ(rowStores(textOf({.between = "  store volatile i32 1, ptr %a\n"})), 0u);
  EXPECT_EQ(rowStores(textOf({.between = "  %l = load i32, ptr %offsets\n"})), 0u);
  EXPECT_EQ(rowStores(textOf({.between = "  fence seq_cst\n"})), 0u);
  EXPECT_EQ(rowStores(textOf({.between = "  call void @stop()\n"}) +
                      "declare void @stop() nounwind memory(none)\n"),
            0u)
      << "may not come to the third";
  EXPECT_EQ(rowStores(textOf({.between = "  %l = alloca i32\n  store i32 1, ptr %l\n"})), 16u);
}

// LEGAL row-scatters: apart
TEST(RowScatters, LeavesLanesThatMayMeet) {
  EXPECT_EQ(rowStores(textOf({.pitch = 12})), 0u);
  EXPECT_EQ(rowStores(textOf({.pitch = -16})), 16u);
  EXPECT_EQ(rowStores(textOf({}, /*constantLanes=*/false)), 16u) << "which is asked";
  EXPECT_EQ(rowStores(textOf({.members = 5}, /*constantLanes=*/false)), 0u) << "one would be left";
  EXPECT_EQ(rowStores(textOf({.members = 5, .pitch = 20, .last = 12})), 16u)
      << "what is written again is another row";
}

#ifdef __x86_64__
/// `pitch`, if given, is that of lanes that are known at run time only: what is written last stays.
void check(const Rows &rows, const char *cpu, uint16_t mask, std::optional<int> pitch = {}) {
  auto bytes = buildObject(textOf(rows, !pitch), cpu, [&](Module &module, TargetMachine &machine) {
    runPass<RowScatters>(module, machine);
  });
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  LoadedObject object(*bytes);
  using Run = void (*)(int *, uint16_t, const int64_t *);
  Run *run = object.symbol<Run>("heddle_kernel");
  ASSERT_TRUE(run);
  constexpr int Middle = 512;
  int step = pitch.value_or(rows.pitch) / 4, size = rows.type == "i64" ? 2 : 1;
  auto distanceOf = [&](int n) {
    return rows.last && n + 1 == rows.members ? rows.last / 4 : n * size;
  };
  std::vector<int> out(size_t(2 * Middle), -1), expected = out;
  for (int n = 0; n < rows.members; ++n)
    for (int lane = 0; lane < Lanes; ++lane)
      for (int half = 0; mask >> lane & 1 && half < size; ++half)
        expected[size_t(Middle + lane * step + distanceOf(n) + half)] = half ? 0 : 100 * n + lane;
  alignas(128) int64_t offsets[Lanes] = {};
  for (int lane = 0; lane < Lanes; ++lane)
    offsets[lane] = lane * step * 4;
  (*run)(out.data() + Middle, mask, offsets);
  EXPECT_EQ(out, expected) << cpu << ", mask " << mask << ", pitch " << step;
}

// LEGAL row-scatters: asked
TEST(RowScatters, Run) {
  const Rows doubles = {.members = 5, .pitch = 48, .type = "i64", .suffix = "v16i64"};
  for (uint16_t mask : {uint16_t(0xffff), uint16_t(0x8001), uint16_t(0)})
    for (const Rows &rows : {Rows{}, Rows{.members = 15, .pitch = 60}, doubles}) {
      check(rows, "x86-64", mask);
      if (__builtin_cpu_supports("avx512vl"))
        check(rows, "x86-64-v4", mask);
    }
  for (uint16_t mask : {uint16_t(0xffff), uint16_t(0x8001)})
    for (int pitch : {16, 12, 4, 0, 24, -16, 100})
      for (const Rows &rows : {Rows{}, Rows{.members = 8}, Rows{.last = -4}})
        check(rows, "x86-64", mask, pitch);
}
#endif

} // namespace
} // namespace heddle::jit
