// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a call of device code to the function that answers it, and the last error of the thread that
// calls: each thread of a grid has its own ("Device-side Runtime Support"). Error codes are those
// of an H200 with CUDA 13.0, which differ from the host's in places.
#include "base/messages/runtime_errors.h"
#include "driver/children/child_call.h"

namespace heddle::driver {

namespace {

template <typename T> T fromOperand(unsigned long long operand) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(operand);
  else
    return static_cast<T>(operand);
}

template <typename... T, size_t... I>
CUresult apply(CUresult (*function)(ChildCall &, T...), ChildCall &call,
               std::index_sequence<I...>) {
  return function(call, fromOperand<T>(call.call.operands[I])...);
}

/// Calls the function with the operands that device code has written.
template <typename... T> CUresult apply(CUresult (*function)(ChildCall &, T...), ChildCall &call) {
  return apply(function, call, std::index_sequence_for<T...>());
}

CUresult dispatch(DeviceFunction function, ChildCall &call) {
  switch (function) {
#define HEDDLE_DEVICE_FUNCTION(NAME)                                                               \
  case DeviceFunction::NAME:                                                                       \
    return apply(on_device::NAME, call);
#include "base/abi/device_functions.def"
  }
  return CUresult(cudaErrorInvalidDeviceFunction);
}

/// These tell of the last error and so leave it alone.
bool tellsOfErrors(DeviceFunction function) {
  return function == DeviceFunction::cudaGetLastError ||
         function == DeviceFunction::cudaPeekAtLastError;
}

Context &contextOf(const device::DeviceCaller &caller) {
  for (int index = 0; index < MostContexts; ++index)
    if (Context *context = findContextAt(index); context && context->backend.get() == caller.device)
      return *context;
  return *state().devices.front(); // never: the caller runs in one of them
}

uint32_t answer(const device::DeviceCaller &caller, uint32_t number, void *data) {
  auto function = static_cast<DeviceFunction>(number);
  ChildCall call = {caller, contextOf(caller), *static_cast<DeviceCall *>(data)};
  CUresult error = dispatch(function, call);
  if (error != CUDA_SUCCESS && !tellsOfErrors(function))
    call.children().setLastError(call.call.block, call.call.thread, error);
  return error;
}

CUresult lastError(const ChildCall &call, bool clear) {
  return static_cast<CUresult>(call.children().lastError(call.call.block, call.call.thread, clear));
}

} // namespace

void answerDeviceCalls() { device::setDeviceCallHandler(answer); }

CUresult errorOf(device::ChildResult result) {
  switch (result) {
  case device::ChildResult::Done:
    return CUDA_SUCCESS;
  case device::ChildResult::BadHandle:
    return CUDA_ERROR_INVALID_VALUE;
  case device::ChildResult::Full:
    return CUresult(cudaErrorLaunchPendingCountExceeded);
  }
  return CUDA_ERROR_UNKNOWN;
}

namespace on_device {

CUresult cudaGetLastError(ChildCall &call) { return lastError(call, true); }
CUresult cudaPeekAtLastError(ChildCall &call) { return lastError(call, false); }

CUresult cudaGetErrorString(ChildCall &call, CUresult error) {
  call.call.result = reinterpret_cast<unsigned long long>(runtimeErrorText(error).text);
  return CUDA_SUCCESS;
}

CUresult cudaGetErrorName(ChildCall &call, CUresult error) {
  call.call.result = reinterpret_cast<unsigned long long>(runtimeErrorText(error).name);
  return CUDA_SUCCESS;
}

} // namespace on_device
} // namespace heddle::driver
