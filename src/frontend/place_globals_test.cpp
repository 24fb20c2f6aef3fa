// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/place_globals.h"

#include "base/image/module_image.h"
#include "frontend/functions.h"
#include "frontend/pack.h"
#include "frontend/test_clang.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

namespace heddle::frontend {
namespace {

using namespace llvm;

/// Packs source and places the globals of the image's own bitcode.
class Placed {
public:
  explicit Placed(const std::string &source) {
    std::string bitcode = compileDevice(source);
    bytes_ = cantFail(packBitcode(MemoryBufferRef(bitcode, "test"), {}));
    auto view = ImageView::create(bytes_);
    EXPECT_TRUE(bool(view));
    image = *view;
    module = cantFail(parseBitcodeFile(cantFail(bitcodeOf(image)), context_));
    cantFail(placeGlobals(*module, image));
    EXPECT_FALSE(verifyModule(*module, &errs()));
  }

  std::string text() const {
    std::string text;
    raw_string_ostream stream(text);
    module->print(stream, nullptr);
    return text;
  }

  template <typename T> std::vector<T *> all(StringRef function) {
    std::vector<T *> found;
    for (Instruction &instruction : instructions(*module->getFunction(function)))
      if (auto *match = dyn_cast<T>(&instruction))
        found.push_back(match);
    return found;
  }

private:
  std::vector<uint8_t> bytes_;
  LLVMContext context_;

public:
  ImageView image;
  std::unique_ptr<Module> module;
};

TEST(PlaceGlobals, LeavesOnlySharedMemory) {
  Placed p(
      "__device__ int a = 1; __constant__ int c[4]; __managed__ int m;"
      "__device__ int *list[2] = {&a, nullptr};"
      "extern \"C\" __global__ void k(const char **x, int n) {"
      "  __shared__ int s[32]; s[TID] = n; int *q = n ? &a : c; x[1] = n > 2 ? \"yes\" : \"no\";"
      "  x[0] = (const char *)(size_t)(*q + c[n] + m + *list[n] + s[TID ^ 1]); }");
  for (const GlobalVariable &variable : p.module->globals())
    EXPECT_EQ(variable.getAddressSpace(), 3u) << variable.getName().str();
  EXPECT_NE(p.text().find("call ptr @heddle.globals()"), std::string::npos);
}

TEST(PlaceGlobals, UsesTheOffsetsOfTheImage) {
  Placed p("__device__ int a = 1; __device__ int b = 2;"
           "extern \"C\" __global__ void k() { b = 3; }");
  auto stores = p.all<StoreInst>("k");
  ASSERT_EQ(stores.size(), 1u);
  APInt offset(64, 0);
  const Value *base = stores[0]->getPointerOperand()->stripAndAccumulateConstantOffsets(
      p.module->getDataLayout(), offset, true);
  EXPECT_EQ(offset.getZExtValue(), p.image.findVariable("b")->offset);
  auto *call = dyn_cast<CallInst>(base);
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->getCalledFunction()->getName(), "heddle.globals");
}

TEST(PlaceGlobals, GoesThroughAManagedVariablesSlot) {
  Placed p("__managed__ int m; extern \"C\" __global__ void k() { m = 3; }");
  auto stores = p.all<StoreInst>("k");
  ASSERT_EQ(stores.size(), 1u);
  auto *slot = dyn_cast<LoadInst>(stores[0]->getPointerOperand()->stripPointerCasts());
  ASSERT_NE(slot, nullptr);
  EXPECT_TRUE(slot->hasMetadata(LLVMContext::MD_invariant_load));
}

TEST(PlaceGlobals, MarksConstantLoadsInvariant) {
  Placed p("__constant__ int c[4]; __device__ int v[4];"
           "extern \"C\" __global__ void k(int *x) { x[TID] = c[TID]; x[TID] += v[TID]; }");
  unsigned invariant = 0;
  for (LoadInst *load : p.all<LoadInst>("k"))
    invariant += load->hasMetadata(LLVMContext::MD_invariant_load);
  EXPECT_EQ(invariant, 1u);
}

TEST(PlaceGlobals, TurnsFunctionAddressesIntoNumbers) {
  Placed p("__device__ __noinline__ int f(int x) { return x * x; }"
           "typedef int (*F)(int);"
           "extern \"C\" __global__ void k(F *x, int *y) { *x = f; *y = f(*y); }");
  std::string address = "inttoptr (i64 " + std::to_string(functionAddress(0)) + " to ptr)";
  EXPECT_NE(p.text().find(address), std::string::npos) << p.text();
  EXPECT_EQ(p.all<CallInst>("k").back()->getCalledFunction(), p.module->getFunction("_Z1fi"));
  EXPECT_EQ(numberedFunctions(*p.module)[0], p.module->getFunction("_Z1fi"));
}

} // namespace
} // namespace heddle::frontend
