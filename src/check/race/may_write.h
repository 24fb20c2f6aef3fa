// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads of shared memory behind which data decides whether the thread writes there, too
// (OrderMayWrite). In one block they stand for what other blocks may do: they are recorded as writes.
// If one meets an access that it would race with as a write only, nothing is told, and the block does
// not stand for others.
#pragma once

#include "base/abi/check_abi.h"

namespace heddle::check {

/// The write that a read counts as. The same for the same site.
const AccessSite *writeOf(const AccessSite *read);
/// It is such a write.
inline bool isRead(const AccessSite &site) {
  return site.kind == AccessKind::Read || site.order & OrderMayWrite;
}
/// What is in the source.
const AccessSite *inSource(const AccessSite *);

} // namespace heddle::check
