// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares every function of runtime.def, those too that no header for programs has. state.h
// includes it: so where a function is defined, the compiler compares the definition with the table,
// and the headers' prototypes with both.
#pragma once

#include "driver/interop_types.h"

#include "cuda_gl_interop.h"
#include "cuda_profiler_api.h"
#include "cuda_runtime_api.h"

#include <cstdint>

namespace heddle::runtime {
struct OldSignalParams; ///< of CUDA 10, in external.cpp
struct OldWaitParams;

/// The structures that CUDA 13 laid out anew.
namespace cuda13 {
#pragma push_macro("HEDDLE_CUDA_VERSION")
#undef HEDDLE_CUDA_VERSION
#define HEDDLE_CUDA_VERSION 13
#include "heddle/device_properties.inc"
#include "heddle/resource_description.inc"
enum cudaGraphChildGraphNodeOwnership {};
#include "heddle/graph_node_params.inc"
#pragma pop_macro("HEDDLE_CUDA_VERSION")
} // namespace cuda13
} // namespace heddle::runtime

// Types of parameters of functions that are not supported: the runtime API, "EGL Interoperability".
using cudaEglStreamConnection = CUeglStreamConnection;
struct cudaEglPlaneDesc {
  unsigned width, height, depth, pitch, numChannels;
  cudaChannelFormatDesc channelDesc;
  unsigned reserved[4];
};
struct cudaEglFrame {
  union {
    cudaArray_t pArray[3];
    cudaPitchedPtr pPitch[3];
  } frame;
  cudaEglPlaneDesc planeDesc[3];
  unsigned planeCount;
  int frameType, eglColorFormat;
};

#define HEDDLE_PROTOTYPE_None(returns, symbol, parameters) returns symbol parameters;
#define HEDDLE_PROTOTYPE_ptds(returns, symbol, parameters)                                         \
  returns symbol parameters;                                                                       \
  returns symbol##_ptds parameters;
#define HEDDLE_PROTOTYPE_ptsz(returns, symbol, parameters)                                         \
  returns symbol parameters;                                                                       \
  returns symbol##_ptsz parameters;
#define HEDDLE_RUNTIME(group, state, majors, twin, sides, returns, symbol, parameters, arguments)  \
  HEDDLE_PROTOTYPE_##twin(returns, symbol, parameters)
extern "C" {
#include "runtime/runtime.def"
}

// Of majors.def, the functions of their own.
#define HEDDLE_RENAMED(major, name, symbol)
#define HEDDLE_ADAPTED(major, group, twin, sides, returns, name, parameters, arguments)            \
  HEDDLE_PROTOTYPE_##twin(returns, heddle_##major##_##name, parameters)
extern "C" {
#include "runtime/majors.def"
}
#undef HEDDLE_PROTOTYPE_None
#undef HEDDLE_PROTOTYPE_ptds
#undef HEDDLE_PROTOTYPE_ptsz
