// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"

namespace heddle::check {

// CheckServices, where races are looked for.

void raceOfRun(Block *, uint32_t warp, uint32_t lanes, const AccessSite *, uint8_t *first,
               int64_t stride, uint64_t length, const void *values);
void raceOfEach(Block *, uint32_t warp, uint32_t lanes, const AccessSite *,
                uint8_t *const *pointers, uint64_t length, const void *values);
void orderThreads(Block *, uint32_t warp, uint32_t lanes, OrderEvent, uint32_t detail,
                  const void *more);

} // namespace heddle::check
