// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source to running code, without the runtime: packs a kernel with heddleJitPack, compiles it at
// every width and runs blocks by hand.
#include "jit/jit.h"

#include "base/abi/kernel_abi.h"
#include "base/image/module_image.h"
#include "frontend/test_clang.h"
#include "jit/test_object.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <memory>
#include <random>
#include <thread>
#include <unistd.h>
#include <vector>

namespace heddle {
namespace {

/// A HeddleJitResult that frees itself.
class Answer {
public:
  explicit Answer(HeddleJitResult result) : result_(result) {}
  Answer(Answer &&other) : result_(other.result_) { other.result_ = {}; }
  ~Answer() { heddleJitFree(&result_); }
  std::string error() const { return result_.error ? result_.error : ""; }
  const uint8_t *data() const { return result_.data; }
  size_t size() const { return result_.size; }

private:
  HeddleJitResult result_;
};

/// With line tables as the driver asks for them.
Answer pack(const std::string &source, uint32_t flags = 0) {
  std::string bitcode =
      frontend::compileDevice(source, "-Xclang -debug-info-kind=line-tables-only");
  return Answer(heddleJitPack(reinterpret_cast<const uint8_t *>(bitcode.data()), bitcode.size(),
                              flags, 90, 0, 0));
}

Answer compile(const Answer &image, const char *kernel, uint32_t threads, uint32_t width) {
  HeddleCompileRequest request = {image.data(), image.size(), kernel, {threads, 1, 1},
                                  width,        nullptr,      false};
  return Answer(heddleJitCompileWith(&request));
}

/// A kernel's shared object, loaded, and just enough of a runner for kernels that never wait.
class Kernel {
public:
  explicit Kernel(const Answer &object)
      : object_({object.data(), object.size()}),
        code(object_.symbol<const KernelCode>(KernelSymbol)) {}

  const std::string &path() const { return object_.path(); }

