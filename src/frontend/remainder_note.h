// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

namespace heddle::frontend {

/// The module's list of the places of remainders by a variable (plugin/mark_remainders.cpp).
inline constexpr llvm::StringLiteral RemaindersNote = "heddle.remainders";

} // namespace heddle::frontend
