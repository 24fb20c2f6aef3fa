// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/checks.h"

namespace heddle::check {

/// Memory of the program's that kernels may access, and that is none of the allocator's.
void addHostMemory(Bounds, bool isVariable);
void dropHostMemory(const void *base);

/// A call of the API ends, or one begins: host code is watched between them.
void watchHostCode();
void endHostCode(bool endsProgram = false);
/// Checker::touchedByHost.
device::HostTouch touchedByHost(const void *address, const void *code, bool isWrite);
/// Tells of races between host code and work of the device's.
void tellHostRaces();

} // namespace heddle::check
