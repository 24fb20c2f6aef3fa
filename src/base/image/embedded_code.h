// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/image_bundle.h"

#include <optional>
#include <string_view>
#include <vector>

namespace heddle {

struct EmbeddedCode {
  std::vector<uint8_t> bytes; ///< of the image, or of the bundle that it is of
  ImageView image;
};

/// The device code to be linked for a device of this compute capability in an object or archive of the
/// host's linker; of a library that has none, as that of CUDA's own device functions, nothing. No value:
/// the file is neither.
std::optional<std::vector<EmbeddedCode>> findEmbeddedCode(std::string_view file,
                                                          uint32_t capability);

} // namespace heddle
