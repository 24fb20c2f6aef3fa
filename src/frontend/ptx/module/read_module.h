// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"
#include "frontend/ptx/module/problems.h"

#include <cstdint>
#include <vector>

namespace heddle::frontend::ptx {

struct ReadOptions {
  bool isRelocatable = false;   ///< the image is to be linked
  uint32_t maxRegisters = 0;    ///< of kernels that say nothing of it; 0: no limit
  bool isDebug = false;         ///< as -G: unoptimised
  uint32_t maxThreads = 0;      ///< of a block, for kernels that say nothing of it; 0: nothing
  uint32_t minBlocks = 0;       ///< on a multiprocessor, likewise
  bool overrides = false;       ///< these numbers hold for kernels that have directives, too
  size_t mostAtOnce = 64 << 10; ///< bytes of a text that is read as a whole, with all its errors

  uint32_t imageFlags() const {
    return (isRelocatable ? uint32_t(ImageRelocatable) : 0) | (isDebug ? uint32_t(ImageDebug) : 0);
  }
};

/// Makes a device image (base/image/module_image.h) of the text of a PTX module. Empty where
/// problems were noted. The image of a large text only has its index (ImagePtx).
std::vector<uint8_t> readModule(llvm::StringRef text, const ReadOptions &, Problems &);

/// Makes the image of one kernel, of an index and its text.
std::vector<uint8_t> readKernel(const ImageView &index, llvm::StringRef text, llvm::StringRef name,
                                Problems &);

} // namespace heddle::frontend::ptx
