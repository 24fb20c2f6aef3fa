// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/pass_notes.h"

namespace heddle::simt {

/// On a load of the device library. Written by lower-device (of checked code), read by insert-checks
/// and prove-launches: of a texel. The library has made sure that it is there.
inline constexpr AccessMark TexelAccess{{"heddle.texel"}};

} // namespace heddle::simt
