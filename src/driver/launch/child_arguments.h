// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of checked programs: memory in which device code stores the arguments of its launches
// (children/child_launch.cpp).
#pragma once

#include <cstddef>

namespace heddle::driver {

void noteArguments(const void *base, size_t bytes);
void forgetArguments(const void *base);
bool isInArguments(const void *address);

} // namespace heddle::driver
