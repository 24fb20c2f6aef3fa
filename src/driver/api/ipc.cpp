// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of other processes (driver API, "Memory Management": cuIpc*). A handle is the
// same 64 bytes in both APIs.
#include "driver/api/addresses.h"
#include "driver/functions.h"

#include <bit>

namespace heddle::driver {

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address) {
  return cudaIpcGetMemHandle(reinterpret_cast<cudaIpcMemHandle_t *>(handle), pointerTo(address));
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
  return makeAddress(address, [&](void **p) {
    return cudaIpcOpenMemHandle(p, std::bit_cast<cudaIpcMemHandle_t>(handle), flags);
  });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
  return cuIpcOpenMemHandle_v2(address, handle, flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  return cudaIpcCloseMemHandle(pointerTo(address));
}

} // namespace heddle::driver
