// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/stream_work.h"

#include <dlfcn.h>

namespace heddle::library {

namespace {

/// For checks and profiles (driver/library_work.cpp): where the program has asked for work of a
/// library, and by which function; the work begins; it is over, and has written device memory; what is
/// asked for next is work of the device; what it accesses.
struct Checks {
  template <typename F> static F *find(const char *name) {
    return reinterpret_cast<F *>(dlsym(RTLD_DEFAULT, name));
  }
  uint32_t (*stack)() = find<uint32_t()>("heddle_library_stack");
  const char *(*name)() = find<const char *()>("heddle_library_name");
  void (*begins)(uint32_t, const char *) =
      find<void(uint32_t, const char *)>("heddle_library_works");
  void (*worked)() = find<void()>("heddle_library_worked");
  void (*asks)(bool) = find<void(bool)>("heddle_library_asks");
  void (*accesses)(const void *, uint64_t, uint64_t, uint64_t, bool) =
      find<void(const void *, uint64_t, uint64_t, uint64_t, bool)>("heddle_library_accesses");
};
const Checks &checks() {
  static const Checks checks;
  return checks;
}

void runAgain(void *data) {
  auto &work = *static_cast<Work *>(data);
  if (checks().begins)
    checks().begins(work.stack, work.name);
  for (const MemoryRows &rows : work.memory)
    if (checks().accesses)
      checks().accesses(rows.first, uint64_t(rows.rowBytes), uint64_t(rows.pitch),
                        uint64_t(rows.rows), rows.use == Use::Writes);
  work.run();
  if (checks().worked)
    checks().worked();
}

void runOnce(void *data) {
  runAgain(data);
  delete static_cast<Work *>(data);
}

/// As work of the device, or as a function of the host.
cudaError_t launch(cudaStream_t stream, cudaHostFn_t function, Work *work) {
  bool isOfDevice = !work->memory.empty() && checks().asks;
  if (isOfDevice)
    checks().asks(true);
  cudaError_t error = cudaLaunchHostFunc(stream, function, work);
  if (isOfDevice)
    checks().asks(false);
  return error;
}

void deleteWork(void *data) { delete static_cast<Work *>(data); }

/// Gives the graph that the stream is captured into the work, as a user object.
cudaError_t giveToGraph(cudaGraph_t graph, Work *work) {
  cudaUserObject_t object;
  cudaError_t error =
      cudaUserObjectCreate(&object, work, deleteWork, 1, cudaUserObjectNoDestructorSync);
  if (error != cudaSuccess) {
    delete work;
    return error;
  }
  error = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
  if (error != cudaSuccess)
    cudaUserObjectRelease(object, 1);
  return error;
}

} // namespace

cudaError_t enqueueWork(cudaStream_t stream, Work *work) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  cudaError_t error = cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph);
  if (checks().stack)
    work->stack = checks().stack();
  if (checks().name)
    work->name = checks().name();
  if (error != cudaSuccess) {
    delete work;
    return error;
  }
  if (status == cudaStreamCaptureStatusActive) {
    error = giveToGraph(graph, work);
    return error != cudaSuccess ? error : launch(stream, runAgain, work);
  }
  error = launch(stream, runOnce, work);
  if (error != cudaSuccess)
    delete work;
  return error;
}

bool isCaptured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

bool isUsable(const void *pointer) {
  cudaPointerAttributes attributes;
  return pointer && cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess &&
         attributes.type != cudaMemoryTypeUnregistered;
}

} // namespace heddle::library
