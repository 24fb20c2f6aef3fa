// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang is told of the device half, whether heddle-clang compiles it for nvcc or
// libheddle_compiler.so for NVRTC: the same source and options give the same code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Options of a compilation that decide code.
struct DeviceOptions {
  bool isDebug = false;     ///< -G
  bool isFastMath = false;  ///< -use_fast_math
  bool isFastFloat = false; ///< -ffast-math, with isFastMath
  bool isAnyOrder = false;  ///< -fassociative-math
  bool flushes = false;     ///< -ftz
  bool dividesExactly = true, takesRootsExactly = true, contracts = true;
  bool isLoaded = false; ///< programs load it, and name what is in it: NVRTC, -fatbin, -cubin, -ptx
};

/// Macro of the device half if DeviceOptions::isLoaded.
inline constexpr char LoadedCodeMacro[] = "__HEDDLE_LOADED_CODE__";

/// Flags of clang's driver for the device half.
std::vector<std::string> deviceFlags(const DeviceOptions &);

/// What the image says of its code (base/image/module_image.h, CompileOptions).
uint32_t compileOptionsOf(const DeviceOptions &);

/// For both halves. `root` is the toolkit's folder, `resources` clang's.
std::vector<std::string> languageFlags(const std::string &root, const std::string &resources);

/// What clang is told for compute capability 9.0 (90) with the suffix of sm_90a. Its builtins ask for a
/// recent GPU, so it is at least sm_90, whatever __CUDA_ARCH__ says.
std::string clangArchitecture(unsigned number, const std::string &suffix);

/// The compute capability (90) and clang's name of it.
std::vector<std::string> architectureFlags(unsigned number, const std::string &clangName);

/// nvcc's macros for "12.8" and its build number.
std::vector<std::string> versionMacros(const std::string &version, const std::string &build);

} // namespace heddle
