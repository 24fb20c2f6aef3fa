// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What textures are made of: the runtime's descriptions as the driver has them, and back.
#pragma once

#include "runtime/memory/array_format.h"

namespace heddle::runtime {

/// Error: CUresult(cudaErrorInvalidChannelDescriptor).
CUresult readResource(const cudaResourceDesc &, CUDA_RESOURCE_DESC &);
cudaResourceDesc resourceOf(const CUDA_RESOURCE_DESC &);

/// The format of a resource's texels. Errors: CUDA_ERROR_INVALID_HANDLE for what is no array,
/// CUDA_ERROR_INVALID_VALUE for what is no resource.
CUresult formatOf(const CUDA_RESOURCE_DESC &, CUarray_format &);

/// Whether texels of a format can be read and filtered so. The runtime has a code for each that
/// cannot: CUresult(cudaErrorInvalidNormSetting), CUresult(cudaErrorInvalidFilterSetting).
CUresult checkReading(CUarray_format, const cudaTextureDesc &);

CUDA_TEXTURE_DESC settingsOf(const cudaTextureDesc &);
/// The inverse, for texels of that format.
cudaTextureDesc settingsOf(const CUDA_TEXTURE_DESC &, CUarray_format);

} // namespace heddle::runtime
