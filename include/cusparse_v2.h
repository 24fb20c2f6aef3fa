// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name that cuSPARSE's header had beside the first interface.
#ifndef HEDDLE_CUSPARSE_V2_H
#define HEDDLE_CUSPARSE_V2_H
#include "cusparse.h"
#endif
