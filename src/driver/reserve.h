// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace heddle::driver {

/// Memory for a call that is under way when the process has none left, so that it comes to its end;
/// null when that is used up. `align`: a power of two.
void *takeReserve(size_t bytes, size_t align);
bool isOfReserve(const void *);
/// The reserve has been touched, and the process has no memory yet: who needs some is refused.
bool isMemoryShort();

} // namespace heddle::driver
