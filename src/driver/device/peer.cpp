// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access of one device to another's memory. All devices share the host's memory, so access works as
// soon as it is asked for, between those that would have it on hardware (boards/machine.h).
#include "driver/boards/board.h"
#include "driver/device/context.h"
#include "driver/functions.h"

namespace heddle::driver {

namespace {

bool canAccess(const Context &a, const Context &b) { return arePeers(*a.gpu, *b.gpu); }

/// 0 is best: another GPU of the same board, if the device has one.
int rankOf(const Context &from, const Context &to) {
  return from.board->gpus > 1 && from.gpu->card != to.gpu->card;
}

CUresult setAccess(const Context &peer, bool enable) {
  uint64_t &peers = currentContext().settings.peers;
  const uint64_t bit = uint64_t(1) << peer.ordinal;
  const bool enabled = peers & bit;
  if (!enable && !enabled)
    return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  if (enable && !canAccess(currentContext(), peer))
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  if (enable && enabled)
    return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  peers ^= bit;
  return CUDA_SUCCESS;
}

CUresult attributeOf(int &value, CUdevice_P2PAttribute attribute, const Context &from,
                     const Context &to) {
  const bool access = canAccess(from, to);
  switch (attribute) {
  case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
    value = rankOf(from, to);
    return CUDA_SUCCESS;
  case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
  case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
  case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
    value = access;
    return CUDA_SUCCESS;
  case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
    value = 0; // all are
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

} // namespace

CUresult cuDeviceCanAccessPeer(int *can, CUdevice ordinal, CUdevice peerOrdinal) {
  Context *device = primaryAt(ordinal), *peer = primaryAt(peerOrdinal);
  if (!device || !peer)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!can)
    return CUDA_ERROR_INVALID_VALUE;
  *can = canAccess(*device, *peer);
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags) {
  const Context *peer = findContext(handle);
  if (!peer)
    return CUDA_ERROR_INVALID_CONTEXT;
  return flags ? CUDA_ERROR_INVALID_VALUE : setAccess(*peer, true);
}

CUresult cuCtxDisablePeerAccess(CUcontext handle) {
  const Context *peer = findContext(handle);
  return peer ? setAccess(*peer, false) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice source,
                                 CUdevice target) {
  Context *from = primaryAt(source), *to = primaryAt(target);
  if (!from || !to || from == to)
    return CUDA_ERROR_INVALID_DEVICE;
  return value ? attributeOf(*value, attribute, *from, *to) : CUDA_ERROR_INVALID_VALUE;
}

} // namespace heddle::driver
