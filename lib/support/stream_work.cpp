// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/stream_work.h"

#include <dlfcn.h>

namespace heddle::library {

namespace {

/// For `heddle check`: work of a library has written device memory.
void tellOfWork() {
  static const auto tell =
      reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "heddle_library_worked"));
  if (tell)
    tell();
}

void runAgain(void *data) {
  static_cast<Work *>(data)->run();
  tellOfWork();
}

void runOnce(void *data) {
  runAgain(data);
  delete static_cast<Work *>(data);
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
  if (error != cudaSuccess) {
    delete work;
    return error;
  }
  if (status == cudaStreamCaptureStatusActive) {
    error = giveToGraph(graph, work);
    return error != cudaSuccess ? error : cudaLaunchHostFunc(stream, runAgain, work);
  }
  error = cudaLaunchHostFunc(stream, runOnce, work);
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
