// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/compile/compile.h"
#include "tool/tools/timing.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle::tool {

/// The device half of one source for one architecture.
struct DeviceImage {
  Architecture arch;
  std::string bytes;
};

struct DeviceHalf {
  int code = 0;                    ///< 0, or ExitCompile
  std::vector<std::string> errors; ///< diagnostics, a text for each compilation
  std::vector<DeviceImage>
      images; ///< in the order of Settings::architectures; equal where the source is
};

/// `what` is "-E" to preprocess, "-c" for bitcode; both on standard output.
using DeviceCommand = std::function<Command(const Architecture &, const char *what)>;

/// Compiles the device half for all architectures, and packs the images.
DeviceHalf compileDevice(const Settings &, const Unit &, const DeviceCommand &, Timer &);

/// What a host object embeds and -fatbin writes: the image, or a bundle of them if the command line
/// names architectures.
std::string deviceCode(const Settings &, const std::vector<DeviceImage> &);

} // namespace heddle::tool
