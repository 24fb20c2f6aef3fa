// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All types of the CUDA driver API, without its functions: their plain names are macros in cuda.h.
#ifndef HEDDLE_DRIVER_TYPES_H
#define HEDDLE_DRIVER_TYPES_H

#include "driver_context_types.h"
#include "driver_graph_types.h"

#endif
