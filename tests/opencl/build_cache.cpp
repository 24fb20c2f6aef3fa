// REQUIRES: opencl
// RUN: rm -rf %t.d && mkdir -p %t.d/near %t.d/far && %opencl %s -o %t
// RUN: cd %t.d && env CUDA_CACHE_PATH=%t.d/cache sh -c 'for i in 1 2 3; do %t first & p="$p $!"; done; for i in $p; do wait $i || exit 1; done'
// RUN: cd %t.d && env CUDA_CACHE_PATH=%t.d/cache %t second
// RUN: cd %t.d && env CUDA_CACHE_PATH=%t.d/cache %t third
// RUN: cd %t.d && env CUDA_CACHE_PATH=%t.d/cache CUDA_CACHE_DISABLE=1 %t off
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that were built before do without the compiler, in other processes too, unless an included file has another
// content, or another file is found in front of it. What the log said is said again.
#include "opencl_test.h"

#include <fstream>
#include <iterator>

static bool hasCompiler() {
  std::ifstream maps("/proc/self/maps");
  return std::string(std::istreambuf_iterator<char>(maps), {}).find("libheddle_compiler") != std::string::npos;
}

static void write(const char *path, const char *text) { std::ofstream(path) << text; }

static const char *Include = "#include \"n.h\"\n#warning seen\nkernel void give(global int *a) { *a = N + EXTRA; }";

static int result(Machine &m, const char *source, const char *options, bool isWarned = false) {
  cl_program program = m.build(source, options);
  CHECK((m.log(program).find("warning") != std::string::npos) == isWarned);
  cl_mem out = m.buffer(std::vector<int>(1));
  cl_kernel kernel = m.kernel(program, "give");
  setArguments(kernel, out);
  m.run(kernel, {1});
  return m.read<int>(out)[0];
}

static int included(Machine &m, const char *extra = "-DEXTRA=0") {
  return result(m, Include, (std::string(extra) + " -I near -Ifar").c_str(), true);
}

static int linked(Machine &m, const char *text) {
  const char *source = "#include \"given.h\"\nkernel void give(global int *a) { *a = GIVEN; }", *name = "given.h";
  cl_program program = clCreateProgramWithSource(m.context, 1, &source, nullptr, &m.code);
  cl_program header = clCreateProgramWithSource(m.context, 1, &text, nullptr, &m.code);
  OK(clCompileProgram(program, 0, nullptr, "", 1, &header, &name, nullptr, nullptr));
  cl_program whole = clLinkProgram(m.context, 0, nullptr, "", 1, &program, nullptr, nullptr, &m.code);
  OK(m.code);
  cl_mem out = m.buffer(std::vector<int>(1));
  cl_kernel kernel = m.kernel(whole, "give");
  setArguments(kernel, out);
  m.run(kernel, {1});
  return m.read<int>(out)[0];
}

int main(int, char **words) {
  const std::string step = words[1];
  Machine m;
  if (step == "first") {
    write("far/n.h", "#define N 10\n");
    CHECK(included(m) == 10 && hasCompiler());
    CHECK(linked(m, "#define GIVEN 5") == 5);
  } else if (step == "second") {
    CHECK(included(m) == 10 && linked(m, "#define GIVEN 5") == 5);
    CHECK(!hasCompiler());
    write("far/n.h", "#define N 20\n"); // of the same length
    CHECK(included(m) == 20 && hasCompiler());
    write("near/n.h", "#define N 30\n");
    CHECK(included(m) == 30);
    CHECK(included(m, "-DEXTRA=1") == 31);
    CHECK(linked(m, "#define GIVEN 6") == 6);
    CHECK(std::remove("near/n.h") == 0);
  } else if (step == "third") {
    write("far/n.h", "#define N 20\n"); // the same again, but later
    CHECK(included(m, "-DEXTRA=1") == 21 && hasCompiler());
    write("near/n.h", "#define N 30\n");
    CHECK(included(m) == 30);
    const char *clock = "kernel void give(global int *a) { *a = sizeof(__TIME__); }";
    CHECK(result(m, clock, "") == 9);
  } else {
    CHECK(included(m) == 30 && hasCompiler());
  }
}
