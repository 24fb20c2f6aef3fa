// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"
#include "check/finding.h"

namespace heddle {
struct Launch;
}

namespace heddle::check {

/// "global write of 4 bytes".
std::string describeAccess(const AccessSite &, uint64_t length);
std::vector<Frame> framesOf(const AccessSite &);
std::string hexadecimal(const void *);
/// The thread of a finding, by its number in the block.
void placeFinding(Finding &, const Launch &, const uint32_t (&block)[3], uint32_t thread);
/// Kernel, place and thread of a finding in device code: a lane of a warp.
void placeFinding(Finding &, const Block *, uint32_t warp, uint32_t lane, const AccessSite &);

} // namespace heddle::check
