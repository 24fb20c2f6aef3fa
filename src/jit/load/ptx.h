// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace heddle::jit {

/// PTX text of a whole image for compute capability `sm` (90 for 9.0), by LLVM's NVPTX back end.
llvm::Expected<std::vector<uint8_t>> emitPtx(const ImageView &image, uint32_t sm);

} // namespace heddle::jit
