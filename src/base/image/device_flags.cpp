// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/image/device_flags.h"

#include "base/image/module_image.h"

namespace heddle {

namespace {

void append(std::vector<std::string> &flags, std::initializer_list<std::string> more) {
  flags.insert(flags.end(), more);
}

void addFloatingPoint(std::vector<std::string> &flags, const DeviceOptions &o) {
  if (o.isFastFloat)
    flags.push_back("-ffast-math");
  else if (o.isAnyOrder) // clang takes the three together only
    append(flags, {"-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"});
  if (o.isFastMath)
    flags.push_back("-fgpu-approx-transcendentals");
  if (o.flushes)
    flags.push_back("-fgpu-flush-denormals-to-zero");
  flags.push_back(o.contracts ? "-ffp-contract=fast" : "-ffp-contract=off");
}

// clang gives optimised NVPTX code "debug directives" only; the kind is forced to real line tables
// (or, for -G, variables), which the JIT turns into the debug information of the machine code.
void addDebugging(std::vector<std::string> &flags, bool isFull) {
  if (isFull)
    append(flags, {"-O0", "-Xclang", "-disable-O0-optnone", "-g"});
  else
    append(flags, {"-O2", "-gline-tables-only"});
  append(flags,
         {"-Xclang", isFull ? "-debug-info-kind=constructor" : "-debug-info-kind=line-tables-only",
          "-Xclang", "-dwarf-version=5"});
}

} // namespace

std::vector<std::string> deviceFlags(const DeviceOptions &o) {
  // Short loops are unrolled as nvcc does, which makes registers of local arrays; the rest is for
  // the code of a warp (src/plugin/full_unrolling.cpp).
  std::vector<std::string> flags = {
      "--cuda-device-only", "--cuda-feature=+ptx88", "-fno-vectorize", "-fno-slp-vectorize",
      // No loop under tests of what LLVM 22 may have dropped (src/plugin/hide_narrow_steps.cpp).
      "-mllvm", "-loop-load-elimination-scev-check-threshold=0",
      // What goes through a null pointer faults, also where the code shows that it does.
      "-fno-delete-null-pointer-checks",
      // nvcc lets accesses of different types be to the same place; CUB moves values between lanes
      // in words.
      "-fno-strict-aliasing",
      // A lane may hand over a variable that only another lane has set: `active.shfl(v, 0)`.
      "-Xclang", "-no-enable-noundef-analysis", "-fno-strict-return",
      // What kernels read of fresh memory stays a read of it, for initcheck.
      "-fno-builtin-malloc",
      // As on the host, which lays out what both sides have; clang's says what the device's is.
      "-U__BIGGEST_ALIGNMENT__", "-D__BIGGEST_ALIGNMENT__=16", "-DCUDA_DOUBLE_MATH_FUNCTIONS",
      "-Wno-pass-failed"}; // that a loop was not unrolled says nothing here
  if (o.isLoaded)
    flags.push_back(std::string("-D") + LoadedCodeMacro);
  addFloatingPoint(flags, o);
  addDebugging(flags, o.isDebug);
  return flags;
}

uint32_t compileOptionsOf(const DeviceOptions &o) {
  return (o.isFastMath ? OptionFastMath : 0) | (o.flushes ? OptionFlushDenormals : 0) |
         (o.dividesExactly ? 0 : OptionApproxDivide) |
         (o.takesRootsExactly ? 0 : OptionApproxSqrt) | (o.contracts ? 0 : OptionNoContract);
}

std::vector<std::string> languageFlags(const std::string &root, const std::string &resources) {
  return {"-x", "cuda", "--cuda-path=" + root, "-nocudainc", "-nocudalib", "-Xclang",
          "-target-sdk-version=12.8", // how clang writes launches, whatever the macros say
          "-Wno-unknown-cuda-version", "-resource-dir=" + resources,
          // Warnings of what nvcc is said not to take, which it does: `#pragma unroll(4)`.
          "-Wno-cuda-compat", "-Qunused-arguments",
          // nvcc warns of what C++11 and C++17 have taken out: narrowing of what is no constant, a
          // macro's name right behind a literal, `register`. It takes `x.template f(y)` as
          // compilers long did.
          "-Wno-error=c++11-narrowing", "-Wno-error=reserved-user-defined-literal",
          "-Wno-error=register", "-Wno-missing-template-arg-list-after-template-kw",
          // g++ takes constants of floating point in templates.
          "-Wno-static-float-init", "-Wno-invalid-constexpr"}; // log(10.) is constant for g++
}

std::string clangArchitecture(unsigned number, const std::string &suffix) {
  constexpr unsigned Lowest = 90;
  if (number < Lowest)
    return "sm_" + std::to_string(Lowest);
  // LLVM wants PTX 9.0 for sm_110, and we ask for an older one (deviceFlags).
  unsigned forClang = number == 110 ? 103 : number;
  return "sm_" + std::to_string(forClang) + (suffix == "f" ? "" : suffix); // clang has no families
}

std::vector<std::string> architectureFlags(unsigned number, const std::string &clangName) {
  return {"--cuda-gpu-arch=" + clangName, "-U__CUDA_ARCH__",
          "-D__CUDA_ARCH__=" + std::to_string(number * 10)};
}

// By nvcc's documentation ("Preprocessor macros"); clang has some of them.
std::vector<std::string> versionMacros(const std::string &version, const std::string &build) {
  std::string major = version.substr(0, version.find('.'));
  std::string minor = version.substr(version.find('.') + 1);
  return {"-D__NVCC__",
          "-DHEDDLE_CUDA_VERSION=" + major,
          "-D__CUDACC_VER_MAJOR__=" + major,
          "-D__CUDACC_VER_MINOR__=" + minor,
          "-D__CUDACC_VER_BUILD__=" + build,
          "-D__CUDA_API_VER_MAJOR__=" + major,
          "-D__CUDA_API_VER_MINOR__=" + minor,
          "-D__NVCC_DIAG_PRAGMA_SUPPORT__=1", // frontend/cuda/pragmas.cpp
          "-D__HEDDLE__=1"};
}

} // namespace heddle
