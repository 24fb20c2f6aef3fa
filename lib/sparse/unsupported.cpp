// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of cusparse.def that are not done.
#include "support/unsupported.h"

#define HEDDLE_FUNCTION(group, name, state)                                                        \
  HEDDLE_LIBRARY_##state(name, 10) // CUSPARSE_STATUS_NOT_SUPPORTED
#include "sparse/cusparse.def"
