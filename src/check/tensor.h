// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"

namespace heddle::check {

/// Lanes are about to do a tensor copy each: `copies` are TensorCopy, `barriers` the addresses of the
/// mbarriers that are told of their end.
void atTensorCopy(Block *, uint32_t warp, uint32_t lanes, uint8_t *const *copies,
                  const uint64_t *barriers, const SyncSite *);

} // namespace heddle::check
