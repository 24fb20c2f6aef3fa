// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// Gives a loop that fills shared memory, waits, reads it and waits again two copies of it, which
/// take turns; the second wait goes. Doubles ThreadProgram::staticShared where it does.
///
///     loop:  store %tile             loop:  %half = phi [0], [bytes - %half]
///            barrier                        store %tile + %half
///            load %tile        ->           barrier
///            barrier                        load %tile + %half
void doubleBufferTiles(ThreadProgram &, const Options &);

} // namespace heddle::simt
