// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/link.h"

#include "frontend/pack.h"
#include "frontend/test_clang.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

namespace heddle::frontend {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes packRelocatable(const std::string &source, uint32_t compileOptions = 0) {
  std::string bitcode = compileDevice(source, "-fgpu-rdc");
  PackOptions options;
  options.imageFlags = ImageRelocatable;
  options.compileOptions = compileOptions;
  auto bytes = packBitcode(llvm::MemoryBufferRef(bitcode, "test"), options);
  if (bytes)
    return *bytes;
  ADD_FAILURE() << llvm::toString(bytes.takeError());
  return {};
}

struct Linked {
  Bytes bytes;
  ImageView view;
  std::string error;
};

Linked link(const std::vector<Bytes> &images) {
  std::vector<ImageView> views;
  for (const Bytes &image : images) {
    auto view = ImageView::create(image);
    EXPECT_TRUE(bool(view));
    views.push_back(*view);
  }
  Linked linked;
  auto bytes = linkImages(views);
  if (!bytes) {
    linked.error = llvm::toString(bytes.takeError());
    return linked;
  }
  linked.bytes = std::move(*bytes);
  auto view = ImageView::create(linked.bytes);
  EXPECT_TRUE(bool(view));
  linked.view = *view;
  return linked;
}

std::unique_ptr<llvm::Module> parse(const ImageView &image, llvm::LLVMContext &context) {
  auto module = llvm::parseBitcodeFile(llvm::cantFail(bitcodeOf(image)), context);
  if (module)
    return std::move(*module);
  ADD_FAILURE() << llvm::toString(module.takeError());
  return nullptr;
}

const char *Kernel = "extern __device__ int v; extern __shared__ float s[]; __device__ int f(int);"
                     "extern \"C\" __global__ void k(int *x) { s[TID] = v; *x = f(s[TID ^ 1]); }";

TEST(Link, JoinsFunctionsVariablesAndSharedMemory) {
  Linked l = link({packRelocatable(Kernel),
                   packRelocatable("__device__ int v = 3; extern __shared__ double s[];"
                                   "__device__ int f(int x) { return x + v + s[0]; }")});
  ASSERT_EQ(l.error, "");
  EXPECT_EQ(l.view.header().flags & ImageRelocatable, 0u);
  ASSERT_NE(l.view.findKernel("k"), nullptr);
  ASSERT_NE(l.view.findVariable("v"), nullptr);
  EXPECT_EQ(l.view.findVariable("v")->isExtern, 0u);
  EXPECT_EQ(l.view.globalsInit()[l.view.findVariable("v")->offset], 3);
}

TEST(Link, KeepsStaticNamesApart) {
  Linked l = link({packRelocatable("static __device__ __noinline__ int f(int x) { return x + 1; }"
                                   "extern \"C\" __global__ void a(int *x) { *x = f(*x); }"),
                   packRelocatable("static __device__ __noinline__ int f(int x) { return x + 2; }"
                                   "extern \"C\" __global__ void b(int *x) { *x = f(*x); }")});
  ASSERT_EQ(l.error, "");
  EXPECT_NE(l.view.findKernel("a"), nullptr);
  EXPECT_NE(l.view.findKernel("b"), nullptr);
}

TEST(Link, RemovesWhatNoKernelNeeds) {
  Linked l = link(
      {packRelocatable(Kernel),
       packRelocatable("__device__ int v = 3, other; __constant__ int table[4]; __managed__ int m;"
                       "__device__ int twice(int x) { return 2 * x; }"
                       "__device__ int dead(const char *s) { return s[twice(other)]; }"
                       "__device__ int text(int x) { return dead(\"a text\" + x); }"
                       "__device__ int (*pointer)(int) = twice;"
                       "__device__ int f(int x) { return x; }")});
  ASSERT_EQ(l.error, "");
  llvm::LLVMContext context;
  auto module = parse(l.view, context);
  ASSERT_NE(module, nullptr);
  EXPECT_NE(module->getFunction("_Z1fi"), nullptr);
  EXPECT_NE(module->getFunction("_Z5twicei"), nullptr); // a variable of the host's points to it
  EXPECT_EQ(module->getFunction("_Z4deadPKc"), nullptr);
  EXPECT_EQ(module->getFunction("_Z4texti"), nullptr);
  for (const char *variable : {"v", "other", "table", "m", "pointer"})
    EXPECT_NE(l.view.findVariable(variable), nullptr) << variable;
  for (const ImageVariable &variable : l.view.variables())
    EXPECT_FALSE(l.view.string(variable.name).starts_with(".str"));
}

TEST(Link, NamesEachUndefinedSymbol) {
  EXPECT_EQ(link({packRelocatable(Kernel)}).error,
            "nvlink error   : Undefined reference to '_Z1fi' in 't.cu'\n"
            "nvlink error   : Undefined reference to 'v' in 't.cu'");
}

TEST(Link, NamesEachSymbolDefinedTwice) {
  const char *definition = "__device__ int v = 3; __device__ int f(int x) { return x; }";
  Linked l =
      link({packRelocatable(Kernel), packRelocatable(definition), packRelocatable(definition)});
  EXPECT_NE(
      l.error.find(
          "nvlink error   : Multiple definition of '_Z1fi' in 't.cu', first defined in 't.cu'"),
      std::string::npos)
      << l.error;
  EXPECT_NE(l.error.find("Multiple definition of 'v'"), std::string::npos) << l.error;
}

TEST(Link, TakesTheStricterOptions) {
  Bytes strict = packRelocatable("extern \"C\" __global__ void a(int *x) { *x = 1; }",
                                 OptionNoContract | OptionFlushDenormals);
  Bytes relaxed = packRelocatable("extern \"C\" __global__ void b(int *x) { *x = 1; }",
                                  OptionApproxDivide | OptionFlushDenormals);
  Linked l = link({strict, relaxed});
  ASSERT_EQ(l.error, "");
  EXPECT_EQ(l.view.header().compileOptions, uint32_t(OptionNoContract | OptionFlushDenormals));
}

} // namespace
} // namespace heddle::frontend
