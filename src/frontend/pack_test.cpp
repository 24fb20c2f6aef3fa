// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/pack.h"

#include "base/image/module_image.h"
#include "frontend/functions.h"
#include "frontend/test_clang.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace heddle::frontend {
namespace {

/// An image together with its view.
struct Packed {
  std::vector<uint8_t> bytes;
  ImageView view;
  std::string error;

  const ImageVariable &variable(const char *name) const { return *view.findVariable(name); }
  template <typename T> T initial(const char *name, uint64_t at = 0) const {
    T value = {};
    uint64_t offset = variable(name).offset + at;
    if (offset + sizeof(T) <= view.globalsInit().size())
      std::memcpy(&value, view.globalsInit().data() + offset, sizeof(T));
    return value;
  }
};

Packed pack(const std::string &source, const PackOptions &options = {},
            const std::string &clangOptions = "") {
  std::string bitcode = compileDevice(source, clangOptions);
  Packed packed;
  auto bytes = packBitcode(llvm::MemoryBufferRef(bitcode, "test"), options);
  if (!bytes) {
    packed.error = llvm::toString(bytes.takeError());
    return packed;
  }
  packed.bytes = std::move(*bytes);
  auto view = ImageView::create(packed.bytes);
  if (view)
    packed.view = *view;
  else
    packed.error = view.error();
  return packed;
}

TEST(Pack, LaysOutParametersNaturally) {
  Packed p = pack("struct S { int a; double b; char c; };"
                  "extern \"C\" __global__ void k(float *x, int n, S s, char c, short h, bool b)"
                  "{ x[n] = s.b + c + h + b; }");
  ASSERT_EQ(p.error, "");
  const ImageKernel *kernel = p.view.findKernel("k");
  ASSERT_NE(kernel, nullptr);
  auto params = p.view.params(*kernel);
  const ImageParam expected[] = {{0, 8, 8, ParamOnlyAccessed},
                                 {8, 4, 4, 0},
                                 {16, 24, 8, 0},
                                 {40, 1, 1, 0},
                                 {42, 2, 2, 0},
                                 {44, 1, 1, 0}};
  ASSERT_EQ(params.size(), std::size(expected));
  for (size_t i = 0; i != params.size(); ++i)
    EXPECT_EQ(std::memcmp(&params[i], &expected[i], sizeof(ImageParam)), 0) << "parameter " << i;
  EXPECT_EQ(kernel->paramBytes, 45u);
}

TEST(Pack, KnowsPointersThatServeForAccessesOnly) {
  const char *source = R"(
      __device__ __attribute__((noinline)) float sum(const float *p, int n)
      { float s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
      extern "C" __global__ void k(float *loaded, const float *called, float *tested, int *added,
                                   float *unused, float *stored, float **to, float *compared,
                                   const float *end, unsigned long long *number)
      { loaded[0] = sum(called + 1, 5); if (tested) *tested = 1; __atomic_fetch_add(added, 1, 0);
        to[1] = stored; stored[2] = 1; while (compared != end) *compared++ = 0; *number = (unsigned long long)number; })";
  for (const char *level : {"-O2", "-O0 -Xclang -disable-O0-optnone"}) {
    Packed p = pack(source, {}, level);
    ASSERT_EQ(p.error, "");
    const bool expected[] = {true, true, true, true, false, false, true, false, false, false};
    auto params = p.view.params(*p.view.findKernel("k"));
    ASSERT_EQ(params.size(), std::size(expected));
    for (size_t i = 0; i != params.size(); ++i)
      EXPECT_EQ(params[i].isPointer, expected[i] ? ParamOnlyAccessed : 1)
          << "parameter " << i << " at " << level;
  }
}

TEST(Pack, ReadsWhatKernelsDeclare) {
  Packed p = pack("extern __shared__ float a[]; extern __shared__ double b[];"
                  "template <class T> __global__ void __launch_bounds__(256, 2) k(T *x) {"
                  "  __shared__ float s[64]; s[TID] = x[TID]; a[TID] = b[TID]; x[0] = s[TID ^ 1]; }"
                  "template __global__ void k<float>(float *);"
                  "extern \"C\" __global__ void __cluster_dims__(2, 1, 1) c(int *x) { *x = 1; }");
  ASSERT_EQ(p.error, "");
  const ImageKernel *kernel = p.view.findKernel("_Z1kIfEvPT_");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(p.view.string(kernel->displayName), "void k<float>(float*)");
  EXPECT_EQ(kernel->maxThreads, 256u);
  EXPECT_EQ(kernel->minBlocks, 2u);
  EXPECT_EQ(kernel->staticShared, 256u);
  EXPECT_EQ(kernel->dynamicSharedAlign, 8u);
  const ImageKernel *cluster = p.view.findKernel("c");
  ASSERT_NE(cluster, nullptr);
  EXPECT_EQ(cluster->clusterDim[0], 2u);
  EXPECT_EQ(cluster->clusterDim[1], 1u);
  EXPECT_EQ(cluster->staticShared, 0u);
}

TEST(Pack, EstimatesMoreRegistersForMoreLiveValues) {
  std::string body = "extern \"C\" __global__ void few(float *x) { x[TID] = x[TID] + 1; }"
                     "extern \"C\" __global__ void many(float *x) { float v[32];";
  for (int i = 0; i != 32; ++i)
    body += "v[" + std::to_string(i) + "] = x[TID * 32 + " + std::to_string(i) + "];";
  body += "for (int k = 0; k != 99; ++k) {";
  for (int i = 0; i != 32; ++i)
    body += "v[" + std::to_string(i) + "] = v[" + std::to_string((i + 7) % 32) + "] * x[k] + 1;";
  body += "} float s = 0;";
  for (int i = 0; i != 32; ++i)
    body += "s += v[" + std::to_string(i) + "];";
  Packed p = pack(body + "x[TID] = s; }");
  ASSERT_EQ(p.error, "");
  EXPECT_EQ(std::to_array(p.view.findKernel("few")->registers),
            (std::array<uint8_t, RegisterGenerations>{4, 6, 8, 10}));
  for (unsigned registers : p.view.findKernel("many")->registers) {
    EXPECT_GE(registers, 34u);
    EXPECT_LE(registers, 80u);
  }
}

/// ptxas 13 gives both loops 32 registers for 9.0, as many as 2048 threads may have.
TEST(Pack, EstimatesRegistersOfLoopsThatLoadAhead) {
  Packed p =
      pack("extern \"C\" __global__ void counted(int n, const float *x, float *y) {"
           "  float s = 0; for (int i = 0; i < n; ++i) s += x[i * n + TID] * x[i]; y[TID] = s; }"
           "extern \"C\" __global__ void chased(const int *x, int *y) {"
           "  int i = TID; while (x[i] != i) i = x[i]; y[TID] = i; }");
  ASSERT_EQ(p.error, "");
  EXPECT_EQ(p.view.findKernel("counted")->registers[3], 32);
  EXPECT_LE(p.view.findKernel("counted")->registers[1], 16);
  EXPECT_LE(p.view.findKernel("chased")->registers[3], 16) << "no turn can begin before another";
}

TEST(Pack, LimitsRegistersWhereThereAreNoBounds) {
  PackOptions options;
  options.maxRegisters = 32;
  Packed p = pack("extern \"C\" __global__ void free(int *x) { *x = 1; }"
                  "extern \"C\" __global__ void __launch_bounds__(64) bound(int *x) { *x = 1; }",
                  options);
  ASSERT_EQ(p.error, "");
  EXPECT_EQ(p.view.findKernel("free")->maxRegisters, 32u);
  EXPECT_EQ(p.view.findKernel("bound")->maxRegisters, 0u) << "nvcc takes the bounds";
}

TEST(Pack, PlacesVariablesWithTheirInitialBytes) {
  Packed p = pack("__device__ int counter = 5; __device__ int *pointer = &counter + 0;"
                  "__constant__ float c[16] = {1, 2, 3}; __device__ double zero[100];"
                  "__device__ const char *text = \"hello\";"
                  "extern \"C\" __global__ void k(int *x) {"
                  "  *x = *pointer + counter + c[TID] + zero[TID] + text[TID]; }");
  ASSERT_EQ(p.error, "");
  EXPECT_EQ(p.variable("counter").space, VariableSpace::Global);
  EXPECT_EQ(p.variable("c").space, VariableSpace::Constant);
  EXPECT_EQ(p.variable("c").size, 64u);
  EXPECT_EQ(p.initial<int>("counter"), 5);
  EXPECT_EQ(p.initial<float>("c", 8), 3.0f);
  EXPECT_GE(p.variable("zero").offset, p.view.globalsInit().size()) << "zero bytes are not stored";
  EXPECT_GE(p.view.header().globalsBytes, p.variable("zero").offset + 800);
  ASSERT_EQ(p.view.relocations().size(), 2u);
  const ImageRelocation &pointer = p.view.relocations()[0], &text = p.view.relocations()[1];
  EXPECT_EQ(pointer.at, p.variable("pointer").offset);
  EXPECT_EQ(pointer.addend, p.variable("counter").offset);
  EXPECT_EQ(text.at, p.variable("text").offset);
  EXPECT_STREQ(reinterpret_cast<const char *>(p.view.globalsInit().data() + text.addend), "hello");
}

TEST(Pack, GivesManagedVariablesASlot) {
  Packed p = pack("__managed__ int m[3] = {7, 8, 9};"
                  "extern \"C\" __global__ void k() { m[TID]++; }");
  ASSERT_EQ(p.error, "");
  const ImageVariable &m = p.variable("m");
  EXPECT_EQ(m.space, VariableSpace::Managed);
  EXPECT_EQ(m.size, 12u);
  EXPECT_EQ(m.offset % 8, 0u);
  int second;
  std::memcpy(&second, p.view.globalsInit().data() + m.initOffset + 4, sizeof(second));
  EXPECT_EQ(second, 8);
}

TEST(Pack, NumbersFunctionsWhoseAddressIsTaken) {
  Packed p = pack("__device__ float f(float x) { return x + 1; }"
                  "__device__ float g(float x) { return x * 2; }"
                  "__device__ float (*table[2])(float) = {g, f};"
                  "extern \"C\" __global__ void k(float *x) { x[0] = table[TID & 1](x[1]); }");
  ASSERT_EQ(p.error, "");
  uint64_t first = p.initial<uint64_t>("table"), second = p.initial<uint64_t>("table", 8);
  EXPECT_EQ(first, functionAddress(1)) << "g is the second function of the module";
  EXPECT_EQ(second, functionAddress(0));
  EXPECT_EQ(p.view.relocations().size(), 0u);
}

TEST(Pack, PutsFunctionNumbersIntoVtables) {
  Packed p = pack(
      "inline __device__ void *operator new(size_t, void *p) { return p; }"
      "struct B { __device__ virtual int get() = 0; };"
      "struct D : B { int x; __device__ int get() override { return x; } };"
      "extern \"C\" __global__ void k(B **b, int *x) { b[0] = new (b[1]) D; *x = b[2]->get(); }");
  ASSERT_EQ(p.error, "");
  EXPECT_EQ(p.initial<uint64_t>("_ZTV1D", 16), functionAddress(0));
}

TEST(Pack, KeepsTablesOfSharedAddressesOutOfTheBlock) {
  Packed p = pack("extern __shared__ float a[]; extern __shared__ double b[];"
                  "extern \"C\" __global__ void k(void **x, int i) {"
                  "  void *at[4] = {a, b, a + 3, nullptr}; x[TID] = at[i]; }");
  ASSERT_EQ(p.error, "");
  EXPECT_EQ(p.view.variables().size(), 0u);
}

TEST(Pack, HashFollowsCodeAndOptions) {
  const char *source = "extern \"C\" __global__ void k(int *x) { *x = 1; }";
  PackOptions fast;
  fast.compileOptions = OptionFastMath;
  Packed a = pack(source), b = pack(source), c = pack(source, fast);
  Packed d = pack("extern \"C\" __global__ void k(int *x) { *x = 2; }");
  EXPECT_EQ(a.view.header().hash[0], b.view.header().hash[0]);
  EXPECT_NE(a.view.header().hash[0], c.view.header().hash[0]);
  EXPECT_NE(a.view.header().hash[0], d.view.header().hash[0]);
}

TEST(Pack, RefusesWhatIsUndefined) {
  EXPECT_EQ(
      pack("__device__ int f(int); extern \"C\" __global__ void k(int *x) { *x = f(1); }").error,
      "unresolved extern function 'f(int)'");
  EXPECT_EQ(
      pack("extern __device__ int v; extern \"C\" __global__ void k(int *x) { *x = v; }").error,
      "device variable 'v' is declared but not defined");
}

TEST(Pack, RefusesTooMuchMemory) {
  EXPECT_EQ(pack("extern \"C\" __global__ void k(int *x) {"
                 "  __shared__ int s[17500]; s[TID] = *x; *x = s[TID ^ 1]; }")
                .error,
            "static shared memory of kernel 'k' is 70000 bytes; the device allows 49152");
  EXPECT_EQ(
      pack("__constant__ int c[20000]; extern \"C\" __global__ void k(int *x) { *x = c[TID]; }")
          .error,
      "constant memory of the module is 80000 bytes; the device allows 65536");
}

TEST(Pack, TheHostsConstantsTakeNoConstantMemory) {
  auto packed =
      pack("extern const int table[20000]; const int table[20000] = {1, 2, 3};"
           "__constant__ int c[10]; extern \"C\" __global__ void k(int *x) { *x = c[TID]; }");
  EXPECT_EQ(packed.error, "");
  EXPECT_EQ(packed.view.findVariable("c")->space, VariableSpace::Constant);
}

TEST(Pack, RefusesWhatIsNoBitcode) {
  auto bytes = packBitcode(llvm::MemoryBufferRef("not bitcode", "test"), {});
  ASSERT_FALSE(bool(bytes));
  EXPECT_NE(llvm::toString(bytes.takeError()), "");
}

} // namespace
} // namespace heddle::frontend
