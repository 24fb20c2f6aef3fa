// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches in device code. Clang makes of `kernel<<<grid, block, shared, stream>>>(arguments)`
//
//   buffer = cudaGetParameterBuffer(64, size);  if (buffer) { store the arguments into it;
//   cudaLaunchDevice(kernel, buffer, grid, block, shared, stream); }
//
// The kernel is the number of a function (base/image/module_image.h). The launch is one of the device's
// queues like any other (device/children.h). A kernel that was never launched with these blocks is
// compiled now, on a stack of its own, while the launching block waits: other workers go on, and
// compiling waits for nothing but other compilations, so nothing can wait in a circle.
#include "driver/boards/board.h"
#include "driver/call.h"
#include "driver/children/child_call.h"
#include "driver/launch/child_arguments.h"
#include "driver/launch/launch.h"

#include <cstdlib>
#include <memory>

namespace heddle::driver {

namespace {

constexpr size_t BufferAlign = 64; ///< clang counts on it

/// In front of the arguments' memory, at a multiple of BufferAlign.
struct alignas(BufferAlign) BufferHead {
  void *memory; ///< what was allocated
  size_t bytes; ///< of arguments
  // What cudaGetParameterBufferV2 was told:
  const void *kernel;
  LaunchShape shape;
};

BufferHead *headOf(void *buffer) { return static_cast<BufferHead *>(buffer) - 1; }

/// Not aligned_alloc, which takes several times as long.
CUresult makeBuffer(ChildCall &call, size_t bytes, BufferHead *&head) {
  size_t room = BufferAlign + sizeof(BufferHead) + bytes;
  void *memory = bytes > MaxParamBytes ? nullptr : std::malloc(room), *aligned = memory;
  if (!memory)
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  head = new (std::align(BufferAlign, sizeof(BufferHead) + bytes, aligned, room))
      BufferHead{memory, bytes, nullptr, {}};
  call.call.result = reinterpret_cast<unsigned long long>(head + 1);
  if (isChecked)
    noteArguments(head + 1, bytes);
  return CUDA_SUCCESS;
}

void freeBuffer(BufferHead *head) {
  if (isChecked)
    forgetArguments(head + 1);
  std::free(head->memory);
}

CUresult launch(ChildCall &call, const void *kernel, BufferHead *head, const LaunchShape &shape,
                cudaStream_t stream) {
  Function *function = call.functionOf(kernel);
  if (!function)
    return CUresult(cudaErrorInvalidDeviceFunction);
  const uint32_t bytes = function->kernel->paramBytes;
  if (bytes > MaxParamBytes || (bytes > 0 && (!head || head->bytes < bytes)))
    return CUDA_ERROR_INVALID_VALUE;
  device::LaunchRequest request;
  auto *packed = reinterpret_cast<uint8_t *>(head + 1);
  CUresult error = makeLaunch(*function, call.device, shape, packed, request);
  if (error == CUDA_ERROR_INVALID_VALUE) // more than the kernel or the device has
    error = CUresult(cudaErrorInvalidConfiguration);
  if (error)
    return error;
  noteOrigin(request);
  return errorOf(
      call.children().launch(call.streamOf(stream), request, call.device.settings.pendingLaunches));
}

} // namespace

Function *ChildCall::functionOf(const void *kernel) const {
  return findFunction(module(), reinterpret_cast<uint64_t>(kernel));
}

namespace on_device {

CUresult cudaGetParameterBuffer(ChildCall &call, size_t, size_t size) {
  BufferHead *head; // aligned for every type
  return makeBuffer(call, size, head);
}

CUresult cudaLaunchDevice(ChildCall &call, void *kernel, void *buffer, unsigned gridX,
                          unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
                          unsigned blockZ, unsigned shared, cudaStream_t stream) {
  BufferHead *head = buffer ? headOf(buffer) : nullptr;
  LaunchShape shape = {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, shared};
  CUresult error = launch(call, kernel, head, shape, stream);
  if (head)
    freeBuffer(head);
  return error;
}

CUresult cudaGetParameterBufferV2(ChildCall &call, void *kernel, unsigned gridX, unsigned gridY,
                                  unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,
                                  unsigned shared) {
  Function *function = call.functionOf(kernel);
  if (!function)
    return CUresult(cudaErrorInvalidDeviceFunction);
  BufferHead *head;
  if (CUresult error = makeBuffer(call, function->kernel->paramBytes, head))
    return error;
  head->kernel = kernel;
  head->shape = {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, shared};
  return CUDA_SUCCESS;
}

CUresult cudaLaunchDeviceV2(ChildCall &call, void *buffer, cudaStream_t stream) {
  if (!buffer)
    return CUDA_ERROR_INVALID_VALUE;
  BufferHead *head = headOf(buffer);
  CUresult error = launch(call, head->kernel, head, head->shape, stream);
  freeBuffer(head);
  return error;
}

/// The caller polls the counter itself, so that its block can give way (devlib/device_runtime.cpp).
CUresult cudaDeviceSynchronize(ChildCall &call) {
  if (hasSyncDepth(*call.device.board) && call.children().depth() >= call.device.settings.syncDepth)
    return CUresult(cudaErrorSyncDepthExceeded);
  call.call.result =
      reinterpret_cast<unsigned long long>(call.children().pendingOf(call.call.block));
  return CUDA_SUCCESS;
}

} // namespace on_device
} // namespace heddle::driver
