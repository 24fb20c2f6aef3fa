// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/test_clang.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace heddle::frontend {

namespace {

constexpr const char *Prelude = R"(
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device)) __attribute__((annotate("heddle_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...) __attribute__((annotate("heddle_cluster_dims", __VA_ARGS__)))
#define __noinline__ __attribute__((noinline))
#define TID __nvvm_read_ptx_sreg_tid_x()
typedef unsigned long size_t;
extern "C" __device__ int vprintf(const char *, const char *);
)";

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

std::string compileDevice(const std::string &source, const std::string &options) {
  char directory[] = "/tmp/heddle-test-XXXXXX";
  if (!mkdtemp(directory))
    return "";
  std::string input = std::string(directory) + "/t.cu", output = std::string(directory) + "/t.bc";
  std::ofstream(input) << Prelude << "#line 1 \"t.cu\"\n" << source;
  std::string command =
      std::string("cd ") + directory + " && " + HEDDLE_CLANG +
      " -x cuda -nocudainc -nocudalib --cuda-path=/nonexistent --cuda-device-only "
      "--cuda-gpu-arch=sm_90 --cuda-feature=+ptx88 -Xclang -target-sdk-version=12.8 -emit-llvm -c "
      "-O2 "
      "-gline-tables-only -fdebug-compilation-dir=. " +
      options + " t.cu -o t.bc";
  std::string bitcode = std::system(command.c_str()) == 0 ? readFile(output) : "";
  unlink(input.c_str());
  unlink(output.c_str());
  rmdir(directory);
  return bitcode;
}

} // namespace heddle::frontend
