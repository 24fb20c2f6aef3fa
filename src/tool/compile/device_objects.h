// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// The relocatable device images in an object file or in the members of an archive; of code for
/// several architectures that for a device of `capability` (90 for 9.0). Empty for a file of
/// another kind, and for one without such images.
Result<std::vector<std::string>> relocatableImages(const std::string &path, unsigned capability);
/// The same of a file's contents, which a zero follows.
Result<std::vector<std::string>> relocatableImagesIn(const std::string &file, unsigned capability);

/// How the symbol begins that each object with relocatable device code defines; 16 digits follow.
inline constexpr std::string_view UnitPrefix = "__heddle_unit_";

/// The symbols of that kind in an archive; none for other files.
std::vector<std::string> unitsOfArchive(const std::string &path);

} // namespace heddle::tool
