// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/kernel_abi.h"
#include "device/device.h"

namespace heddle::driver {

/// Starts the checks that HEDDLE_CHECK asks for (src/check), and tells at the program's end what
/// they found.
void startChecks(size_t devices);

struct Function;
/// The function itself, or, where this launch is not to be checked (--kernel-regex, --launch-skip,
/// --launch-count), the one whose code is plain.
Function &functionToRun(Function &);
/// The same in plain code, where code is counted.
Function &uncounted(Function &);
/// What a launch need not be looked at for. `request` has the code of functionToRun.
struct LessChecked {
  Function *all = nullptr;  ///< what runs in its place; null: the function itself
  Function *rest = nullptr; ///< what runs once a block has shown nothing in shared memory; or null
  device::BlockBox restBlocks{};
};
LessChecked lessChecked(Function &, const device::LaunchRequest &request);
/// Goes on in another form's code, if it can follow that of the request in one launch.
void takeRest(device::LaunchRequest &request, const device::KernelInfo &rest);

} // namespace heddle::driver
