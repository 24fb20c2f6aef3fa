// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"
#include "frontend/ptx/module/problems.h"

#include <cstdint>
#include <vector>

namespace heddle::frontend::ptx {

/// Makes a device image (base/image/module_image.h) of the text of a PTX module; a relocatable one
/// is to be linked. Empty where problems were noted. The image of a large text only has its index
/// (ImagePtx).
std::vector<uint8_t> readModule(llvm::StringRef text, bool isRelocatable, Problems &);

/// Makes the image of one kernel, of an index and its text.
std::vector<uint8_t> readKernel(const ImageView &index, llvm::StringRef text, llvm::StringRef name,
                                Problems &);

} // namespace heddle::frontend::ptx
