// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of programs, their binaries, and memory of objects that are gone.
#include "opencl/program.h"

#include "base/image/module_image.h"

#include <gtest/gtest.h>

const cl_icd_dispatch heddle::cl::dispatchTable = {};

namespace heddle::cl {

namespace {

using Flags = std::vector<std::string>;

TEST(Options, nothing) {
  const Options options = parseOptions(nullptr, false);
  EXPECT_EQ(options.problem, "");
  EXPECT_EQ(options.flags, Flags{"-cl-std=CL1.2"});
  EXPECT_FALSE(options.isDebug);
}

TEST(Options, macrosAndFolders) {
  const Options options =
      parseOptions("-D A=1 -DB -I \"a folder\" -I'b c' -D \"T=\\\"x y\\\"\" -cl-std=CL3.0", false);
  EXPECT_EQ(options.problem, "");
  EXPECT_EQ(options.flags,
            (Flags{"-DA=1", "-DB", "-Ia folder", "-Ib c", "-DT=\"x y\"", "-cl-std=CL3.0"}));
}

TEST(Options, whatIsWrong) {
  EXPECT_EQ(parseOptions("-w -no-such", false).problem, "-no-such");
  EXPECT_EQ(parseOptions("-cl-std=CL9.9", false).problem, "-cl-std=CL9.9");
  EXPECT_EQ(parseOptions("-D", false).problem, "-D");
  EXPECT_EQ(parseOptions("-create-library", false).problem, "-create-library");
  EXPECT_EQ(parseOptions("-DA=1", true).problem, "-DA=1");
}

TEST(Options, ofLinking) {
  const Options options = parseOptions("-create-library -cl-denorms-are-zero", true);
  EXPECT_EQ(options.problem, "");
  EXPECT_TRUE(options.createsLibrary);
  EXPECT_EQ(options.compileOptions, OptionFlushDenormals);
}

/// A debugger is served where nothing is optimised only.
TEST(Options, debugging) {
  EXPECT_FALSE(parseOptions("-g", false).isDebug);
  EXPECT_TRUE(parseOptions("-g -cl-opt-disable", false).isDebug);
}

Binary sample() {
  opencl::Kernel kernel = {"k", "vec_type_hint(int)", {8, 4, 2}, {0, 0, 0}, {}, true, false};
  kernel.arguments.push_back(
      {opencl::ArgumentKind::Local, 0, 16, 3, "none", "float4*", "tile", "const"});
  return {Stage::Executable, "-DX", std::string("co\0de", 5), {kernel}, uint64_t(5) << 32};
}

Binary reread(const std::string &bytes) {
  return readBinary(reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size());
}

TEST(ProgramBinary, holdsAll) {
  const Binary written = sample(), read = reread(writeBinary(written));
  EXPECT_EQ(read.stage, written.stage);
  EXPECT_EQ(read.options, written.options);
  EXPECT_EQ(read.code, written.code);
  EXPECT_EQ(read.globalBytes, written.globalBytes);
  ASSERT_EQ(read.kernels.size(), 1u);
  EXPECT_EQ(read.kernels[0].requiredShape, written.kernels[0].requiredShape);
  EXPECT_TRUE(read.kernels[0].isUniform);
  ASSERT_EQ(read.kernels[0].arguments.size(), 1u);
  EXPECT_EQ(read.kernels[0].arguments[0].type, "float4*");
  EXPECT_EQ(read.kernels[0].arguments[0].align, 16u);
}

TEST(ProgramBinary, damageIsFound) {
  const std::string good = writeBinary(sample());
  for (size_t i = 0; i != good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x11);
    EXPECT_EQ(reread(bad).stage, Stage::None) << i;
    EXPECT_EQ(reread(good.substr(0, i)).stage, Stage::None) << i;
  }
}

struct Thing : Object<Thing, Kind::Sampler> {
  static inline int alive = 0;
  Thing() { ++alive; }
  ~Thing() { --alive; }
};

TEST(Object, isNoneOnceItIsReleased) {
  auto *thing = new Thing;
  {
    Ref<Thing> user(thing);
    thing->retain();
    thing->release();
    thing->release();
    EXPECT_EQ(Thing::alive, 1);
  }
  EXPECT_EQ(Thing::alive, 0);
  EXPECT_FALSE(isValid(thing));
  EXPECT_EQ(thing->dispatch, &dispatchTable);
  for (int i = 0; i != 1000; ++i)
    (new Thing)->release();
  EXPECT_FALSE(isValid(thing));
}

} // namespace

} // namespace heddle::cl
