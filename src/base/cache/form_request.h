// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program sends to `heddle-form LIBRARY`, which compiles another form of one of its kernels
// (driver/forms/form_process.h): on standard input this head, then the kernel's name, the CPU's,
// the numbers of HeddleCompileRequest::objects, and the image. What comes back on standard output
// is the shared object, then FormReplyTail, so that half of one is known; after a failure there is
// nothing.
#pragma once

#include <cstdint>

namespace heddle {

inline constexpr uint32_t FormRequestVersion = 2;

struct FormRequest {
  uint32_t version;
  uint32_t width;
  uint32_t blockDim[3];
  uint32_t hasLongObjects;
  uint32_t nameBytes, cpuBytes; ///< 0 bytes: this machine's
  uint32_t objects;             ///< how many numbers; NoObjects: nothing is known of any
  uint32_t mode;                ///< Mode
  uint64_t imageBytes;

  static constexpr uint32_t NoObjects = UINT32_MAX;
};

struct FormReplyTail {
  static constexpr uint64_t End = 0x6d726f6620656874;

  uint64_t processorTime; ///< ns, of the compilation
  uint64_t end = End;
};

} // namespace heddle
