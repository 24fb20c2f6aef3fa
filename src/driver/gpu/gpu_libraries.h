// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/gpu/gpu_again.h"

namespace heddle::driver {

/// The image of a library that came with host code, linked if it is relocatable, and the machine's library
/// of it, whose pointers are set in the current context.
Result<OriginalCode> codeOfLibrary(CUlibrary);

/// Put into `table`, a copy of the machine's, what our device images need: libraries and modules made of
/// their PTX.
void interceptLibraries(Table &table);
void interceptModules(Table &table);

} // namespace heddle::driver
