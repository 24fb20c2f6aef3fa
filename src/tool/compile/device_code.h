// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/image_bundle.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// A device image in a file, and what it was asked for as.
struct FoundImage {
  std::string bytes;
  std::vector<BundleEntry> names; ///< none: it serves every device
  ImageView view() const;
  unsigned number() const { return view().header().sm; }
};

/// All device images in a file of whatever kind: a program, a library, an object, an archive, a fatbinary,
/// a cubin. Each once.
std::vector<FoundImage> imagesIn(std::string_view file);

} // namespace heddle::tool
