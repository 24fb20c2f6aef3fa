// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must stop passes that have no other unit tests (docs/tests.md: legality).
#include "jit/memory/gather_words.h"
#include "jit/memory/lower_masked.h"
#include "jit/memory/near_gathers.h"
#include "jit/memory/row_gathers.h"
#include "jit/memory/version_gathers.h"
#include "jit/prefetch/prefetch.h"
#include "jit/test_module.h"
#include "jit/vector/vectorize_neighbours.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// The module's text after the pass.
std::string after(const std::string &source, function_ref<void(Module &, TargetMachine &)> pass,
                  const char *cpu = "x86-64-v3") {
  LLVMContext context;
  std::unique_ptr<Module> module = moduleAfter(context, source, cpu, pass);
  if (!module)
    return "";
  std::string text;
  raw_string_ostream(text) << *module;
  return text.substr(0, text.find("\ndeclare")); // of calls only those that are made
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

std::string dense(const std::string &source) {
  return after(source, [](Module &module, TargetMachine &) { runPass<VersionGathers>(module); });
}

/// Lanes at %x & %m of an array, of which %m changes from step to step.
const std::string Steps = R"(
define <16 x float> @run(ptr %a, <16 x i64> %x, i64 %m, <16 x i1> %mask) {
  %one = insertelement <16 x i64> poison, i64 %m, i64 0
  %all = shufflevector <16 x i64> %one, <16 x i64> poison, <16 x i32> zeroinitializer
  %numbers = add <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all
  %i = and <16 x i64> %numbers, %all
  %p = getelementptr float, ptr %a, <16 x i64> %i
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %p, <16 x i1> %mask, <16 x float> poison)
  ret <16 x float> %r
}
)";

// LEGAL version-gathers: asked
TEST(VersionGathers, AsksAllLanes) {
  std::string text = dense(Steps);
  EXPECT_EQ(count(text, "@llvm.masked.load"), 1u) << text;
  EXPECT_EQ(count(text, "icmp eq i16"), 1u) << "a bit for each lane: " << text;
  text = dense(replaced(Steps, "%i = and <16 x i64> %numbers", "%i = and <16 x i64> %x"));
  EXPECT_EQ(count(text, "@llvm.masked.load"), 0u) << "lanes lie anywhere: " << text;
}

// LEGAL version-gathers: groups
TEST(VersionGathers, LeavesOtherElements) {
  std::string bytes = replaced(Steps, "getelementptr float", "getelementptr i8");
  for (size_t at = 0; (at = bytes.find("<16 x float>", at)) != bytes.npos; ++at)
    bytes.replace(at, 12, "<16 x i8>");
  EXPECT_EQ(count(dense(replaced(bytes, "v16f32", "v16i8")), "@llvm.masked.load"), 0u);
}

std::string near(const std::string &source, const char *cpu = "x86-64-v4") {
  return after(
      source, [](Module &module, TargetMachine &machine) { runPass<NearGathers>(module, machine); },
      cpu);
}

/// Lanes that probably lie close together.
const std::string Creeping = R"(
@table = constant [64 x float] zeroinitializer
define <16 x float> @run(ptr %a, <16 x i32> %x, <16 x i64> %y, <16 x i1> %mask, <16 x float> %other) {
  %i = sext <16 x i32> %x to <16 x i64>
  %p = getelementptr float, ptr %a, <16 x i64> %i
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %p, <16 x i1> %mask, <16 x float> poison), !heddle.near !0
  ret <16 x float> %r
}
!0 = !{i64 0, i64 2}
)";

// LEGAL near-gathers: asked
TEST(NearGathers, AskActiveLanes) {
  std::string text = near(Creeping);
  EXPECT_EQ(count(text, "icmp ult <16 x i32>"), 1u) << text;
  EXPECT_EQ(count(text, ", <16 x i1> splat (i1 true)"), 1u) << text;
  EXPECT_EQ(count(near(replaced(Creeping, ", !heddle.near !0", "")), "permvar"), 0u);
}

// LEGAL near-gathers: one page
TEST(NearGathers, StayInAPage) {
  EXPECT_EQ(count(near(Creeping), "icmp ule i64 %"), 2u) << "and the index";
  EXPECT_EQ(count(near(Creeping), "ptr @heddle.zeros"), 1u) << "where the first lane is idle";
}

// LEGAL near-gathers: no variable
TEST(NearGathers, LeaveVariables) {
  EXPECT_EQ(count(near(Creeping), "permvar"), 1u);
  EXPECT_EQ(count(near(replaced(Creeping, "ptr %a, <16 x i64> %i", "ptr @table, <16 x i64> %i")),
                  "permvar"),
            0u);
}

