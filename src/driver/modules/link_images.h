// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"
#include "base/result.h"

#include <cstdint>
#include <vector>

namespace heddle::driver {

/// The bytes of a file. The failure says which.
Result<std::vector<uint8_t>> readFile(const std::string &path);

/// Links relocatable images of one executable or shared library. The result comes from the cache on
/// disk if the same ones were linked before.
Result<std::vector<uint8_t>> linkImages(const std::vector<ImageView> &);

} // namespace heddle::driver
