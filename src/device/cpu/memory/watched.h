// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"

#include <csignal>
#include <vector>

namespace heddle::device::cpu {

/// From now on accesses of the calling thread's to these pages are told of (Checker::touchedByHost),
/// until a system call or unwatch. Nothing else may access them meanwhile, but for our own threads, of
/// which the first access ends it. False: this machine or system has no way to do so.
bool watch(const std::vector<Bounds> &pages);
/// All pages are accessible.
void unwatch();
/// For the handler of faults. True: the access may go on.
bool isOfWatched(const siginfo_t *, void *context, bool isWrite, const void *code);
/// Only threads of ours, and those that wait without a limit, run beside the calling one.
bool isOnlyThread();

} // namespace heddle::device::cpu
