// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/children.h"

namespace heddle::device {

/// What setAllocationFinder and setSymbolizer gave; false if they gave nothing or it knows nothing.
bool findAllocation(const void *address, AllocationInfo &);
/// From now on a forked process knows that it is one (isForkedCopy).
void noteForks();
/// What setDeviceCallHandler gave.
uint32_t answerDeviceCall(const DeviceCaller &, uint32_t function, void *call);
bool symbolize(const char *objectPath, uint64_t offset, SourcePosition &);

} // namespace heddle::device
