// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU's window of shared memory: 32 bits, of the own block or of another of the cluster.
#pragma once

#include "devlib/devlib.h"

namespace heddle::devlib {

inline bool isOwnShared(const void *p) {
  u32 isOwn;
  asm("{\n.reg .pred q;\nisspacep.shared::cta q, %1;\nselp.u32 %0, 1, 0, q;\n}"
      : "=r"(isOwn)
      : "l"(p));
  return isOwn;
}

inline u32 windowOf(const void *p) {
  u64 address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(p));
  return (u32)address;
}

} // namespace heddle::devlib