// LEGAL near-gathers: no wrap
TEST(NearGathers, CompareLongIndices) {
  std::string text = near(replaced(Creeping, "ptr %a, <16 x i64> %i", "ptr %a, <16 x i64> %y"));
  EXPECT_EQ(count(text, "icmp ult <16 x i64>"), 1u) << text;
}

// LEGAL near-gathers: idle lanes
TEST(NearGathers, LeaveIdleLanesThatAreWanted) {
  EXPECT_EQ(
      count(near(replaced(Creeping, "<16 x float> poison)", "<16 x float> %other)")), "permvar"),
      0u);
}

/// Both halves of eight bytes are loaded, or stored; `between`: the two.
std::string halves(bool stores, const std::string &between = "", const char *align = "8",
                   const char *mask = "%mask", const char *other = "poison",
                   const char *distance = "4") {
  std::string call[2];
  for (int i : {0, 1}) {
    std::string lanes = std::string("(<16 x ptr> align ") + (i ? "4" : align) +
                        (i ? " %p4" : " %p") + ", <16 x i1> " + (i ? mask : "%mask");
    call[i] = stores ? std::string("  call void @llvm.masked.scatter.v16i32.v16p0(<16 x i32> %v") +
                           (i ? "1, " : "0, ") + lanes.substr(1) + ")\n"
                     : std::string("  %r") + (i ? "1" : "0") +
                           " = call <16 x i32> @llvm.masked.gather.v16i32.v16p0" + lanes +
                           ", <16 x i32> " + (i ? other : "poison") + ")\n";
  }
  return std::string("define <16 x i32> @run(<16 x ptr> %p, <16 x i1> %mask, <16 x i1> %second, "
                     "<16 x i32> %v0, "
                     "<16 x i32> %v1, ptr %q) {\n  %p4 = getelementptr i8, <16 x ptr> %p, i64 ") +
         distance + "\n" + call[0] + between + call[1] +
         (stores ? "  ret <16 x i32> %v0\n}\n"
                 : "  %r = add <16 x i32> %r0, %r1\n  ret <16 x i32> %r\n}\n");
}

bool areMerged(const std::string &source) { return count(dense(source), "@llvm.masked.") == 1; }

TEST(VersionGathers, MergesHalves) {
  EXPECT_TRUE(areMerged(halves(false)));
  EXPECT_TRUE(areMerged(halves(true)));
  EXPECT_FALSE(areMerged(halves(true, "", "8", "%mask", "poison", "8")));
}

// LEGAL version-gathers: same mask
TEST(VersionGathers, LeavesHalvesOfOtherLanes) {
  EXPECT_FALSE(areMerged(halves(false, "", "8", "%second")));
  EXPECT_FALSE(areMerged(halves(true, "", "8", "%second")));
}

/// One lane's first half may be another one's second.
// LEGAL version-gathers: aligned
TEST(VersionGathers, LeavesHalvesThatMayOverlap) {
  EXPECT_FALSE(areMerged(halves(false, "", "4")));
  EXPECT_FALSE(areMerged(halves(true, "", "4")));
}

// LEGAL version-gathers: between
TEST(VersionGathers, LeavesHalvesWithAccessesBetween) {
  const std::string store = "  store i32 1, ptr %q\n", load = "  %l = load i32, ptr %q\n";
  EXPECT_FALSE(areMerged(halves(false, store)));
  EXPECT_TRUE(areMerged(halves(false, load)));
  EXPECT_FALSE(areMerged(halves(true, store)));
  EXPECT_FALSE(areMerged(halves(true, load)));
}

// LEGAL version-gathers: idle lanes
TEST(VersionGathers, LeavesHalvesWhoseIdleLanesAreWanted) {
  EXPECT_FALSE(areMerged(halves(false, "", "8", "%mask", "%v0")));
}

/// Four gathers of neighbours, and `between` the second and the third.
std::string neighbours(const std::string &between = "", const char *distance = "12",
                       const char *mask = "%mask", const char *lanes = "%i",
                       const std::string &type = "float", const std::string &suffix = "v16f32") {
  std::string text = "define void @run(ptr %a, ptr %q, <16 x i64> %i, <16 x i64> %k, i64 %j, "
                     "<16 x i1> %mask, <16 x i1> %second) {\n";
  text += "  %b = getelementptr i8, ptr %a, i64 %j\n";
  const char *offsets[] = {"0", "4", "8", distance};
  for (int n = 0; n < 4; n++) {
    std::string number = std::to_string(n);
    text += "  %b" + number + " = getelementptr i8, ptr %b, i64 " + offsets[n] + "\n  %p" + number +
            " = getelementptr " + type + ", ptr %b" + number + ", <16 x i64> " +
            (n == 3 ? lanes : "%i") + "\n  %r" + number + " = call <16 x " + type +
            "> @llvm.masked.gather." + suffix + ".v16p0(<16 x ptr> align 4 %p" + number +
            ", <16 x i1> " + (n == 3 ? mask : "%mask") + ", <16 x " + type + "> poison)\n" +
            (n == 1 ? between : "");
  }
  for (int n = 0; n < 4; n++)
    text += "  store volatile <16 x " + type + "> %r" + std::to_string(n) + ", ptr %q\n";
  return text + "  ret void\n}\n";
}

