// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and events of other processes (driver API, "Memory Management": cuIpc*). A handle is the
// same 64 bytes in both APIs.
#include "driver/api/addresses.h"
#include "driver/functions.h"

#include <cstring>

namespace heddle::driver {

namespace {

template <typename To, typename From> To sameBytes(const From &from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

} // namespace

CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event) {
  return cudaIpcGetEventHandle(reinterpret_cast<cudaIpcEventHandle_t *>(handle), event);
}

CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle) {
  return cudaIpcOpenEventHandle(event, sameBytes<cudaIpcEventHandle_t>(handle));
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address) {
  return cudaIpcGetMemHandle(reinterpret_cast<cudaIpcMemHandle_t *>(handle), pointerTo(address));
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
  return makeAddress(address, [&](void **p) {
    return cudaIpcOpenMemHandle(p, sameBytes<cudaIpcMemHandle_t>(handle), flags);
  });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
  return cuIpcOpenMemHandle_v2(address, handle, flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  return cudaIpcCloseMemHandle(pointerTo(address));
}

} // namespace heddle::driver
