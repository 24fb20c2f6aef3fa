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
// On a GPU (HEDDLE_DEVICE=gpu) MPI gets the buffers as they are if it is aware of CUDA itself; else the
// program ends with a line that says so, where MPI would fault.
//
// Not seen are device addresses that are displacements in a datatype (with MPI_BOTTOM as buffer).
#include <mpi.h>

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdio>
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

/// Whether the machine's MPI reads the memory of GPUs.
bool isMpiAware() {
  static auto *const query =
      reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "MPIX_Query_cuda_support"));
  return query && query() == 1;
}

bool isOnGpu(int device) {
  static auto *const ask = [] {
    void *driver = dlopen("libheddle_driver.so", RTLD_LAZY | RTLD_NOLOAD);
    return reinterpret_cast<bool (*)(int, bool *)>(driver ? dlsym(driver, "heddle_is_on_gpu")
                                                          : nullptr);
  }();
  bool always;
  return ask && ask(device, &always);
}

/// Ends the program if MPI cannot reach the memory of the device.
void expectReach(int device) {
  if (!isOnGpu(device) || isMpiAware())
    return;
  std::fprintf(stderr, "heddle: MPI was given memory of a GPU, and this machine's MPI is not aware "
                       "of CUDA: copy it to the host\n");
  PMPI_Abort(MPI_COMM_WORLD, 1);
}

/// Waits if the buffer is a device's. Whether it is.
bool plain(const void *buffer) {
  const Runtime *runtime = buffer ? Runtime::find() : nullptr;
  cudaPointerAttributes attributes;
  if (!runtime || runtime->attributes(&attributes, buffer) != cudaSuccess ||
      (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged))
    return false;
  if (attributes.type == cudaMemoryTypeDevice)
    expectReach(attributes.device);
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
OUTSIDE int MPIX_Query_cuda_support(void) { return !isOnGpu(0) || isMpiAware(); }

} // extern "C"
