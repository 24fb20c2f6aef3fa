// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/modules/module.h"

#include <optional>

namespace heddle::driver {

/// The largest block that the kernel can run in: the device's limit, __launch_bounds__, and
/// registers.
int maxThreadsPerBlock(Function &, Context &);

/// Bytes of dynamic shared memory that a launch may ask for.
int maxDynamicShared(Function &, Context &);

/// What cudaFuncGetAttributes tells.
void fillAttributes(Function &, Context &, cudaFuncAttributes &);
/// cudaFuncSetAttribute.
CUresult setAttribute(Function &, Context &, cudaFuncAttribute, int value);

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
CUresult checkLaunch(Function &, Context &, const LaunchShape &);
/// Of a launch that runs checked code: who asks for it.
void noteOrigin(device::LaunchRequest &);
/// Makes the launch of a kernel: CUDA's checks, and the code for it. `packed` are the parameters as
/// the kernel reads them; the request refers to them. The time that it takes to compile the code
/// does not count in the stream that waits for the launch, if one is given.
CUresult makeLaunch(Function &, Context &, const LaunchShape &, uint8_t *packed,
                    device::LaunchRequest &, Stream *waiting = nullptr);

/// The arguments of a launch: one by one, or all as the kernel reads them (CU_LAUNCH_PARAM_*).
struct Arguments {
  void **each = nullptr;
  void **extra = nullptr;
};
/// Lays them out as the kernel reads them. Error: CUDA_ERROR_INVALID_VALUE, where one is missing, or
/// there are both.
CUresult packParams(Function &, const Arguments &, uint8_t *packed);
inline CUresult packParams(Function &function, void **each, uint8_t *packed) {
  return packParams(function, Arguments{each}, packed);
}

/// A launch of a kernel by its handle, in a stream of the current context.
CUresult launch(CUfunction, const LaunchShape &, CUstream, const Arguments &);

} // namespace heddle::driver
