// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a device image to what the driver of a GPU takes: PTX.
#pragma once

#include "driver/gpu/machine_library.h"

#include "base/image/module_image.h"

#include <string>
#include <vector>

namespace heddle::driver {

/// What is made of an image; HeddleGpuRequest (jit/jit.h) says more.
struct GpuCodeKind {
  bool usesHostVariables = false;
  std::string kernel = {}; ///< this one alone, for blocks of up to `threads`; empty: all
  unsigned threads = 0;
};

/// The PTX of an image for GPUs of this compute capability (90), ended by a zero, in a version that the
/// machine's driver takes; from the cache, or by libheddle_jit.so.
Result<std::vector<uint8_t>> gpuCode(const ImageView &, unsigned capability, const GpuCodeKind &);

/// The version of PTX, times 10, of our code for a driver of this CUDA version (12040); 0: it is too old.
unsigned ptxVersionFor(int cudaVersion);

/// That of the thread's current device, or of the first where it has none; 0: there is none.
unsigned gpuCapability();

/// Says why, and gives the error.
CUresult refused(const std::string &why, CUresult error);

bool isThere(const void *, size_t bytes);

/// The bytes of code in our own formats; 0: it is in another one.
size_t bytesOfOurs(const void *code);

/// Why code in no format of ours is not given to NVIDIA's driver, which reads headers as they are and
/// ends the process at what is no code. CUDA_SUCCESS: it looks like code.
CUresult problemOf(const void *code);

/// The bytes of the image in it for the current GPU; empty: there is none.
std::vector<uint8_t> chosenBytes(const void *code);

/// The PTX of code in our own formats.
Result<std::vector<uint8_t>> codeOf(const void *code, bool usesHostVariables = false);

/// A file's bytes, ended by zeros; empty if it is not in our own format.
std::vector<uint8_t> ourFile(const char *name);

} // namespace heddle::driver
