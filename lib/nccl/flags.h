// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags that gates wait for (gate.h): page-locked memory that is given back to a pool, never to
// the runtime, so that a host function may do so.
#pragma once

namespace heddle::nccl {

/// A flag that is 0; null if there is no memory.
int *takeFlag();
void giveFlagBack(int *flag);
/// Lets the stream behind the gate go on.
void openGate(int *flag);

} // namespace heddle::nccl
