// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl/memory.h"

#include <algorithm>
#include <cstring>

namespace heddle::cl {

/// Repeats a pattern of 8 bytes or more, doubling what is there.
static CUresult repeat(CUdeviceptr at, const std::vector<char> &pattern, size_t size,
                       CUstream stream) {
  if (CUresult error =
          cu().cuMemcpyHtoDAsync_v2(at, pattern.data(), std::min(size, pattern.size()), stream))
    return error;
  for (size_t done = pattern.size(); done < size; done *= 2)
    if (CUresult error =
            cu().cuMemcpyDtoDAsync_v2(at + done, at, std::min(done, size - done), stream))
      return error;
  return CUDA_SUCCESS;
}

CUresult fillMemory(CUdeviceptr at, const std::vector<char> &pattern, size_t size,
                    CUstream stream) {
  switch (pattern.size()) {
  case 1:
    return cu().cuMemsetD8Async(at, static_cast<unsigned char>(pattern[0]), size, stream);
  case 2: {
    unsigned short value;
    std::memcpy(&value, pattern.data(), 2);
    return cu().cuMemsetD16Async(at, value, size / 2, stream);
  }
  case 4: {
    unsigned value;
    std::memcpy(&value, pattern.data(), 4);
    return cu().cuMemsetD32Async(at, value, size / 4, stream);
  }
  default:
    return repeat(at, pattern, size, stream);
  }
}

bool isPatternSize(size_t bytes) { return bytes && bytes <= 128 && !(bytes & (bytes - 1)); }

} // namespace heddle::cl
