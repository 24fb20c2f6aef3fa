// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libheddle_mpi.so, which programs are linked with in front of Open MPI's libraries: it makes MPI
// aware of CUDA. Device memory is memory of the host, so MPI can read and write it as it is. What
// is missing is order: MPI must not look at a buffer before the kernels that were launched earlier
// have written it, or have read what it held. A CUDA-aware MPI copies such buffers in streams that
// wait for the default stream; here each function with a buffer waits for that stream of the
// buffer's device. As on a GPU, other streams' work must have been waited for by the program.
//
// The functions come from mpi.h (tools/mpi_interfaces.py), for C and for Fortran, and call those of
// the profiling interface. A persistent request or a window with a device buffer is noted, and
// later starts and fences wait for all devices.
//
// Not seen are device addresses that are displacements in a datatype (with MPI_BOTTOM as buffer).
#include <mpi.h>

#include <cuda_runtime_api.h>

#include <atomic>
#include <type_traits>

#include <dlfcn.h>

#define OUTSIDE __attribute__((visibility("default")))
#define OPTIONAL __attribute__((weak)) // Fortran's are not there in a program in C

namespace {

/// The functions of the process's CUDA runtime. A program that has none has no device memory.
struct Runtime {
  decltype(&cudaPointerGetAttributes) attributes = nullptr;
  decltype(&cudaGetDevice) getDevice = nullptr;
  decltype(&cudaSetDevice) setDevice = nullptr;
  decltype(&cudaGetDeviceCount) count = nullptr;
  decltype(&cudaStreamSynchronize) synchronize = nullptr;

  static const Runtime *find() {
    static std::atomic<const Runtime *> found{nullptr};
    if (const Runtime *runtime = found.load(std::memory_order_acquire))
      return runtime;
    void *library = dlopen("libcudart.so.12", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
      return nullptr;
    auto *runtime = new Runtime;
    auto get = [&](auto &function, const char *name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    if (!get(runtime->attributes, "cudaPointerGetAttributes") ||
        !get(runtime->getDevice, "cudaGetDevice") || !get(runtime->setDevice, "cudaSetDevice") ||
        !get(runtime->count, "cudaGetDeviceCount") ||
        !get(runtime->synchronize, "cudaStreamSynchronize"))
      return nullptr;
    found.store(runtime, std::memory_order_release);
    return runtime;
  }

  void waitFor(int device) const {
    int current = 0;
    if (getDevice(&current) != cudaSuccess)
      return;
    if (device != current)
      setDevice(device);
    synchronize(
        cudaStreamLegacy); // an error stays with the context: the program's next call has it
    if (device != current)
      setDevice(current);
  }
};

std::atomic<bool> remembersDevice{false};

/// Waits if the buffer is a device's. Whether it is.
bool plain(const void *buffer) {
  const Runtime *runtime = buffer ? Runtime::find() : nullptr;
  cudaPointerAttributes attributes;
  if (!runtime || runtime->attributes(&attributes, buffer) != cudaSuccess ||
      (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged))
    return false;
  runtime->waitFor(attributes.device);
  return true;
}

/// A buffer that a request or a window keeps.
void persistent(const void *buffer) {
  if (plain(buffer))
    remembersDevice.store(true, std::memory_order_relaxed);
}

/// What was kept is used.
void started() {
  const Runtime *runtime = Runtime::find();
  int count = 0;
  if (!remembersDevice.load(std::memory_order_relaxed) || !runtime ||
      runtime->count(&count) != cudaSuccess)
    return;
  for (int device = 0; device < count; ++device)
    runtime->waitFor(device);
}

} // namespace

extern "C" {

#include "buffers.inc"

/// mpi-ext.h
OUTSIDE int MPIX_Query_cuda_support(void) { return 1; }

} // extern "C"
