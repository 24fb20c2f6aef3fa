// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/module/problems.h"

#include <cstdint>
#include <vector>

namespace heddle::frontend::ptx {

/// Makes a device image (base/image/module_image.h) of the text of a PTX module; a relocatable one
/// is to be linked. Empty where problems were noted.
std::vector<uint8_t> readModule(llvm::StringRef text, bool isRelocatable, Problems &);

} // namespace heddle::frontend::ptx