  void run(uint32_t blocks, uint32_t threads, const void *params, uint8_t *globals = nullptr) {
    alignas(128) static uint8_t shared[48 * 1024];
    Services services = {};
    Launch launch = {};
    launch.params = static_cast<const uint8_t *>(params);
    launch.globals = globals;
    launch.services = &services;
    launch.gridDim[0] = blocks;
    launch.blockDim[0] = threads;
    for (int i = 1; i != 3; ++i)
      launch.gridDim[i] = launch.blockDim[i] = 1;
    std::vector<WarpState> warps(code->warpsPerBlock);
    std::vector<uint8_t> scratch(32 * 16 * ((threads + 31) / 32));
    Block block = {};
    block.launch = &launch;
    block.shared = shared;
    block.warps = warps.data();
    block.warpScratch = scratch.data();
    code->runBlocks(&launch, &block, 0, blocks);
  }

private:
  jit::LoadedObject object_;

public:
  const KernelCode *code = nullptr;
};

constexpr const char *Saxpy =
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n) {"
    "  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + TID;"
    "  if (i < n) y[i] = a * x[i] + y[i]; }";

struct SaxpyParams {
  float a;
  const float *x;
  float *y;
  int n;
};

class CompileAtWidth : public testing::TestWithParam<uint32_t> {};

TEST_P(CompileAtWidth, RunsSaxpy) {
  constexpr int N = 1000;
  Answer image = pack(Saxpy);
  ASSERT_EQ(image.error(), "");
  Answer object = compile(image, "saxpy", 96, GetParam());
  ASSERT_EQ(object.error(), "");
  Kernel kernel(object);
  ASSERT_NE(kernel.code, nullptr);
  EXPECT_EQ(kernel.code->abiVersion, KernelAbiVersion);
  EXPECT_EQ(kernel.code->width, GetParam());
  EXPECT_EQ(kernel.code->warpsPerBlock, 96 / GetParam());
  std::vector<float> x(N + 32, 1.0f), y(N + 32);
  for (int i = 0; i != N + 32; ++i)
    y[i] = float(i);
  SaxpyParams params{2.0f, x.data(), y.data(), N};
  kernel.run((N + 95) / 96, 96, &params);
  for (int i = 0; i != N + 32; ++i)
    ASSERT_EQ(y[i], float(i) + (i < N ? 2.0f : 0.0f)) << i;
}

TEST_P(CompileAtWidth, ReachesGlobalsAndFunctionsThroughTables) {
  Answer image =
      pack("__device__ int base = 100; __device__ int sum[64];"
           "__device__ int twice(int x) { return 2 * x; }"
           "__device__ int square(int x) { return x * x; }"
           "__device__ int (*table[2])(int) = {twice, square};"
           "extern \"C\" __global__ void k() { sum[TID] = base + table[TID & 1](TID); }");
  ASSERT_EQ(image.error(), "");
  Answer object = compile(image, "k", 64, GetParam());
  ASSERT_EQ(object.error(), "");
  auto view = ImageView::create({image.data(), image.size()});
  ASSERT_TRUE(bool(view));
  std::vector<uint64_t> storage(view->header().globalsBytes / 8 + 64);
  auto *globals =
      reinterpret_cast<uint8_t *>((reinterpret_cast<uintptr_t>(storage.data()) + 255) & ~255ull);
  std::memcpy(globals, view->globalsInit().data(), view->globalsInit().size());
  Kernel kernel(object);
  ASSERT_NE(kernel.code, nullptr);
  kernel.run(1, 64, nullptr, globals);
  auto *sum = reinterpret_cast<const int *>(globals + view->findVariable("sum")->offset);
  for (int i = 0; i != 64; ++i)
    EXPECT_EQ(sum[i], 100 + (i & 1 ? i * i : 2 * i)) << i;
}

INSTANTIATE_TEST_SUITE_P(Widths, CompileAtWidth, testing::Values(1u, 8u, 16u, 32u));

TEST(Compile, KeepsSourceLines) {
  Answer image = pack(std::string("\n\n") + Saxpy);
  Answer object = compile(image, "saxpy", 32, 32);
  ASSERT_EQ(object.error(), "");
  Kernel kernel(object);
  ASSERT_NE(kernel.code, nullptr);
  Dl_info info;
  ASSERT_NE(dladdr(reinterpret_cast<void *>(kernel.code->runBlocks), &info), 0);
  uint64_t start = reinterpret_cast<uint64_t>(kernel.code->runBlocks) -
                   reinterpret_cast<uint64_t>(info.dli_fbase);
  unsigned hits = 0;
  for (uint64_t offset = start; offset != start + 400; ++offset) {
    uint32_t line = 0;
    Answer position(heddleJitSymbolize(kernel.path().c_str(), offset, &line));
    hits += position.error().empty() && line == 3 &&
            std::string(reinterpret_cast<const char *>(position.data())).find("saxpy") !=
                std::string::npos;
  }
  EXPECT_GT(hits, 50u);
}

TEST(Compile, WorksInSeveralThreadsAtOnce) {
  Answer image = pack(Saxpy);
  std::vector<std::string> errors(3);
  std::vector<std::thread> threads;
  for (std::string &error : errors)
    threads.emplace_back([&] { error = compile(image, "saxpy", 64, 32).error(); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &error : errors)
    EXPECT_EQ(error, "");
}

/// Holes all over the heap: what is allocated while it lives lies in no order.
class ScatteredHeap {
public:
  explicit ScatteredHeap(unsigned seed) : random_(seed) {
    std::vector<std::unique_ptr<char[]>> holes;
    for (unsigned i = 0; i < 400'000; ++i)
      (i % 2 ? holes : kept_).emplace_back(new char[16 + 8 * (random_() % 40)]);
    std::shuffle(holes.begin(), holes.end(), random_);
  } // the holes are freed in that order

private:
  std::mt19937 random_;
  std::vector<std::unique_ptr<char[]>> kept_;
};

/// Else a fault could come and go from run to run, and the processes of a user would run different
/// code for one kernel.
TEST(Compile, GivesTheSameBytesWhereverMemoryLies) {
  Answer image = pack(R"(
    struct Pair { float x, y; };
    extern "C" __global__ void sums(const Pair *a, const Pair *b, const Pair *c, const float *f,
                                    float *out, int n) {
      float ax = f[n], ay = ax, bx = f[n + 1], by = bx, cx = f[n + 2], cy = cx;
      for (int k = 0; k < n; ++k) {
        Pair p = a[k * 256 + TID], q = b[k * 256 + TID], r = c[k * 256 + TID];
        ax += f[k] * p.x, ay += f[k] * p.y;
        bx += f[k] * q.x, by += f[k] * q.y;
        cx += f[k] * r.x, cy += f[k] * r.y;
      }
      out[TID] = ax * by - ay * bx + cx / cy;
    }
    extern "C" __global__ void product(const float *a, const float *b, float *c) {
      __shared__ float tileA[16][16], tileB[16][16];
      int x = TID % 16, y = TID / 16;
      float sum = 0;
      for (int start = 0; start < 64; start += 16) {
        tileA[y][x] = a[y * 64 + start + x];
        tileB[y][x] = b[(start + y) * 16 + x];
        __syncthreads();
        for (int i = 0; i < 16; ++i)
          sum += tileA[y][i] * tileB[i][x];
        __syncthreads();
      }
      c[TID] = sum;
    })");
  ASSERT_EQ(image.error(), "");
  for (const char *kernel : {"sums", "product"}) {
    Answer first = compile(image, kernel, 256, 0);
    ASSERT_EQ(first.error(), "");
    for (unsigned seed = 1; seed <= 8; ++seed) {
      ScatteredHeap heap(seed);
      Answer again = compile(image, kernel, 256, 0);
      ASSERT_EQ(again.size(), first.size()) << kernel << seed;
      EXPECT_EQ(std::memcmp(again.data(), first.data(), first.size()), 0) << kernel << seed;
    }
  }
}

TEST(Compile, RefusesWhatItCannotCompile) {
  Answer image = pack(Saxpy);
  EXPECT_EQ(compile(image, "nothing", 32, 32).error(), "no kernel 'nothing' in the device image");
  EXPECT_EQ(compile(image, "saxpy", 32, 7).error(),
            "warp width is 7; expected 1 or a power of two from 8 to 1024, or 0 to choose");
  Answer relocatable = pack(Saxpy, ImageRelocatable);
  EXPECT_EQ(compile(relocatable, "saxpy", 32, 32).error(),
            "internal error: relocatable image was not linked");
  HeddleCompileRequest request = {image.data(), 100, "saxpy", {32, 1, 1}, 32, nullptr, false};
  EXPECT_EQ(Answer(heddleJitCompileWith(&request)).error(), "device image is cut short");
}

TEST(EmitPtx, WritesEveryKernel) {
  Answer image = pack(std::string("__managed__ int m;") + Saxpy +
                      "extern \"C\" __global__ void other() { m = 1; }");
  for (const char *sm : {"sm_35", "sm_60", "sm_80", "sm_90a", "sm_120f"}) {
    const bool hasLines = sm[3] == '8';
    Answer ptx(heddleJitEmitPtx(image.data(), image.size(), sm, hasLines));
    ASSERT_EQ(ptx.error(), "");
    std::string text(reinterpret_cast<const char *>(ptx.data()), ptx.size());
    EXPECT_NE(text.find(".target " + std::string(sm) + "\n"), std::string::npos);
    EXPECT_EQ(text.find(".loc") != std::string::npos, hasLines);
    EXPECT_NE(text.find(".entry saxpy"), std::string::npos);
    EXPECT_NE(text.find(".entry other"), std::string::npos);
    EXPECT_NE(text.find(".attribute(.managed)"), std::string::npos);
  }
  EXPECT_EQ(Answer(heddleJitEmitPtx(image.data(), image.size(), "sm_33", false)).error(),
            "no PTX for sm_33");
}

/// The device library is linked into a module that still has the program's variables.
TEST(EmitPtx, KeepsVariablesBesideTheLibrary) {
  Answer image = pack("__device__ float sum; __constant__ float c[4] = {1, 2, 3, 4};"
                      "extern \"C\" __device__ float __nv_powf(float, float);"
                      "extern \"C\" __global__ void k(float *p) { sum = __nv_powf(*p, c[1]); }");
  Answer ptx(heddleJitEmitPtx(image.data(), image.size(), "sm_90", false));
  ASSERT_EQ(ptx.error(), "");
  std::string text(reinterpret_cast<const char *>(ptx.data()), ptx.size());
  for (const char *line : {".global .align 4 .f32 sum;", ".const .align 4 .b8 c[16]", ".entry k"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  EXPECT_EQ(text.find(".extern"), std::string::npos);
}

} // namespace
} // namespace heddle
