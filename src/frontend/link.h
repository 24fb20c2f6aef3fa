// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace heddle::frontend {

/// Links relocatable images into one that is not. Where their options differ the stricter one
/// holds: an approximation is used only if all images ask for it. Fails with one line for each
/// undefined or doubly defined symbol, in nvlink's words.
llvm::Expected<std::vector<uint8_t>> linkImages(llvm::ArrayRef<ImageView> images);

} // namespace heddle::frontend
