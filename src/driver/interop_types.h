// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of EGL 1.5 and VDPAU 1.5, and what the driver and runtime APIs have for them. The functions
// are not supported, so that no header of EGL or VDPAU is needed, and any CUDA's goes with this one.
#pragma once

#include <cstdint>

using EGLint = int32_t;
using EGLImageKHR = void *;
using EGLStreamKHR = void *;
using EGLSyncKHR = void *;
using VdpDevice = uint32_t;
using VdpVideoSurface = uint32_t;
using VdpOutputSurface = uint32_t;
using VdpGetProcAddress = int(VdpDevice device, uint32_t function, void **pointer);

using CUeglStreamConnection = struct CUeglStreamConnection_st *;
struct CUeglFrame {
  union {
    struct CUarray_st *pArray[3];
    void *pPitch[3];
  } frame;
  unsigned width, height, depth, pitch, planeCount, numChannels;
  int frameType, eglColorFormat;
  int cuFormat;
};
