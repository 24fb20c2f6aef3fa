// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/streams/stream.h"

namespace heddle::driver {

/// What is queued in `stream` from now on comes behind all that was queued in the device so far.
void waitForAll(Stream &stream, Context &);
/// What is queued in the device from now on comes behind all that was queued in `stream` so far.
void holdAll(Context &, Stream &stream);

/// The queues that all others of the context are ordered with: the legacy one and the non-blocking.
void forEachOrder(Context &, const std::function<void(device::Queue *)> &);

} // namespace heddle::driver
