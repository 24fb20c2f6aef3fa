// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"

#include <span>
#include <string>

namespace heddle {

/// What each kernel of a device image uses, line for line as ptxas prints it, for each compute
/// capability (90), with a warning where -maxrregcount is less than ptxas takes. Registers are an
/// estimate; those above the limit are spilled. `suffix`: "a" of sm_90a.
std::string resourceReport(const ImageView &, std::span<const unsigned> capabilities,
                           uint32_t maxRegisters, std::string_view suffix = "");

/// The same as `cuobjdump -res-usage` prints it for one compute capability; of one kernel if `only` names it.
std::string resourceUsage(const ImageView &, unsigned capability, std::string_view only);

} // namespace heddle
