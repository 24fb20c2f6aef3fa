// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/engine/worker.h"

namespace heddle::device::cpu {

/// For the handler of faults: lets an access a little beside an allocation pass, and notes it for
/// the report. False if it is none. `worker`: of the kernel, null if host code
/// did it.
bool passOverrun(Worker *worker, const FaultRecord &);
/// They pass unsaid from now on, in a process that is made to find a thread (replay.cpp).
void silenceOverruns();

} // namespace heddle::device::cpu
