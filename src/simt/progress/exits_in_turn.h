// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/simt.h"

namespace heddle::simt {

/// Makes what lanes store as they leave loops that poll, or loops around those, part of the turn in
/// which they leave. Wants polls to be marked (polls.h) and loops in simplified and closed form,
/// and leaves them so. True if anything was changed.
bool takeExitsIntoTurn(ThreadProgram &, const Options &);

} // namespace heddle::simt
