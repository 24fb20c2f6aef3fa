// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::tool {

/// nvcc takes asm statements whose operands have no comma between them: asm("..." : "=r"(a)
/// "=r"(b)). Puts the commas in. Nothing if the source has no such statement.
std::optional<std::string> spellAsm(std::string_view source);

} // namespace heddle::tool
