// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/fat_binary.h"
#include "driver/modules/library.h"

namespace heddle::driver {

/// Makes an image of PTX, of the text for the current device: all that is given PTX comes here,
/// whether to be loaded as a module or library or to be linked, which needs a relocatable image.
CUresult readPtx(std::span<const PtxText> texts, bool isRelocatable, Loading &,
                 std::vector<uint8_t> &image);

/// The image of one kernel of a module whose image is an index (ImagePtx). `error` says what who uses
/// the kernel gets.
Result<std::vector<uint8_t>> readPtxKernel(const ImageView &index, const char *kernel,
                                           CUresult &error);

} // namespace heddle::driver
