// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"
#include "device/device.h"
#include "heddle/driver_api_types.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct HeddleCompileRequest;
struct HeddleGpuRequest;
struct HeddlePtxText;

namespace heddle::driver {

// libheddle_jit.so, opened when it is first needed: LLVM comes with it. It is looked for in
// HEDDLE_JIT_LIBRARY, beside this library or program, in ../lib and ../../lib from there, in the
// toolkit folder that `heddle cc` noted in the program, and then where dlopen looks.

/// Whether a call of jitCompile or jitLink has found that there is no compiler.
bool isCompilerMissing();
/// The program ends, and nothing is compiled any more.
bool isCompilerClosed();
/// This thread ends the program: waits until no other one compiles, and lets none begin.
void endCompilingForOthers();
/// Where it lies; empty if it is not found. Does not load it.
std::string compilerPath();
/// Where `heddle-form` lies (base/cache/form_request.h); empty if it is not found.
std::string formProgram();
/// `isLibraryMissing` is set if it failed because the system lacks a library that the kernel needs.
Result<std::vector<uint8_t>> jitCompile(const HeddleCompileRequest &request,
                                        bool &isLibraryMissing);
Result<std::vector<uint8_t>> jitLink(std::span<const std::span<const uint8_t>> images);
/// An image of PTX. `error` says what a program that loads it gets.
Result<std::vector<uint8_t>> jitReadPtx(const HeddlePtxText &text, bool isRelocatable,
                                        CUresult &error);
/// That of one kernel, whose text's index (ImagePtx) this is.
Result<std::vector<uint8_t>> jitReadPtxKernel(std::span<const uint8_t> index, const char *kernel,
                                              CUresult &error);
/// PTX of an image for a GPU.
Result<std::vector<uint8_t>> jitEmitGpu(const HeddleGpuRequest &);
/// For device::setSymbolizer.
bool jitSymbolize(const char *objectPath, uint64_t offset, device::SourcePosition &position);
/// heddleJitSymbolizeHost: four words for each function. Empty if nothing is known.
std::vector<std::string> jitSymbolizeHost(const char *path, uint64_t offset);

} // namespace heddle::driver
