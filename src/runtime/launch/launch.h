// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/modules/module.h"

#include <optional>

namespace heddle::runtime {

/// The largest block that the kernel can run in: the device's limit, __launch_bounds__, and
/// registers.
int maxThreadsPerBlock(Function &, Device &);

/// Bytes of dynamic shared memory that a launch may ask for.
int maxDynamicShared(Function &, Device &);

/// What cudaFuncGetAttributes tells.
void fillAttributes(Function &, Device &, cudaFuncAttributes &);

/// What stands in <<<...>>>, but for the stream.
struct LaunchShape {
  dim3 grid, block;
  size_t shared = 0;
  bool cooperative = false;
  std::optional<dim3> cluster = {};
  bool isUpdatable =
      false; ///< kernels may change the parameters: code that counts on nothing of them
};

inline constexpr size_t MaxParamBytes = 32764; ///< CUDA 12.1 on, sm_70 on

/// CUDA's checks of the shape and of what a block needs.
cudaError_t checkLaunch(Function &, Device &, const LaunchShape &);
/// Makes the launch of a kernel: CUDA's checks, and the code for it. `packed` are the parameters as
/// the kernel reads them; the request refers to them.
cudaError_t makeLaunch(Function &, Device &, const LaunchShape &, uint8_t *packed,
                       device::LaunchRequest &);

/// Lays the arguments of a launch out as the kernel reads them. Error: cudaErrorInvalidValue, where
/// one is missing.
cudaError_t packParams(Function &, void **args, uint8_t *packed);

/// Runs `body(function, device)` inside enter() for the kernel of a host stub on the current
/// device.
template <typename F> cudaError_t withFunction(const void *stub, F &&body) {
  return enter([&]() -> cudaError_t {
    Function *function;
    Device &device = currentDevice();
    if (cudaError_t error = findFunction(stub, device, function))
      return error;
    return body(*function, device);
  });
}

} // namespace heddle::runtime
