// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// Two rounds of a loop over tiles wait once, where the sums of a round's products are more than
/// stay in registers from barrier to barrier. Where it does, ThreadProgram::staticShared is four
/// times as much: each round of a turn has tiles of its own, and turns alternate. True if it did.
///
///     loop: store %tile; barrier        loop: store %tile; store %tile + %bytes; barrier
///           %sum += load %tile     ->         %sum += load %tile
///                                             %sum += load %tile + %bytes
bool unrollTileLoops(ThreadProgram &, const Options &);

} // namespace heddle::simt
