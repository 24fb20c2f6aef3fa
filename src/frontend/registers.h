// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/register_counts.h"

#include "llvm/IR/Function.h"

#include <array>

namespace heddle::frontend {

/// By generation (base/image/register_counts.h).
using RegisterCounts = std::array<uint8_t, RegisterGenerations>;

/// An estimate of the 32-bit registers per thread that ptxas would give `kernel` if it could have
/// 255. See the top of registers.cpp for what it counts.
RegisterCounts estimateRegisters(const llvm::Function &kernel);

} // namespace heddle::frontend
