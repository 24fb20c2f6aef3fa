// RUN: rm -rf %t.d && mkdir -p %t.d/pch %t.d/include
// RUN: %nvcc -O1 -I%S/Inputs %s -lnvrtc -lcuda -o %t
// RUN: cd %t.d && %t %t.d
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers of a program, precompiled: made and used by name and by themselves, with the messages, the codes and the size of
// the heap; a file that does not fit, is damaged or has no room is never more than a warning. The code is the same.
#include "rtc.h"

#include <fstream>

static bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

static nvrtcResult status(const Rtc &rtc) { return nvrtcGetPCHCreateStatus(rtc.program); }

static void write(const std::string &path, const std::string &text) { std::ofstream(path) << text; }

static std::string content(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

static const char *Memory = "#pragma once\ntemplate <typename T> struct Pair { T a, b; __device__ T sum() const { return a + b; } };\n"
                            "static __constant__ int scale = 3;\n";
static const char *Source = "// Comments do not end the directives.\n"
                            "#define OFFSET 4\n#ifdef OFFSET\n#include \"file.h\"\n#endif\n#include <memory.h>\n\n"
                            "extern \"C\" __global__ void kernel(int *out) {\n"
                            "  Pair<int> pair = {int(threadIdx.x), OFFSET};\n"
                            "  out[threadIdx.x] = pair.sum() * scale + fromFile();\n}\n";

struct Program : Rtc {
  explicit Program(const std::string &source, const char *name = "prog.cu") : Rtc(source.c_str(), name, {Memory}, {"memory.h"}) {}
};

static void checkCode(const Program &program) {
  std::vector<int> values = run(load(program.ptx()), "kernel");
  for (int i = 0; i < 32; ++i)
    CHECK(values[i] == (i + 4) * 3 + 100);
}

int main(int, char **words) {
  useDevice();
  const std::string folder = words[1], include = "-I" + folder + "/include", pch = "--pch-dir=" + folder + "/pch",
                    file = folder + "/pch/own.pch";
  const std::string header = "#pragma once\n__device__ inline int fromFile() { return 100; }\n";
  write(folder + "/include/file.h", header);
  size_t heap = 0, needed = 0;
  CHECK(nvrtcGetPCHHeapSize(&heap) == NVRTC_SUCCESS && heap == 256 << 20);
  CHECK(nvrtcGetPCHHeapSize(nullptr) == NVRTC_ERROR_INVALID_INPUT);

  Program plain(Source);
  CHECK(status(plain) == NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
  CHECK(plain.compile({include.c_str()}).result == NVRTC_SUCCESS && status(plain) == NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
  CHECK(nvrtcGetPCHHeapSizeRequired(plain.program, &needed) == NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
  checkCode(plain);
  const std::string usual = plain.ptx();

  // By name.
  Program program(Source);
  CHECK(program.compile({include.c_str(), pch.c_str(), "--create-pch=own.pch"}).result == NVRTC_SUCCESS);
  CHECK(contains(program.log(), ("\"prog.cu\": creating precompiled header file \"" + file + "\"").c_str()));
  CHECK(status(program) == NVRTC_SUCCESS && program.ptx() == usual);
  CHECK(nvrtcGetPCHHeapSizeRequired(program.program, &needed) == NVRTC_SUCCESS && needed > 0 && needed % 4096 == 0);
  Program user(Source);
  const std::vector<const char *> uses = {include.c_str(), pch.c_str(), "-use-pch=own.pch"};
  CHECK(user.compile(uses).result == NVRTC_SUCCESS && status(user) == NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
  CHECK(user.log() == "\"prog.cu\": using precompiled header file \"" + file + "\"\n" && user.ptx() == usual);
  checkCode(user);
  CHECK(user.compile({include.c_str(), pch.c_str(), "-use-pch=own.pch", "-pch-messages=false"}).log() == "");

  // Another source with the same beginning, under another name; errors are where they are.
  Program other(std::string(Source).substr(0, std::string(Source).find("extern")) + "__global__ void second() { int x = missing; }\n", "other.cu");
  CHECK(other.compile(uses).result == NVRTC_ERROR_COMPILATION && contains(other.log(), "using precompiled header file"));
  CHECK(contains(other.log(), "other.cu(8): error: identifier \"missing\" is undefined"));

  // One that does not fit.
  Program changed("#define OTHER\n" + std::string(Source));
  CHECK(changed.compile(uses).result == NVRTC_SUCCESS);
  CHECK(contains(changed.log(), "the initial sequence of preprocessing directives is not compatible"));
  std::vector<const char *> more = uses;
  more.push_back("-DMORE");
  CHECK(user.compile(more).result == NVRTC_SUCCESS && contains(user.log(), "the command line options do not match"));
  checkCode(user);
  more.back() = "-use-pch=absent.pch";
  CHECK(user.compile(more).result == NVRTC_SUCCESS && contains(user.log(), "cannot open precompiled header input file"));
  const std::string good = content(file);
  for (size_t at : {size_t(0), size_t(30), size_t(60), good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[at] = char(bad[at] ^ 1);
    write(file, bad);
    CHECK(user.compile(uses).result == NVRTC_SUCCESS && contains(user.log(), "warning: ") && user.ptx() == usual);
    write(file, good.substr(0, at));
    CHECK(user.compile(uses).result == NVRTC_SUCCESS && contains(user.log(), "warning: ") && user.ptx() == usual);
  }
  write(file, good);
  CHECK(contains(user.compile(uses).log(), "using"));
  write(folder + "/include/file.h", header + "// longer\n");
  CHECK(contains(user.compile(uses).log(), "have changed") && user.ptx() == usual);

  // By itself.
  const std::vector<const char *> automatic = {include.c_str(), pch.c_str(), "--pch", "-pch-verbose=true"};
  CHECK(user.compile(automatic).result == NVRTC_SUCCESS && status(user) == NVRTC_SUCCESS);
  CHECK(contains(user.log(), "creating precompiled header file \"") && contains(user.log(), "/pch/prog.pch\""));
  CHECK(user.compile(automatic).result == NVRTC_SUCCESS && status(user) == NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
  CHECK(contains(user.log(), "using") && user.ptx() == usual);
  write(folder + "/include/file.h", header);
  CHECK(user.compile(automatic).result == NVRTC_SUCCESS && status(user) == NVRTC_SUCCESS);
  CHECK(contains(user.log(), "have changed") && contains(user.log(), "creating"));

  // None is worth it, or may not be.
  for (const char *source : {"extern \"C\" __global__ void k() {}\n", "#define A\n__global__ void k() {}\n",
                             "#pragma no_pch\n#include <memory.h>\n__global__ void k() {}\n"}) {
    Program none(source, "none.cu");
    CHECK(none.compile(automatic).result == NVRTC_SUCCESS && status(none) == NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
    CHECK(none.log() == "");
  }
  Program stopped("#include <memory.h>\n#pragma hdrstop\n#include \"file.h\"\n__global__ void k(int *p) { *p = fromFile(); }\n", "stop.cu");
  CHECK(stopped.compile(automatic).result == NVRTC_SUCCESS && status(stopped) == NVRTC_SUCCESS);
  Program open("#include <memory.h>\n#ifdef X\n#include \"file.h\"\nint wrong\n#endif\n__global__ void k() {}\n", "open.cu");
  CHECK(open.compile(automatic).result == NVRTC_SUCCESS && status(open) == NVRTC_SUCCESS);

  // No room, and no file.
  CHECK(nvrtcSetPCHHeapSize(5000) == NVRTC_SUCCESS && nvrtcGetPCHHeapSize(&heap) == NVRTC_SUCCESS && heap == 8192);
  CHECK(program.compile({include.c_str(), pch.c_str(), "--create-pch=large.pch"}).result == NVRTC_SUCCESS);
  CHECK(status(program) == NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED && content(folder + "/pch/large.pch") == "");
  size_t again = 0;
  CHECK(nvrtcGetPCHHeapSizeRequired(program.program, &again) == NVRTC_SUCCESS && again == needed);
  CHECK(nvrtcSetPCHHeapSize(again) == NVRTC_SUCCESS);
  CHECK(program.compile({include.c_str(), pch.c_str(), "--create-pch=large.pch"}).result == NVRTC_SUCCESS);
  CHECK(status(program) == NVRTC_SUCCESS);
  CHECK(program.compile({include.c_str(), "--create-pch=/nonexistent/x.pch"}).result == NVRTC_SUCCESS);
  CHECK(status(program) == NVRTC_ERROR_PCH_CREATE && contains(program.log(), "cannot write precompiled header file"));
  Program wrong("#include \"file.h\"\n#include \"absent.h\"\n__global__ void k() {}\n");
  CHECK(wrong.compile(automatic).result == NVRTC_ERROR_COMPILATION && status(wrong) == NVRTC_ERROR_PCH_CREATE);
  CHECK(contains(wrong.log(), "cannot open source file \"absent.h\""));
}
