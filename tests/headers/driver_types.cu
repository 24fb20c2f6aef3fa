// RUN: %nvcc -std=c++17 -c %s -o %t.o
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the driver API that headers of libcu++ mention in every program that names a stream: they take the types
// of functions and ask for their addresses when they are wanted.
#include <cuda.h>

#include <cstddef>
#include <type_traits>

template <typename Function, typename... Arguments>
constexpr bool TakesThese = std::is_invocable_r_v<CUresult, Function, Arguments...>;

static_assert(TakesThese<decltype(cuStreamIsCapturing), CUstream, CUstreamCaptureStatus *>);
static_assert(
    TakesThese<decltype(cuDeviceGetDevResource), CUdevice, CUdevResource *, CUdevResourceType>);
static_assert(
    TakesThese<decltype(cuCtxGetDevResource), CUcontext, CUdevResource *, CUdevResourceType>);
static_assert(TakesThese<decltype(cuDevResourceGenerateDesc), CUdevResourceDesc *, CUdevResource *,
                         unsigned>);
static_assert(TakesThese<decltype(cuGreenCtxStreamCreate), CUstream *, CUgreenCtx, unsigned, int>);

static_assert(CU_STREAM_CAPTURE_STATUS_NONE == 0 && CU_STREAM_CAPTURE_STATUS_ACTIVE == 1 &&
              CU_STREAM_CAPTURE_STATUS_INVALIDATED == 2);
static_assert(CU_DEV_RESOURCE_TYPE_INVALID == 0 && CU_DEV_RESOURCE_TYPE_SM == 1);
static_assert(sizeof(CUdevResource) == 144 && offsetof(CUdevResource, sm) == 96);

unsigned multiprocessorsOf(const CUdevResource &resource) {
  return resource.type == CU_DEV_RESOURCE_TYPE_SM ? resource.sm.smCount : 0;
}

// A program that lists the driver's errors compiles, and they have the runtime's numbers.
static_assert(CUDA_ERROR_MPS_RPC_FAILURE == cudaErrorMpsRpcFailure &&
              CUDA_ERROR_MPS_SERVER_NOT_READY == cudaErrorMpsServerNotReady &&
              CUDA_ERROR_MPS_MAX_CLIENTS_REACHED == cudaErrorMpsMaxClientsReached &&
              CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED == cudaErrorMpsMaxConnectionsReached &&
              CUDA_ERROR_MPS_CLIENT_TERMINATED == cudaErrorMpsClientTerminated &&
              CUDA_ERROR_CDP_NOT_SUPPORTED == cudaErrorCdpNotSupported &&
              CUDA_ERROR_CDP_VERSION_MISMATCH == cudaErrorCdpVersionMismatch &&
              CUDA_ERROR_KEY_ROTATION == 916);
