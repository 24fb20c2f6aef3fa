// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats of texels as the driver API names them.
#pragma once

#include "driver_types.h"
#include "heddle/driver_types.h"

namespace heddle::driver {

/// Errors: CUDA_ERROR_INVALID_VALUE for what is no format; CUDA_ERROR_NOT_SUPPORTED, which it says,
/// for those of video.
CUresult channelFormat(CUarray_format, unsigned channels, cudaChannelFormatDesc &);

/// The other way round, for formats that arrays have.
CUarray_format arrayFormat(const cudaChannelFormatDesc &);

} // namespace heddle::driver
