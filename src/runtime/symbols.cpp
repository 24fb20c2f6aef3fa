// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch looks its stub up in what the thread remembers of its latest ones, which takes a few ns
// and no lock.
#include "runtime/symbols.h"

#include "runtime/registration.h"

namespace heddle::runtime {

namespace {

/// The kernels of a thread's latest stubs, each in one place. Without a destructor.
struct LatestKernels {
  struct Place {
    const void *stub = nullptr;
    CUfunction kernel = nullptr;
  };
  static constexpr size_t Places = 16;
  uint64_t closings = 0;
  Place places[Places];

  Place &of(const void *stub) {
    const auto address = reinterpret_cast<uintptr_t>(stub);
    return places[(address >> 4 ^ address >> 8) % Places];
  }
};

constinit thread_local LatestKernels latest;

/// For what is no stub: a handle of the driver's, or nothing.
CUresult kernelOfHandle(const void *handle, CUfunction &kernel) {
  CUresult error = ask<&Cu::cuKernelGetFunction>(
      &kernel, reinterpret_cast<CUkernel>(const_cast<void *>(handle)));
  return as(error, CUDA_ERROR_INVALID_HANDLE, cudaErrorInvalidDeviceFunction);
}

/// Takes the kernel from its library, at the first use of its stub.
CUresult takeKernel(const void *stub, HostKernel found, CUfunction &kernel) {
  if (CUresult error = load(*found.binary))
    return error;
  CUkernel taken = nullptr;
  CUresult error = ask<&Cu::cuLibraryGetKernel>(&taken, found.binary->library, found.name);
  if (error != CUDA_SUCCESS)
    return as(error, CUDA_ERROR_NOT_FOUND, cudaErrorInvalidDeviceFunction);
  kernel = reinterpret_cast<CUfunction>(taken);
  Registered &all = registered();
  std::unique_lock guard(all.mutex);
  if (auto place = all.kernels.find(stub); place != all.kernels.end()) {
    place->second.kernel = kernel;
    all.stubs[kernel] = stub;
  }
  return CUDA_SUCCESS;
}

CUresult findKernel(const void *stub, CUfunction &kernel) {
  Registered &all = registered();
  const uint64_t closings = all.closings.load(std::memory_order_acquire);
  HostKernel found;
  {
    std::shared_lock guard(all.mutex);
    if (auto place = all.kernels.find(stub); place != all.kernels.end())
      found = place->second;
  }
  if (!found.binary)
    return kernelOfHandle(stub, kernel);
  kernel = found.kernel;
  if (!kernel)
    if (CUresult error = takeKernel(stub, found, kernel))
      return error;
  if (latest.closings != closings)
    latest = {closings, {}};
  latest.of(stub) = {stub, kernel};
  return CUDA_SUCCESS;
}

} // namespace

CUresult kernelOf(const void *stub, CUfunction &kernel) {
  const LatestKernels::Place &place = latest.of(stub);
  if (place.stub == stub && stub &&
      latest.closings == registered().closings.load(std::memory_order_acquire)) [[likely]] {
    kernel = place.kernel;
    return CUDA_SUCCESS;
  }
  return findKernel(stub, kernel);
}

const void *stubOf(CUfunction kernel) {
  std::shared_lock guard(registered().mutex);
  auto place = registered().stubs.find(kernel);
  return place == registered().stubs.end() ? kernel : place->second;
}

namespace {

/// What a symbol names, with its library loaded; without a library if it names nothing.
CUresult look(const void *symbol, HostSymbol &found, CUlibrary &library) {
  {
    std::shared_lock guard(registered().mutex);
    if (auto place = registered().symbols.find(symbol); place != registered().symbols.end())
      found = place->second;
  }
  library = nullptr;
  if (!found.binary)
    return CUDA_SUCCESS;
  CUresult error = load(*found.binary);
  if (error == CUDA_SUCCESS)
    library = found.binary->library;
  return error;
}

} // namespace

CUresult findSymbol(const void *symbol, CUdeviceptr &address, size_t &bytes) {
  HostSymbol found;
  CUlibrary library;
  if (CUresult error = look(symbol, found, library))
    return error;
  // For what is no symbol, too: what is wrong with the context comes first.
  CUresult error = ask<&Cu::cuLibraryGetGlobal>(&address, &bytes, library, found.name);
  if (error == CUDA_ERROR_NOT_FOUND)
    error = ask<&Cu::cuLibraryGetManaged>(&address, &bytes, library, found.name);
  return as(as(error, CUDA_ERROR_NOT_FOUND, cudaErrorInvalidSymbol), CUDA_ERROR_INVALID_HANDLE,
            cudaErrorInvalidSymbol);
}

CUresult findReference(const void *reference, ReferencePlace &place) {
  HostSymbol found;
  CUlibrary library;
  if (CUresult error = look(reference, found, library))
    return error;
  place.name = found.name;
  place.readsNormalized = found.readsNormalized;
  CUresult error =
      ask<&Cu::cuLibraryGetModule>(&place.module, found.isReference ? library : nullptr);
  return as(error, CUDA_ERROR_INVALID_HANDLE, cudaErrorInvalidTexture);
}

} // namespace heddle::runtime
