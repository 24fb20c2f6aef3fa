// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"
#include "model/kernel.h"

#include <span>

namespace heddle::model {

/// A kernel as bytes that travel in a compiled object. Of one build: the cache's key has the compiler's
/// version.
std::vector<uint8_t> bytesOf(const KernelCode &);
/// Fails where the bytes are no kernel of this build.
Result<KernelCode> codeOf(std::span<const uint8_t> bytes);

} // namespace heddle::model
