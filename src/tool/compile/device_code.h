// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/fat_binary.h"
#include "base/image/image_bundle.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// A device image in a file, and what it was asked for as.
struct FoundImage {
  std::string bytes;
  std::vector<BundleEntry> names; ///< none: it serves every device
  std::string ptx = {};           ///< what it was read from, where that is known
  ImageView view() const;
  unsigned number() const { return view().header().sm; }
};

/// All device images in a file of whatever kind: a program, a library, an object, an archive, a fatbinary,
/// a cubin. Each once.
std::vector<FoundImage> imagesIn(std::string_view file);

/// The PTX in a file that is a text of it, or into which NVIDIA's tools have put fat binaries.
std::vector<PtxText> ptxIn(const std::string &file);

/// All images in a file, and those that its PTX becomes.
Result<std::vector<FoundImage>> deviceCodeIn(const std::string &file);

} // namespace heddle::tool
