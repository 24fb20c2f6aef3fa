// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace heddle::jit {

/// What the code is for. HeddleGpuRequest (jit.h) says more.
struct GpuTarget {
  llvm::StringRef cpu; ///< sm_90a
  unsigned ptx = 0;    ///< the version of PTX, times 10; 0: the usual one
  bool usesHostVariables = false;
  const char *kernel = nullptr; ///< this one alone, for blocks of `threads`
  unsigned threads = 0;
};

/// PTX of an image that runs on a GPU.
llvm::Expected<std::vector<uint8_t>> emitGpuCode(const ImageView &, const GpuTarget &);

} // namespace heddle::jit
