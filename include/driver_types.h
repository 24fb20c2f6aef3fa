// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of the runtime API of CUDA 12.8 or 13.0. Valid in C and in C++.
#ifndef __DRIVER_TYPES_H__
#define __DRIVER_TYPES_H__

#include "device_types.h"
#include "host_defines.h"
#include "library_types.h"
#include "vector_types.h"

#include "heddle/error_types.h"

#include "heddle/device_types.h"
#include "heddle/memory_types.h"

#include "heddle/launch_types.h"

#include "heddle/external_types.h"
#include "heddle/graph_types.h"

#include "surface_types.h"
#include "texture_types.h"

#endif
