// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats of texels.
#pragma once

#include "driver_types.h"

#include <cstdint>

namespace heddle::driver {

/// One, two or four channels of the same 8, 16 or 32 bits; floats have 16 or 32, normalized formats
/// as many and as wide ones as their names say.
bool isValidFormat(const cudaChannelFormatDesc &);

/// cudaChannelFormatKindUnsignedNormalized8X1 and its like: read as floats always.
bool isNormalizedFormat(const cudaChannelFormatDesc &);
bool isSignedFormat(const cudaChannelFormatDesc &);

/// "BC1" to "BC7" for a block-compressed format; else null.
const char *compressionOf(const cudaChannelFormatDesc &);

uint32_t channelsOf(const cudaChannelFormatDesc &);
size_t texelBytes(const cudaChannelFormatDesc &);

/// The format of a view's texels; false for compressed ones and what is no format.
bool formatOfView(cudaResourceViewFormat, cudaChannelFormatDesc &);

} // namespace heddle::driver
