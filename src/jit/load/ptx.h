// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace heddle::jit {

/// PTX text of a whole image for `cpu` (sm_90a), by LLVM's NVPTX back end. With `.loc` lines if
/// `hasLines`.
llvm::Expected<std::vector<uint8_t>> emitPtx(const ImageView &image, llvm::StringRef cpu,
                                             bool hasLines);

} // namespace heddle::jit
