// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices and contexts of a mixed table.
#include "driver/gpu/mixed_routing.h"

namespace heddle::driver::mixed {

namespace {

template <auto Member> CUresult create(CUcontext *context, unsigned flags, int device) {
  CUresult error =
      Routed<Member, CUresult(CUcontext *, unsigned, ShapeDevice)>::call(context, flags, device);
  if (error == CUDA_SUCCESS)
    pushContext(placeOf(device)->side);
  return error;
}

template <auto Member> CUresult push(CUcontext context) {
  const Side side = context ? sideOf(context) : Unknown;
  CUresult error = (tableOf(side == Unknown ? currentSide() : side).*Member)(context);
  if (error == CUDA_SUCCESS && side != Unknown)
    pushContext(side);
  return error;
}

template <auto Member> CUresult pop(CUcontext *context) {
  CUresult error = (tableOf(currentSide()).*Member)(context);
  if (error == CUDA_SUCCESS)
    popContext();
  return error;
}

} // namespace

void interceptContexts(Table &table) {
  table.cuInit = [](unsigned flags) {
    CUresult error = tableOf(Cpu).cuInit(flags);
    return error ? error : tableOf(Gpu).cuInit(flags);
  };
  table.cuDeviceGetCount = [](int *count) {
    if (!count)
      return CUDA_ERROR_INVALID_VALUE;
    *count = int(all().devices.size());
    return CUDA_SUCCESS;
  };
  table.cuDeviceGet = [](int *device, int ordinal) {
    if (!device)
      return CUDA_ERROR_INVALID_VALUE;
    if (!placeOf(ordinal))
      return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
  };
  table.cuCtxSetCurrent = [](CUcontext context) {
    const Side side = context ? sideOf(context) : Unknown;
    CUresult error = tableOf(side == Unknown ? currentSide() : side).cuCtxSetCurrent(context);
    if (error == CUDA_SUCCESS && side != Unknown)
      setCurrent(side);
    return error;
  };
  table.cuCtxPushCurrent = push<&Table::cuCtxPushCurrent>;
  table.cuCtxPushCurrent_v2 = push<&Table::cuCtxPushCurrent_v2>;
  table.cuCtxPopCurrent = pop<&Table::cuCtxPopCurrent>;
  table.cuCtxPopCurrent_v2 = pop<&Table::cuCtxPopCurrent_v2>;
  table.cuCtxCreate = create<&Table::cuCtxCreate>;
  table.cuCtxCreate_v2 = create<&Table::cuCtxCreate_v2>;
  table.cuDeviceCanAccessPeer = [](int *can, int device, int peer) {
    const Place *a = placeOf(device), *b = placeOf(peer);
    if (!can || !a || !b || a->side == b->side)
      return tableOf(a ? a->side : Cpu)
          .cuDeviceCanAccessPeer(can, a ? a->number : -1, b ? b->number : -1);
    *can = 0;
    return CUDA_SUCCESS;
  };
  table.cuDeviceGetP2PAttribute = [](int *value, CUdevice_P2PAttribute attribute, int source,
                                     int destination) {
    const Place *a = placeOf(source), *b = placeOf(destination);
    if (!value || !a || !b || a->side == b->side)
      return tableOf(a ? a->side : Cpu)
          .cuDeviceGetP2PAttribute(value, attribute, a ? a->number : -1, b ? b->number : -1);
    *value = 0;
    return CUDA_SUCCESS;
  };
  table.cuCtxEnablePeerAccess = [](CUcontext peer, unsigned flags) {
    const Side side = peer ? sideOf(peer) : Unknown;
    return side != Unknown && side != currentSide()
               ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
               : tableOf(currentSide()).cuCtxEnablePeerAccess(peer, flags);
  };
}

} // namespace heddle::driver::mixed
