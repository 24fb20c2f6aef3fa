// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/graphs/operation.h"

namespace heddle::driver {

struct Stream;

/// For cudaDeviceReset: destroys all events of the device.
void resetEvents(Context &);

/// Whether there is such an event.
bool isEvent(cudaEvent_t);
/// For the launch of a graph that records an event or waits for it: the marker of its latest record
/// (null if there is none), or a new one that the graph will complete. With a reference for the
/// caller.
device::Marker *markerFor(cudaEvent_t, bool records);

/// The marker, with its reference, is the latest record of the context's event from now on. False: it
/// is none, or other processes share it.
bool recordAs(cudaEvent_t, const Context &, device::Marker *);

/// Whether a kernel's launch may record the event on its way (cudaLaunchAttributeProgrammaticEvent
/// and cudaLaunchAttributeLaunchCompletionEvent): it measures no time and is this process's alone.
/// Errors: CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_VALUE.
CUresult checkForLaunch(cudaEvent_t);
/// Such a record, behind the launch: it may come as late as the kernel's end. If the stream is
/// captured, `early` says how kernels that wait for the event depend on this one.
CUresult recordBehindLaunch(Stream &, cudaEvent_t, const cudaGraphEdgeData &early);

/// cudaEventRecord and cudaStreamWaitEvent as nodes.
template <cudaGraphNodeType type_, device::GraphWork::Kind kind>
class EventOperation final : public Operation {
public:
  static constexpr cudaGraphNodeType Type = type_;
  explicit EventOperation(cudaEvent_t event) : event(event) {}
  cudaGraphNodeType type() const override { return Type; }
  std::unique_ptr<Operation> clone() const override {
    return std::make_unique<EventOperation>(*this);
  }
  CUresult makeWork(device::GraphWork &work, PlanContext &context) override {
    if (!isEvent(event))
      return CUDA_ERROR_INVALID_HANDLE;
    work.kind = kind;
    work.event = context.events.size();
    context.events.push_back({event, kind == device::GraphWork::Kind::Record});
    return CUDA_SUCCESS;
  }

  cudaEvent_t event;
};
using RecordOperation =
    EventOperation<cudaGraphNodeTypeEventRecord, device::GraphWork::Kind::Record>;
using WaitOperation = EventOperation<cudaGraphNodeTypeWaitEvent, device::GraphWork::Kind::Wait>;

/// T: RecordOperation or WaitOperation. Error: CUDA_ERROR_INVALID_VALUE.
template <typename T>
CUresult makeEvent(cudaEvent_t event, Context &device, std::unique_ptr<Operation> &operation) {
  if (!isEvent(event))
    return CUDA_ERROR_INVALID_VALUE;
  operation = std::make_unique<T>(event);
  operation->device = &device;
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
