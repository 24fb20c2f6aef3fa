// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle {

/// Changes whenever compiled code may change: a hash over the sources of the compiler and the
/// versions of LLVM and the ABI, made by the build. Part of every cache key.
const char *compilerVersion();

} // namespace heddle
