// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs each masked operation, lowered for machines with more and with fewer instructions, over many
// masks.
#include "jit/memory/lower_masked.h"

#include "base/abi/kernel_abi.h"
#include "jit/test_module.h"
#include "jit/test_object.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// void run(values, memory, const int64 *indices, const uint64 *mask): values are vectors of LANES
/// elements.
using Run = void (*)(void *, void *, const int64_t *, const uint64_t *);

/// IR with T (element), N (lanes) and A (alignment) filled in.
std::string fill(std::string text, const std::string &type, unsigned lanes, unsigned align) {
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("TYPE", type);
  replace("LANES", std::to_string(lanes));
  replace("ALIGN", std::to_string(align));
  return text;
}

constexpr const char *Prologue = R"(
  @heddle_kernel = constant ptr @run
  declare <LANES x TYPE> @llvm.masked.load.vLANESTYPE.p0(ptr, <LANES x i1>, <LANES x TYPE>)
  declare void @llvm.masked.store.vLANESTYPE.p0(<LANES x TYPE>, ptr, <LANES x i1>)
  declare <LANES x TYPE> @llvm.masked.gather.vLANESTYPE.vLANESp0(<LANES x ptr>, <LANES x i1>, <LANES x TYPE>)
  declare void @llvm.masked.scatter.vLANESTYPE.vLANESp0(<LANES x TYPE>, <LANES x ptr>, <LANES x i1>)
  define internal void @run(ptr %values, ptr %memory, ptr %indices, ptr %maskBits) {
    %bits = load iLANES, ptr %maskBits, align 8
    %mask = bitcast iLANES %bits to <LANES x i1>
    %index = load <LANES x i64>, ptr %indices, align 8
    %pointers = getelementptr TYPE, ptr %memory, <LANES x i64> %index
    %v = load <LANES x TYPE>, ptr %values, align 1
)";
constexpr const char *Operations[] = {
    R"(%r = call <LANES x TYPE> @llvm.masked.load.vLANESTYPE.p0(ptr align ALIGN %memory, <LANES x i1> %mask, <LANES x TYPE> %v)
       store <LANES x TYPE> %r, ptr %values, align 1 ret void })",
    R"(call void @llvm.masked.store.vLANESTYPE.p0(<LANES x TYPE> %v, ptr align ALIGN %memory, <LANES x i1> %mask) ret void })",
    R"(%r = call <LANES x TYPE> @llvm.masked.gather.vLANESTYPE.vLANESp0(<LANES x ptr> align ALIGN %pointers, <LANES x i1> %mask, <LANES x TYPE> %v)
       store <LANES x TYPE> %r, ptr %values, align 1 ret void })",
    R"(call void @llvm.masked.scatter.vLANESTYPE.vLANESp0(<LANES x TYPE> %v, <LANES x ptr> align ALIGN %pointers, <LANES x i1> %mask) ret void })"};
enum Operation { Load, Store, Gather, Scatter };

struct Compiled {
  Compiled(const std::string &text, const char *cpu)
      : object(cantFail(buildObject(text, cpu,
                                    [&](Module &module, TargetMachine &machine) {
                                      runPass<LowerMasked>(module, machine);
                                      for (Function &function : module) {
                                        bool isMasked =
                                            function.getName().starts_with("llvm.masked");
                                        masked += isMasked && !function.use_empty();
                                        calls += isMasked ? function.getNumUses() : 0;
                                        byInstruction |=
                                            function.getName().starts_with("llvm.x86.avx2.gather");
                                        blocks += function.size();
                                      }
                                    }))),
        run(*object.symbol<Run>(KernelSymbol)) {}
  size_t masked = 0; ///< masked intrinsics that are left
  size_t calls = 0;  ///< of these
  size_t blocks = 0;
  bool byInstruction = false; ///< gathers of words with AVX2
  LoadedObject object;
  Run run;
};

