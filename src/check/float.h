// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"

namespace heddle::check {

/// CheckServices::badNumbers.
void reportNumbers(Block *, uint32_t warp, uint32_t lanes, uint32_t which, uint32_t step,
                   uint32_t period, const double *values, const FloatSite *);

} // namespace heddle::check
