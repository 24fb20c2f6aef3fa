// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events of device code. They belong to the grid whose threads make them and only order
// its children: an event must be made with cudaEventDisableTiming, a stream with
// cudaStreamNonBlocking, as the guide has it ("Streams and Events" of the device runtime); a GPU
// also takes cudaStreamDefault and makes the same of it.
#include "driver/children/child_call.h"

#include "cuda_device_runtime_api.h"

namespace heddle::driver {

device::ChildStream ChildCall::streamOf(cudaStream_t handle) const {
  using Kind = device::ChildStream::Kind;
  device::ChildStream stream = {Kind::Named, call.block, call.thread,
                                reinterpret_cast<device::Queue *>(handle), caller.block};
  if (!handle)
    stream.kind = call.perThreadDefault ? Kind::Thread : Kind::Block;
  else if (handle == cudaStreamLegacy)
    stream.kind = Kind::Block;
  else if (handle == cudaStreamPerThread)
    stream.kind = Kind::Thread;
  else if (handle == cudaStreamTailLaunch)
    stream.kind = Kind::Tail;
  else if (handle == cudaStreamFireAndForget)
    stream.kind = Kind::FireAndForget;
  return stream;
}

namespace {

device::ChildEvent *eventOf(cudaEvent_t handle) {
  return reinterpret_cast<device::ChildEvent *>(handle);
}

} // namespace

namespace on_device {

CUresult cudaStreamCreateWithFlags(ChildCall &call, cudaStream_t *stream, unsigned flags) {
  if (!stream || flags > cudaStreamNonBlocking)
    return CUDA_ERROR_INVALID_VALUE;
  *stream = reinterpret_cast<cudaStream_t>(call.children().createStream());
  return CUDA_SUCCESS;
}

CUresult cudaStreamDestroy(ChildCall &call, cudaStream_t stream) {
  return errorOf(call.children().destroyStream(reinterpret_cast<device::Queue *>(stream)));
}

CUresult cudaStreamWaitEvent(ChildCall &call, cudaStream_t stream, cudaEvent_t event, unsigned) {
  return errorOf(call.children().waitFor(call.streamOf(stream), eventOf(event)));
}

CUresult cudaEventCreateWithFlags(ChildCall &call, cudaEvent_t *event, unsigned flags) {
  if (!event || flags != cudaEventDisableTiming)
    return CUDA_ERROR_INVALID_VALUE;
  *event = reinterpret_cast<cudaEvent_t>(call.children().createEvent());
  return CUDA_SUCCESS;
}

CUresult cudaEventRecord(ChildCall &call, cudaEvent_t event, cudaStream_t stream, unsigned) {
  return errorOf(call.children().record(call.streamOf(stream), eventOf(event)));
}

CUresult cudaEventDestroy(ChildCall &call, cudaEvent_t event) {
  return errorOf(call.children().destroyEvent(eventOf(event)));
}

} // namespace on_device
} // namespace heddle::driver