/// A page of zeros between two that cannot be accessed.
class GuardedPage {
public:
  GuardedPage()
      : page_(size_t(sysconf(_SC_PAGESIZE))),
        all_(mmap(nullptr, 3 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    EXPECT_NE(all_, MAP_FAILED);
    EXPECT_EQ(mprotect(begin(), page_, PROT_READ | PROT_WRITE), 0);
  }
  ~GuardedPage() { munmap(all_, 3 * page_); }
  GuardedPage(const GuardedPage &) = delete;

  uint8_t *begin() const { return static_cast<uint8_t *>(all_) + page_; }
  uint8_t *end() const { return begin() + page_; }

private:
  size_t page_;
  void *all_;
};

struct Case {
  const char *type;
  unsigned bytes, lanes, align;
};

void PrintTo(const Case &test, std::ostream *out) {
  *out << test.lanes << " x " << test.type << ", alignment " << test.align;
}

class LowerMaskedTest : public testing::TestWithParam<std::tuple<Case, const char *>> {
protected:
  /// What the operation must do, element by element.
  static void expected(Operation operation, const Case &c, uint8_t *values, uint8_t *memory,
                       const int64_t *indices, const uint64_t *mask) {
    for (unsigned lane = 0; lane != c.lanes; ++lane) {
      if (!(mask[lane / 64] >> lane % 64 & 1))
        continue;
      int64_t index = operation == Gather || operation == Scatter ? indices[lane] : lane;
      uint8_t *value = values + lane * c.bytes, *place = memory + index * int64_t(c.bytes);
      bool stores = operation == Store || operation == Scatter;
      std::memcpy(stores ? place : value, stores ? value : place, c.bytes);
    }
  }
};

TEST_P(LowerMaskedTest, DoesWhatTheIntrinsicSays) {
  auto [c, cpu] = GetParam();
  std::mt19937 random(7);
  for (Operation operation : {Load, Store, Gather, Scatter}) {
    Compiled code(fill(std::string(Prologue) + Operations[operation], c.type, c.lanes, c.align),
                  cpu);
    for (int round = 0; round != 40; ++round) {
      alignas(64) uint8_t memory[256 * 8], values[256 * 8], wantMemory[256 * 8],
          wantValues[256 * 8];
      int64_t indices[256];
      for (uint8_t &byte : memory)
        byte = uint8_t(random());
      for (uint8_t &byte : values)
        byte = uint8_t(random());
      for (int64_t &index : indices)
        index = int64_t(random() % 256);
      uint64_t mask[4];
      for (uint64_t &word : mask)
        word = round == 0   ? ~uint64_t(0)
               : round <= 2 ? uint64_t(round - 1)
                            : uint64_t(random()) << 32 | random();
      if (c.lanes == 1) // a bit in a byte
        mask[0] &= 1;
      std::memcpy(wantMemory, memory, sizeof(memory));
      std::memcpy(wantValues, values, sizeof(values));
      expected(operation, c, wantValues, wantMemory, indices, mask);
      code.run(values, memory, indices, mask);
      ASSERT_EQ(std::memcmp(values, wantValues, c.lanes * c.bytes), 0)
          << "operation " << operation << ", mask " << mask[0];
      ASSERT_EQ(std::memcmp(memory, wantMemory, sizeof(memory)), 0)
          << "operation " << operation << ", mask " << mask[0];
    }
  }
}

/// Active lanes are all before an inaccessible page, or behind one.
TEST_P(LowerMaskedTest, LoadTouchesNoPageOfInactiveLanes) {
  auto [c, cpu] = GetParam();
  Compiled code(fill(std::string(Prologue) + Operations[Load], c.type, c.lanes, c.align), cpu);
  GuardedPage page;
  for (uint8_t *byte = page.begin(); byte != page.end(); ++byte)
    *byte = uint8_t((byte - page.begin()) * 7 + (byte - page.begin()) / 256);
  int64_t indices[256] = {};
  for (unsigned lane = 0; lane != c.lanes; ++lane)
    for (bool atEnd : {false, true}) {
      uint8_t *address = atEnd ? page.end() - (lane + 1) * c.bytes : page.begin() - lane * c.bytes;
      uint64_t mask[4] = {}; // lanes 0 to `lane`, or `lane` and those behind
      for (unsigned i = 0; i != c.lanes; ++i)
        if (atEnd ? i <= lane : i >= lane)
          mask[i / 64] |= uint64_t(1) << i % 64;
      alignas(64) uint8_t values[256 * 8] = {}, want[256 * 8] = {};
      expected(Load, c, want, address, indices, mask);
      code.run(values, address, indices, mask);
      ASSERT_EQ(std::memcmp(values, want, c.lanes * c.bytes), 0) << lane;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, LowerMaskedTest,
    testing::Combine(testing::Values(Case{"i8", 1, 32, 1}, Case{"i8", 1, 256, 1},
                                     Case{"i16", 2, 64, 2}, Case{"i32", 4, 128, 4},
                                     Case{"i8", 1, 8, 1}, Case{"i16", 2, 32, 2},
                                     Case{"i16", 2, 16, 1}, Case{"half", 2, 32, 2},
                                     Case{"i32", 4, 32, 4}, Case{"double", 8, 16, 8},
                                     Case{"float", 4, 1, 4}, Case{"i8", 1, 1, 1}),
                     testing::Values(static_cast<const char *>(nullptr), "x86-64", "x86-64-v3")));

/// A gather of 32 words at indices of 32 bits.
std::string gatherOfWords() {
  std::string text = fill(std::string(Prologue) + Operations[Gather], "float", 32, 4);
  const std::string from = "ptr %memory, <32 x i64> %index";
  text.replace(text.find(from), from.size(), "ptr %memory, <32 x i64> %wide");
  const std::string before = "%pointers = ";
  text.insert(text.find(before), "%narrow = trunc <32 x i64> %index to <32 x i32>\n"
                                 "%wide = sext <32 x i32> %narrow to <32 x i64>\n");
  return text;
}

TEST(LowerMasked, GathersAllWordsByInstruction) {
  std::string text = gatherOfWords();
  const std::string mask = "<32 x i1> %mask, <32 x float>";
  text.replace(text.find(mask), mask.size(), "<32 x i1> splat (i1 true), <32 x float>");
  EXPECT_TRUE(Compiled(text, "x86-64-v3").byInstruction);
  EXPECT_FALSE(Compiled(text, "znver3").byInstruction) << "slower than loads";
  EXPECT_FALSE(Compiled(text, "x86-64").byInstruction);
  float memory[200], values[32] = {};
  int64_t indices[32];
  for (int i = 0; i != 200; ++i)
    memory[i] = float(i);
  for (int i = 0; i != 32; ++i)
    indices[i] = i * 37 % 200 - 100;
  const uint64_t none = 0;
  Compiled(text, "x86-64-v3").run(values, memory + 100, indices, &none);
  for (int i = 0; i != 32; ++i)
    EXPECT_EQ(values[i], float(i * 37 % 200)) << i;
}

/// Indices of 32 bits, negative ones too, and any mask.
TEST(LowerMasked, GathersWordsByInstruction) {
  std::string text = gatherOfWords();
  Compiled code(text, "x86-64-v3");
  EXPECT_EQ(code.blocks, 1u); // no loop over lanes
  std::mt19937 random(5);
  for (int round = 0; round != 200; ++round) {
    float memory[200], values[32], want[32];
    int64_t indices[32];
    uint64_t mask[1] = {round == 0 ? 0 : round == 1 ? ~uint64_t(0) : random()};
    for (float &element : memory)
      element = float(random());
    for (unsigned lane = 0; lane != 32; ++lane) {
      values[lane] = want[lane] = float(lane);
      bool isActive = mask[0] >> lane & 1;
      indices[lane] = isActive ? int64_t(random() % 200) - 100 : int64_t(random()) - INT32_MAX;
      if (isActive)
        want[lane] = memory[100 + indices[lane]];
    }
    code.run(values, memory + 100, indices, mask);
    ASSERT_EQ(std::memcmp(values, want, sizeof(want)), 0) << "mask " << mask[0];
  }
}

TEST(LowerMasked, LeavesWhatTheMachineHas) {
  Compiled words(fill(std::string(Prologue) + Operations[Gather], "i32", 16, 4), "x86-64-v4");
  EXPECT_EQ(words.masked, 1u);
  Compiled bytes(fill(std::string(Prologue) + Operations[Scatter], "i8", 16, 1), "x86-64-v4");
  EXPECT_EQ(bytes.masked, 0u);
}

/// Lanes `first` to `last` of a vector, between pages that are not there.
void testConstantMask(const char *type, unsigned bytes, unsigned lanes, unsigned first,
                      unsigned last) {
  std::string mask;
  for (unsigned lane = 0; lane != lanes; ++lane)
    mask += std::string(lane ? ", " : "<") + "i1 " + (lane >= first && lane <= last ? "1" : "0");
  auto compiled = [&](Operation operation) {
    std::string text = Operations[operation];
    const std::string variable = "<LANES x i1> %mask";
    text.replace(text.find(variable), variable.size(), "<LANES x i1> " + mask + ">");
    return fill(Prologue + text, type, lanes, bytes);
  };
  Compiled load(compiled(Load), "x86-64"), store(compiled(Store), "x86-64");
  EXPECT_LE(load.calls + store.calls, 4u) << "the rest of a register, at either end";
  size_t length = (last - first + 1) * bytes;
  for (bool isAtEnd : {false, true}) {
    GuardedPage memory;
    uint8_t *active = isAtEnd ? memory.end() - length : memory.begin();
    uint8_t *place = active - first * bytes;
    uint8_t values[256 * 8], want[256 * 8];
    int64_t indices[256] = {};
    const uint64_t bits[4] = {};
    for (size_t i = 0; i != lanes * bytes; ++i)
      values[i] = want[i] = uint8_t(3 * i + 1);
    for (size_t i = 0; i != length; ++i)
      want[first * bytes + i] = active[i] = uint8_t(7 * i + 2);
    load.run(values, place, indices, bits);
    EXPECT_EQ(std::memcmp(values, want, lanes * bytes), 0);
    for (uint8_t &value : values)
      ++value;
    store.run(values, place, indices, bits);
    EXPECT_EQ(std::memcmp(active, values + first * bytes, length), 0);
    EXPECT_EQ(isAtEnd ? active[-1] : active[length], 0) << "the neighbour outside";
  }
}

/// A register without active lanes is not touched, and one with all is one access.
TEST(LowerMasked, CutsVectorsByConstantMasks) {
  testConstantMask("i32", 4, 256, 1, 254);
  testConstantMask("i32", 4, 256, 32, 255);
  testConstantMask("double", 8, 128, 0, 62);
  testConstantMask("i16", 2, 96, 7, 90);
  testConstantMask("i64", 8, 3, 1, 2);
  testConstantMask("i8", 1, 256, 200, 200);
}

/// Whatever the stack holds: small integers there are denormal numbers, which slow arithmetic down.
TEST(LowerMasked, InactiveLanesOfFloatsAreZeros) {
  for (Operation operation : {Load, Gather})
    for (unsigned lanes : {1u, 16u, 32u}) {
      std::string text = Operations[operation];
      text.replace(text.find("TYPE> %v)"), 9, "TYPE> poison)");
      Compiled code(fill(Prologue + text, "float", lanes, 4), "x86-64");
      EXPECT_EQ(code.masked, 0u);
      float values[32], memory[32] = {};
      int64_t indices[32] = {};
      const uint64_t mask = 0;
      volatile uint32_t dirty[1024]; // where the callee's stack will be
      for (volatile uint32_t &word : dirty)
        word = 12345;
      std::fill_n(values, 32, 7.0f);
      code.run(values, memory, indices, &mask);
      for (unsigned lane = 0; lane < lanes; ++lane)
        EXPECT_EQ(values[lane], 0) << lanes << " lanes, lane " << lane;
    }
}

/// A register that is a part of a program (KernelCode::width) and has no active lane is not stored
/// to its address; a register that is all of it is.
TEST(LowerMasked, StoresPartsWithoutActiveLanesElsewhere) {
  for (unsigned width : {16u, 64u}) {
    LLVMContext context;
    auto module = moduleAfter(
        context, "@heddle_kernel = constant {i32, i32} {i32 1, i32 " + std::to_string(width) + R"(}
      declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, <16 x i1>)
      define void @run(<16 x float> %v, ptr %p, <16 x i1> %mask) {
        call void @llvm.masked.store.v16f32.p0(<16 x float> %v, ptr align 4 %p, <16 x i1> %mask)
        ret void
      })",
        "x86-64-v4",
        [](Module &module, TargetMachine &machine) { runPass<LowerMasked>(module, machine); });
    ASSERT_TRUE(module);
    const Value *address = nullptr;
    for (Instruction &instruction : instructions(*module->getFunction("run")))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        address = call->getArgOperand(1);
    ASSERT_TRUE(address);
    EXPECT_EQ(isa<SelectInst>(address), width == 64);
  }
}

} // namespace
} // namespace heddle::jit
