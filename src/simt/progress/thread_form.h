// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// Whether the kernel's threads must go each by itself, at width 1, as they may on NVIDIA's GPUs
/// since Volta: lanes of one warp may wait for each other in loops that poll (thread_form.cpp), or
/// meet in warp operations at different instructions (meeting_lanes.h). It may count on
/// Options::objects and says so. Wants polls to be marked (polls.h).
bool needsThreads(ThreadProgram &, const Options &);

} // namespace heddle::simt
