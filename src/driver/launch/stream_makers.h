// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace heddle::driver {

/// Tells racecheck of streams (device::noteStreams) as soon as the program may come to make one that
/// the default stream does not wait for: what runs before that is made may run beside its work.
void lookForStreamMakers();
/// Makes such streams; the driver's or the runtime's function.
bool makesStreams(std::string_view function);

} // namespace heddle::driver
