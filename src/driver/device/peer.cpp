// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access of one device to another's memory. All devices share the host's memory, so access works as
// soon as it is asked for, between those that would have it on hardware (boards/machine.h).
#include "driver/boards/board.h"
#include "driver/device/context.h"

using namespace heddle::driver;

namespace {

bool canAccess(const Context &a, const Context &b) { return arePeers(*a.gpu, *b.gpu); }

/// 0 is best: another GPU of the same board, if the device has one.
int rankOf(const Context &from, const Context &to) {
  return from.board->gpus > 1 && from.gpu->card != to.gpu->card;
}

CUresult setAccess(int ordinal, bool enable) {
  Context *peer = primaryAt(ordinal);
  if (!peer)
    return CUDA_ERROR_INVALID_DEVICE;
  uint64_t &peers = currentContext().settings.peers;
  const uint64_t bit = uint64_t(1) << ordinal;
  const bool enabled = peers & bit;
  if (!enable && !enabled)
    return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  if (enable && !canAccess(currentContext(), *peer))
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  if (enable && enabled)
    return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  peers ^= bit;
  return CUDA_SUCCESS;
}

CUresult attributeOf(int &value, cudaDeviceP2PAttr attribute, const Context &from,
                     const Context &to) {
  const bool access = canAccess(from, to);
  switch (attribute) {
  case cudaDevP2PAttrPerformanceRank:
    value = rankOf(from, to);
    return CUDA_SUCCESS;
  case cudaDevP2PAttrAccessSupported:
  case cudaDevP2PAttrNativeAtomicSupported:
  case cudaDevP2PAttrCudaArrayAccessSupported:
    value = access;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

} // namespace

CUresult heddle::driver::cudaDeviceCanAccessPeer(int *can, int ordinal, int peerOrdinal) {
  return enter([&] {
    Context *device = primaryAt(ordinal), *peer = primaryAt(peerOrdinal);
    if (!device || !peer)
      return CUDA_ERROR_INVALID_DEVICE;
    if (!can)
      return CUDA_ERROR_INVALID_VALUE;
    *can = canAccess(*device, *peer);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return enter([&] { return flags ? CUDA_ERROR_INVALID_VALUE : setAccess(peer, true); });
}

CUresult heddle::driver::cudaDeviceDisablePeerAccess(int peer) {
  return enter([&] { return setAccess(peer, false); });
}

CUresult heddle::driver::cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute,
                                                   int source, int target) {
  return enter([&] {
    Context *from = primaryAt(source), *to = primaryAt(target);
    if (!from || !to || from == to)
      return CUDA_ERROR_INVALID_DEVICE;
    return value ? attributeOf(*value, attribute, *from, *to) : CUDA_ERROR_INVALID_VALUE;
  });
}
