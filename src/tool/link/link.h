// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/settings.h"

#include <string>
#include <vector>

namespace heddle::tool {

/// Links objects, archives and -l options, in their order, with our runtime. Returns the exit code.
int linkProgram(const Settings &, const std::vector<std::string> &inputs,
                const std::string &output);

/// Puts objects into a static library.
int makeLibrary(const Settings &, const std::vector<std::string> &inputs,
                const std::string &output);

/// -dlink: checks that the device code of the inputs fits together, and writes an object that only
/// makes the linker take the archives' members, for the runtime links device code.
int linkDevice(const Settings &, const std::vector<std::string> &inputs, const std::string &output);

/// Links the relocatable device code of objects and archives for a compute capability to see that
/// it fits together; the result is not kept. Returns the exit code, after a message.
int checkDeviceCode(const Toolchain &, const std::vector<std::string> &paths, unsigned capability);

/// "-L<our libraries>" as it stands on the link line.
std::string libraryFlag(const Settings &);

/// What our runtime was built with, so that a program needs its library.
Command sanitizerFlags();

} // namespace heddle::tool
