// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nccl/remote.h"

#include "nccl/communicator.h"
#include "nccl/flags.h"
#include "nccl/gate.h"

#include "support/stream_work.h"

#include <algorithm>

namespace heddle::nccl {

Remote::Remote(std::shared_ptr<Segment> segment, int rank, int size,
               std::function<void(ncclResult_t)> failed)
    : segment_(segment), exchange_(std::move(segment), rank, size), failed_(std::move(failed)),
      thread_([this] { serve(); }) {}

Remote::~Remote() {
  {
    std::lock_guard lock(signal_->mutex);
    ends_ = true;
  }
  signal_->changed.notify_all();
  thread_.join();
}

void Remote::abort() {
  segment_->abort();
  std::lock_guard lock(signal_->mutex);
  signal_->changed.notify_all();
}

void Remote::add(std::shared_ptr<Task> task) {
  std::lock_guard lock(signal_->mutex);
  tasks_.push_back(std::move(task));
  signal_->changed.notify_all();
}

void Remote::end(Task &task, ncclResult_t result) {
  for (int *gate : task.gates)
    openGate(gate);
  if (task.pending && task.pending->fetch_sub(1) == 1)
    task.pending->notify_all();
}

/// The thread: each task when the streams have come to it.
void Remote::serve() {
  ncclResult_t result = ncclSuccess;
  std::unique_lock lock(signal_->mutex);
  for (;;) {
    signal_->changed.wait(lock, [&] {
      return tasks_.empty() ? ends_ : tasks_.front()->streams == 0 || segment_->isAborted();
    });
    if (tasks_.empty())
      return;
    std::shared_ptr<Task> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    if (result == ncclSuccess) {
      result = segment_->isAborted() ? ncclRemoteError : task->work();
      if (result != ncclSuccess) {
        segment_->abort();
        failed_(result);
      }
    }
    end(*task, result);
    lock.lock();
  }
}

ncclResult_t Remote::submit(std::vector<Call> calls, const Pending &pending) {
  auto task = std::make_shared<Task>();
  std::vector<std::pair<cudaStream_t, int>> streams; // with their devices
  for (const Call &call : calls) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(call.stream, &status) != cudaSuccess)
      return fail(ncclUnhandledCudaError, "the stream is none");
    if (status != cudaStreamCaptureStatusNone)
      return fail(ncclInvalidUsage, "operations between processes cannot be captured into a graph");
    std::pair stream(call.stream, call.comm->device);
    if (std::find(streams.begin(), streams.end(), stream) == streams.end())
      streams.push_back(stream);
  }
  for (size_t i = 0; i < streams.size(); ++i)
    if (int *gate = takeFlag())
      task->gates.push_back(gate);
  if (task->gates.size() < streams.size())
    return fail(ncclUnhandledCudaError, "there is no memory for a gate");
  task->calls = std::move(calls);
  task->streams = int(streams.size());
  task->pending = pending;
  task->work = [this, &given = task->calls] { return exchange_.run(given); };
  ++*pending;
  add(task);
  for (size_t i = 0; i < streams.size(); ++i) {
    auto [stream, device] = streams[i];
    DeviceScope scope(device);
    int *gate = task->gates[i];
    cudaError_t error = library::enqueue(stream, [signal = signal_, task] {
      std::lock_guard lock(signal->mutex);
      --task->streams;
      signal->changed.notify_all();
    });
    if (error == cudaSuccess)
      error = enqueueGate(gate, stream);
    if (error == cudaSuccess)
      error = library::enqueue(stream, [gate] { giveFlagBack(gate); });
    if (error == cudaSuccess)
      continue;
    abort();
    return fail(ncclUnhandledCudaError,
                std::string("a stream does not take the operation: ") + cudaGetErrorString(error));
  }
  return ncclSuccess;
}

ncclResult_t Remote::gather(uint64_t mine, std::vector<uint64_t> &all) {
  ncclResult_t result = ncclRemoteError;
  auto task = std::make_shared<Task>();
  task->work = [&] { return result = exchange_.gather(mine, all); };
  task->pending = std::make_shared<std::atomic<int>>(1);
  add(task);
  task->pending->wait(1);
  return result;
}

} // namespace heddle::nccl