/// Loads of four words.
size_t rowLoads(const std::string &source) {
  return count(after(source, [](Module &module, TargetMachine &) { runPass<RowGathers>(module); }),
               "load <4 x float>");
}

// LEGAL row-gathers: neighbours
TEST(RowGathers, TakesNeighboursOfTheSameLanes) {
  EXPECT_EQ(rowLoads(neighbours()), 16u) << "one for each lane";
  EXPECT_EQ(rowLoads(neighbours("", "16")), 0u) << "a gap";
  EXPECT_EQ(rowLoads(neighbours("", "12", "%second")), 0u) << "other lanes are active";
  EXPECT_EQ(rowLoads(neighbours("", "12", "%mask", "%k")), 0u) << "lanes elsewhere";
}

// LEGAL row-gathers: asked
TEST(RowGathers, AsksForAllLanes) {
  auto gathers = [](const std::string &source) {
    std::string text =
        after(source, [](Module &module, TargetMachine &) { runPass<RowGathers>(module); });
    return std::pair(count(text, "call <16 x float> @llvm.masked.gather"),
                     count(text, "icmp eq i16"));
  };
  EXPECT_EQ(gathers(neighbours()), std::pair(size_t(4), size_t(1)));
  std::string all = neighbours("", "12", "splat (i1 true)");
  for (size_t at = 0; (at = all.find("<16 x i1> %mask, <16 x float>", at)) != all.npos;)
    all.replace(at, 15, "<16 x i1> splat (i1 true)");
  EXPECT_EQ(gathers(all), std::pair(size_t(0), size_t(0))) << "all lanes are active";
}

// LEGAL row-gathers: between
TEST(RowGathers, LeavesWhatIsWrittenBetween) {
  EXPECT_EQ(rowLoads(neighbours("  store i32 1, ptr %a\n")), 0u);
  EXPECT_EQ(rowLoads(neighbours("  %l = load i32, ptr %a\n")), 16u) << "that is read";
  EXPECT_EQ(rowLoads(neighbours("  fence seq_cst\n")), 0u);
  EXPECT_EQ(rowLoads(neighbours("  call void @stop()\n") +
                     "declare void @stop() nounwind memory(none)\n"),
            0u)
      << "may not come to the third";
}

// LEGAL row-gathers: groups
TEST(RowGathers, LeavesOtherElements) {
  std::string text = after(neighbours("", "12", "%mask", "%i", "i16", "v16i16"),
                           [](Module &module, TargetMachine &) { runPass<RowGathers>(module); });
  EXPECT_EQ(count(text, "@llvm.masked.gather.v16i16"), 4u);
  EXPECT_EQ(count(text, "br i1"), 0u);
}

/// A masked gather of `type` at ELEMENT, INDEX.
std::string gatherOf(const std::string &type, const std::string &suffix, const std::string &element,
                     const std::string &index, const std::string &extension, unsigned lanes = 8) {
  std::string n = std::to_string(lanes);
  return "define <" + n + " x " + type + "> @run(ptr %a, <" + n + " x " + index + "> %i, <" + n +
         " x i1> %mask) {\n" +
         (extension.empty()
              ? ""
              : "  %w = " + extension + " <" + n + " x " + index + "> %i to <" + n + " x i64>\n") +
         "  %p = getelementptr " + element + ", ptr %a, <" + n + " x " +
         (extension.empty() ? index + "> %i" : "i64> %w") + "\n  %r = call <" + n + " x " + type +
         "> @llvm.masked.gather.v" + n + suffix + ".v" + n + "p0(<" + n + " x ptr> align 4 %p, <" +
         n + " x i1> %mask, <" + n + " x " + type + "> poison)\n  ret <" + n + " x " + type +
         "> %r\n}\n";
}

bool hasInstruction(const std::string &source, const char *cpu = "x86-64-v3") {
  return count(after(
                   source,
                   [](Module &module, TargetMachine &machine) {
                     runPass<LowerMasked>(module, machine);
                   },
                   cpu),
               "@llvm.x86.avx2.gather") > 0;
}

// LEGAL gather-words: words
TEST(GatherWords, OnlyWordsInGroupsOfEight) {
  EXPECT_TRUE(hasInstruction(gatherOf("float", "f32", "float", "i32", "sext")));
  EXPECT_TRUE(hasInstruction(gatherOf("i32", "i32", "i32", "i32", "sext", 16)));
  EXPECT_FALSE(hasInstruction(gatherOf("i64", "i64", "i64", "i32", "sext")));
  EXPECT_FALSE(hasInstruction(gatherOf("float", "f32", "float", "i32", "sext", 4)));
  EXPECT_FALSE(hasInstruction(gatherOf("float", "f32", "float", "i32", "sext"), "x86-64-v2"));
}

