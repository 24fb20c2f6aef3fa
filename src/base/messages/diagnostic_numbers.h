// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// What the options -diag-error, -diag-suppress and -diag-warn of nvcc and NVRTC ask for.
enum class Severity { Error, Suppressed, Warning };

/// Adds clang's flags for numbers with commas between: "177,550". One that clang has nothing of has
/// no effect. False: this is no list of numbers.
bool addDiagnosticFlags(std::vector<std::string> &flags, Severity, std::string_view numbers);

/// Clang's warnings that tell of what a number does; none where it has nothing of it.
std::vector<std::string_view> warningsOfNumber(unsigned number);

/// The number of clang's warning ("unused-variable"), or 0.
unsigned numberOfWarning(std::string_view warning);

} // namespace heddle
