// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace heddle::jit {

/// PTX of an image that runs on a GPU, for `cpu` (sm_90a). `usesHostVariables`: managed variables are
/// pointers to the host's.
llvm::Expected<std::vector<uint8_t>> emitGpuCode(const ImageView &, llvm::StringRef cpu,
                                                 bool usesHostVariables);

} // namespace heddle::jit
