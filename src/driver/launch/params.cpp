// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of a launch, as programs give them.
#include "driver/launch/launch.h"

#include <cstring>

namespace heddle::driver {

namespace {

/// What CU_LAUNCH_PARAM_BUFFER_POINTER and CU_LAUNCH_PARAM_BUFFER_SIZE say.
struct Buffer {
  const uint8_t *data = nullptr;
  size_t bytes = 0;
};

CUresult readExtra(void **extra, Buffer &buffer) {
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer.data = static_cast<const uint8_t *>(extra[1]);
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
      buffer.bytes = *static_cast<const size_t *>(extra[1]);
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult packBuffer(std::span<const ImageParam> params, void **extra, uint8_t *packed) {
  Buffer buffer;
  if (CUresult error = readExtra(extra, buffer))
    return error;
  for (const ImageParam &param : params) {
    if (!buffer.data || buffer.bytes < size_t(param.offset) + param.size)
      return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(packed + param.offset, buffer.data + param.offset, param.size);
  }
  return CUDA_SUCCESS;
}

} // namespace

CUresult packParams(Function &function, const Arguments &arguments, uint8_t *packed) {
  std::span<const ImageParam> params = function.image.params(*function.kernel);
  if (arguments.extra)
    return arguments.each ? CUDA_ERROR_INVALID_VALUE : packBuffer(params, arguments.extra, packed);
  if (!arguments.each && !params.empty())
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < params.size(); ++i) {
    if (!arguments.each[i])
      return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(packed + params[i].offset, arguments.each[i], params[i].size);
  }
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
