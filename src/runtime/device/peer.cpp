// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access of one device to another's memory. All devices share the host's memory, so access works as
// soon as it is asked for, between those that would have it on hardware (boards/machine.h).
#include "runtime/boards/board.h"
#include "runtime/state.h"

using namespace heddle::runtime;

namespace {

Device *deviceAt(int ordinal) {
  auto &devices = state().devices;
  return ordinal >= 0 && ordinal < static_cast<int>(devices.size()) ? devices[ordinal].get()
                                                                    : nullptr;
}

bool canAccess(const Device &a, const Device &b) { return arePeers(*a.gpu, *b.gpu); }

/// 0 is best: another GPU of the same board, if the device has one.
int rankOf(const Device &from, const Device &to) {
  return from.board->gpus > 1 && from.gpu->card != to.gpu->card;
}

cudaError_t setAccess(int ordinal, bool enable) {
  Device *peer = deviceAt(ordinal);
  if (!peer)
    return cudaErrorInvalidDevice;
  uint64_t &peers = currentDevice().settings.peers;
  const uint64_t bit = uint64_t(1) << ordinal;
  const bool enabled = peers & bit;
  if (!enable && !enabled)
    return cudaErrorPeerAccessNotEnabled;
  if (enable && !canAccess(currentDevice(), *peer))
    return cudaErrorPeerAccessUnsupported;
  if (enable && enabled)
    return cudaErrorPeerAccessAlreadyEnabled;
  peers ^= bit;
  return cudaSuccess;
}

cudaError_t attributeOf(int &value, cudaDeviceP2PAttr attribute, const Device &from,
                        const Device &to) {
  const bool access = canAccess(from, to);
  switch (attribute) {
  case cudaDevP2PAttrPerformanceRank:
    value = rankOf(from, to);
    return cudaSuccess;
  case cudaDevP2PAttrAccessSupported:
  case cudaDevP2PAttrNativeAtomicSupported:
  case cudaDevP2PAttrCudaArrayAccessSupported:
    value = access;
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

} // namespace

HEDDLE_API cudaError_t cudaDeviceCanAccessPeer(int *can, int ordinal, int peerOrdinal) {
  return enter([&] {
    Device *device = deviceAt(ordinal), *peer = deviceAt(peerOrdinal);
    if (!device || !peer)
      return cudaErrorInvalidDevice;
    if (!can)
      return cudaErrorInvalidValue;
    *can = canAccess(*device, *peer);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return enter([&] { return flags ? cudaErrorInvalidValue : setAccess(peer, true); });
}

HEDDLE_API cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return enter([&] { return setAccess(peer, false); });
}

HEDDLE_API cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute,
                                                 int source, int target) {
  return enter([&] {
    Device *from = deviceAt(source), *to = deviceAt(target);
    if (!from || !to || from == to)
      return cudaErrorInvalidDevice;
    return value ? attributeOf(*value, attribute, *from, *to) : cudaErrorInvalidValue;
  });
}
