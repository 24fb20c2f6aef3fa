// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a factor or a triangular system had no pivot: written by work in the stream, asked for by
// the caller.
#pragma once

#include "sparse/handle.h"

#include <memory>

namespace heddle::sparse {

struct ZeroPivot {
  /// The row with the index base, or -1.
  std::shared_ptr<int> position = std::make_shared<int>(-1);
};

/// Waits for the work before, and tells the position where the handle's pointers are. The status is
/// that of a zero pivot if there was one.
inline cusparseStatus_t tellZeroPivot(cusparseHandle_t handle, const ZeroPivot *info,
                                      int *position) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(info && position, INVALID_VALUE);
  cusparseStatus_t status =
      inStreamAndWait(handle, [position, from = info->position] { *position = *from; });
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  return *info->position < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

} // namespace heddle::sparse
