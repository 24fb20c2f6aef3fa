// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace heddle::driver {

/// The relocatable device images in an object file or in the members of an archive; of code for
/// several architectures that for a device of `capability` (90 for 9.0). Empty for a file of
/// another kind, and for one without such images.
Result<std::vector<std::string>> relocatableImages(const std::string &path, unsigned capability);

} // namespace heddle::driver