// LEGAL gather-words: signed
TEST(GatherWords, OnlyIndicesWithASign) {
  EXPECT_TRUE(hasInstruction(gatherOf("float", "f32", "float", "i32", "")));
  EXPECT_FALSE(hasInstruction(gatherOf("float", "f32", "float", "i32", "zext")));
  EXPECT_FALSE(hasInstruction(gatherOf("float", "f32", "float", "i64", "")));
  EXPECT_FALSE(hasInstruction(gatherOf("float", "f32", "float", "i16", "sext")));
}

// LEGAL gather-words: scale
TEST(GatherWords, OnlyElementsOfTheInstructionsLengths) {
  EXPECT_TRUE(hasInstruction(gatherOf("float", "f32", "[2 x float]", "i32", "sext")));
  EXPECT_FALSE(hasInstruction(gatherOf("float", "f32", "[3 x float]", "i32", "sext")));
  EXPECT_FALSE(hasInstruction(gatherOf("float", "f32", "[4 x float]", "i32", "sext")));
}

/// Block %x copies a row of its tile, for %y, to %out.
const std::string Tile = R"(
define void @runBlocks(ptr %in, ptr %out, i64 %pitch, i64 %n, i64 %blocks) {
entry:
  br label %block
block:
  %x = phi i64 [ 0, %entry ], [ %x.next, %copied ]
  %left = phi i64 [ %blocks, %entry ], [ %less, %copied ]
  br label %copy
copy:
  %y = phi i64 [ 0, %block ], [ %y.next, %copy ]
  %row = mul i64 %y, %pitch
  %column = shl i64 %x, 5
  %place = add i64 %row, %column
  %p = getelementptr i32, ptr %in, i64 %place
  %v = load <32 x i32>, ptr %p, align 4
  %to = shl i64 %y, 7
  %q = getelementptr i8, ptr %out, i64 %to
  store <32 x i32> %v, ptr %q, align 4
  %y.next = add i64 %y, 1
  %again = icmp ult i64 %y.next, %n
  br i1 %again, label %copy, label %copied
copied:
  %x.more = add i64 %x, 1
  %is.last = icmp eq i64 %x.more, %n
  %x.next = select i1 %is.last, i64 0, i64 %x.more
  %less = add i64 %left, -1
  %done = icmp eq i64 %less, 0
  br i1 %done, label %end, label %block
end:
  ret void
}
)";

// LEGAL prefetch-next-tile: division
TEST(PrefetchNextTile, DoesNotDivideByTheNextBlock) {
  auto fetches = [](const std::string &source) {
    return count(
        after(source, [](Module &module, TargetMachine &) { runPass<PrefetchLoads>(module); }),
        "call void @llvm.prefetch");
  };
  EXPECT_EQ(fetches(Tile), 3u);
  EXPECT_EQ(fetches(replaced(Tile, "shl i64 %x, 5", "udiv i64 %pitch, %x")), 0u);
}

/// Four numbers that follow each other, of a thread alone.
const std::string Row = R"(
define void @run(ptr %a, ptr noalias %b) {
  %a1 = getelementptr i8, ptr %a, i64 4
  %a2 = getelementptr i8, ptr %a, i64 8
  %a3 = getelementptr i8, ptr %a, i64 12
  %x0 = load float, ptr %a
  %x1 = load float, ptr %a1
  %x2 = load float, ptr %a2
  %x3 = load float, ptr %a3
  %y0 = fadd float %x0, %x1
  %y1 = fadd float %x1, %x2
  %y2 = fadd float %x2, %x3
  %y3 = fadd float %x3, %x0
  %b1 = getelementptr i8, ptr %b, i64 4
  %b2 = getelementptr i8, ptr %b, i64 8
  %b3 = getelementptr i8, ptr %b, i64 12
  store float %y0, ptr %b
  store float %y1, ptr %b1
  store float %y2, ptr %b2
  store float %y3, ptr %b3
  ret void
}
)";

TEST(VectorizeNeighbours, TakesRowsOfThreads) {
  auto pass = [](Module &module, TargetMachine &) { runPass<VectorizeNeighbours>(module); };
  std::string text = after(Row, pass);
  EXPECT_EQ(count(text, "load <4 x float>"), 1u) << text;
  EXPECT_EQ(count(text, "store <4 x float>"), 1u) << text;
  std::string lanes =
      replaced(Row, "  ret void", "  store <8 x i32> zeroinitializer, ptr %b\n  ret void");
  EXPECT_EQ(count(after(lanes, pass), "load float"), 4u);
}

} // namespace
} // namespace heddle::jit
