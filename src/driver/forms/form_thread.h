// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>

namespace heddle::driver {

/// Has `work` done by the one thread that has forms compiled and begins their trials, in the order
/// of the calls. What is left when the program ends is not done; nor is anything where the system
/// has no thread left.
void doInBackground(std::function<void()> work);

} // namespace heddle::driver
