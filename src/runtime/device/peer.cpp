// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to the memory of other devices (runtime API, "Peer Device Memory Access"): between the
// current context and the primary one of the other device.
#include "runtime/context.h"

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaDeviceCanAccessPeer(int *canAccess, int device, int peer) {
  return translateQuery([&] { return ask<&Cu::cuDeviceCanAccessPeer>(canAccess, device, peer); });
}

HEDDLE_API cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute,
                                                 int source, int destination) {
  return translateQuery([&] {
    return ask<&Cu::cuDeviceGetP2PAttribute>(value, static_cast<CUdevice_P2PAttribute>(attribute),
                                             source, destination);
  });
}

HEDDLE_API cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned *capabilities,
                                                          const cudaAtomicOperation *operations,
                                                          unsigned count, int source,
                                                          int destination) {
  return translateQuery([&] {
    return ask<&Cu::cuDeviceGetP2PAtomicCapabilities>(
        capabilities, reinterpret_cast<const CUatomicOperation *>(operations), count, source,
        destination);
  });
}

/// A device that is no peer gets no context for it.
HEDDLE_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return translate([&]() -> CUresult {
    int device = 0, canAccess = 0;
    CUcontext context = nullptr;
    if (flags)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = ask<&Cu::cuCtxGetDevice>(&device))
      return error;
    if (CUresult error = ask<&Cu::cuDeviceCanAccessPeer>(&canAccess, device, peer))
      return error;
    if (!canAccess)
      return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    if (CUresult error = primaryOf(peer, context))
      return error;
    return ask<&Cu::cuCtxEnablePeerAccess>(context, 0u);
  });
}

HEDDLE_API cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return translate([&]() -> CUresult {
    CUdevice same = 0;
    CUcontext context = nullptr;
    if (CUresult error = ask<&Cu::cuDeviceGet>(&same, peer))
      return error;
    if (!isActive(peer))
      return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    if (CUresult error = primaryOf(peer, context))
      return error;
    return ask<&Cu::cuCtxDisablePeerAccess>(context);
  });
}
