// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a call of device code to the function that answers it, and the last error of the thread that
// calls: each thread of a grid has its own ("Device-side Runtime Support"). Error codes are those
// of an H200 with CUDA 13.0, which differ from the host's in places.
#include "runtime/children/child_call.h"

#include <utility>

namespace heddle::runtime {

namespace {

template <typename T> T fromOperand(unsigned long long operand) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(operand);
  else
    return static_cast<T>(operand);
}

template <typename... T, size_t... I>
cudaError_t apply(cudaError_t (*function)(ChildCall &, T...), ChildCall &call,
                  std::index_sequence<I...>) {
  return function(call, fromOperand<T>(call.call.operands[I])...);
}

/// Calls the function with the operands that device code has written.
template <typename... T>
cudaError_t apply(cudaError_t (*function)(ChildCall &, T...), ChildCall &call) {
  return apply(function, call, std::index_sequence_for<T...>());
}

cudaError_t dispatch(DeviceFunction function, ChildCall &call) {
  switch (function) {
#define HEDDLE_DEVICE_FUNCTION(NAME)                                                               \
  case DeviceFunction::NAME:                                                                       \
    return apply(on_device::NAME, call);
#include "base/device_functions.def"
  }
  return cudaErrorInvalidDeviceFunction;
}

/// These tell of the last error and so leave it alone.
bool tellsOfErrors(DeviceFunction function) {
  return function == DeviceFunction::cudaGetLastError ||
         function == DeviceFunction::cudaPeekAtLastError;
}

Device &deviceOf(const device::DeviceCaller &caller) {
  for (auto &device : state().devices)
    if (device->backend.get() == caller.device)
      return *device;
  return *state().devices.front(); // never: the caller runs on one of them
}

uint32_t answer(const device::DeviceCaller &caller, uint32_t number, void *data) {
  auto function = static_cast<DeviceFunction>(number);
  ChildCall call = {caller, deviceOf(caller), *static_cast<DeviceCall *>(data)};
  cudaError_t error = dispatch(function, call);
  if (error != cudaSuccess && !tellsOfErrors(function))
    call.children().setLastError(call.call.block, call.call.thread, error);
  return error;
}

cudaError_t lastError(const ChildCall &call, bool clear) {
  return static_cast<cudaError_t>(
      call.children().lastError(call.call.block, call.call.thread, clear));
}

} // namespace

void answerDeviceCalls() { device::setDeviceCallHandler(answer); }

cudaError_t errorOf(device::ChildResult result) {
  switch (result) {
  case device::ChildResult::Done:
    return cudaSuccess;
  case device::ChildResult::BadHandle:
    return cudaErrorInvalidValue;
  case device::ChildResult::Full:
    return cudaErrorLaunchPendingCountExceeded;
  }
  return cudaErrorUnknown;
}

namespace on_device {

cudaError_t cudaGetLastError(ChildCall &call) { return lastError(call, true); }
cudaError_t cudaPeekAtLastError(ChildCall &call) { return lastError(call, false); }

cudaError_t cudaGetErrorString(ChildCall &call, cudaError_t error) {
  call.call.result = reinterpret_cast<unsigned long long>(::cudaGetErrorString(error));
  return cudaSuccess;
}

cudaError_t cudaGetErrorName(ChildCall &call, cudaError_t error) {
  call.call.result = reinterpret_cast<unsigned long long>(::cudaGetErrorName(error));
  return cudaSuccess;
}

} // namespace on_device
} // namespace heddle::runtime
