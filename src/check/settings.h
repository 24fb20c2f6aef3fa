// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/check_options.h"

namespace heddle::check {

/// What HEDDLE_CHECK and HEDDLE_CHECK_OPTIONS ask for, read once. Words that are not understood are
/// told on stderr, and nothing is checked.
const CheckOptions &settings();

} // namespace heddle::check
