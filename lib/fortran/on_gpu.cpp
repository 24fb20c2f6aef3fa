// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fortran/on_gpu.h"

#include <mutex>
#include <set>
#include <vector>

#include <dlfcn.h>

/// In programs with host code that touches arrays of the device.
extern "C" const char heddleFortranHostTouches __attribute__((weak));

namespace heddle::fortran {

bool isOnGpu(bool *all) {
  static const auto ask =
      reinterpret_cast<bool (*)(int, bool *)>(dlsym(RTLD_DEFAULT, "heddle_is_on_gpu"));
  int device = 0;
  bool always = false;
  const bool isGpu = ask && cudaGetDevice(&device) == cudaSuccess && ask(device, &always);
  if (all)
    *all = isGpu && always;
  return isGpu;
}

namespace {

/// Variables of modules and arrays of fixed size are known by nothing but their address.
bool isGpuMemory(const void *address) {
  cudaPointerAttributes attributes;
  return isOnGpu() && cudaPointerGetAttributes(&attributes, address) == cudaSuccess &&
         attributes.type == cudaMemoryTypeDevice;
}

} // namespace

Reached::Reached(Descriptor &array, bool isWritten, Place place) : array_(array), place_(place) {
  if (!array.base_addr || elementsOf(array) == 0 || !isGpuMemory(array.base_addr))
    return;
  const Span span(array);
  there_ = static_cast<char *>(array.base_addr) + span.first;
  copy_.resize(span.bytes());
  isWritten_ = isWritten;
  check(cudaMemcpy(copy_.data(), there_, copy_.size(), cudaMemcpyDeviceToHost),
        "an array of a GPU for the host", place);
  array.base_addr = copy_.data() - span.first;
}

Reached::~Reached() {
  if (!there_)
    return;
  array_.base_addr = there_ + (static_cast<char *>(array_.base_addr) - copy_.data());
  if (isWritten_)
    check(cudaMemcpy(there_, copy_.data(), copy_.size(), cudaMemcpyHostToDevice),
          "an array of the host for a GPU", place_);
}

namespace {

/// An allocatable array of a GPU that is to become as another one is: Flang's assignment would
/// allocate it, and write.
bool takesShape(const Descriptor &to, const Descriptor &from) {
  return to.attribute == CFI_attribute_allocatable && isOnDeviceAlone(to) && to.rank == from.rank &&
         (!to.base_addr || !haveOneShape(to, from)) && isOnGpu() && !isTouchedByHost();
}

void takeShape(Descriptor &to, const Descriptor &from, bool keepsLength, Place place) {
  if (to.base_addr)
    _FortranAAllocatableDeallocate(to, false, nullptr, place.file, place.line);
  if (to.type == CFI_type_char && !keepsLength)
    to.elem_len = from.elem_len;
  CFI_index_t distance = static_cast<CFI_index_t>(to.elem_len);
  for (int d = 0; d < from.rank; ++d) {
    to.dim[d] = {from.dim[d].lower_bound, from.dim[d].extent, distance};
    distance *= from.dim[d].extent;
  }
  _FortranAAllocatableAllocate(to, nullptr, false, nullptr, place.file, place.line, copyAnywhere);
}

} // namespace

void assignElements(Descriptor &to, const Descriptor &from, Place place, bool keepsLength) {
  Reached source(const_cast<Descriptor &>(from), false, place); // may be a part of the other one
  if (takesShape(to, from))
    takeShape(to, from, keepsLength, place);
  Reached target(to, true, place);
  if (copyRows(to, from) || fillRows(to, from))
    return;
  auto assign = keepsLength ? _FortranAAssignExplicitLengthCharacter : _FortranAAssign;
  assign(to, from, place.file, place.line);
}

bool isTouchedByHost() {
  static const bool touches = &heddleFortranHostTouches;
  bool all = false;
  return touches && isOnGpu(&all) && all;
}

void keepTypes(const void *host, void *address, Place place) {
  static std::mutex mutex;
  static auto *done = new std::set<const void *>;
  cudaPointerAttributes attributes;
  size_t bytes = 0;
  {
    std::lock_guard guard(mutex);
    if (!done->insert(host).second)
      return;
  }
  if (!isOnGpu() || cudaPointerGetAttributes(&attributes, address) != cudaSuccess ||
      attributes.type != cudaMemoryTypeManaged || cudaGetSymbolSize(&bytes, host) != cudaSuccess)
    return;
  const auto *own = static_cast<void *const *>(host);
  std::vector<void *> there(bytes / sizeof(void *));
  check(cudaMemcpy(there.data(), address, there.size() * sizeof(void *), cudaMemcpyDefault),
        "types in a variable of a GPU", place);
  Dl_info known;
  for (size_t i = 0; i < there.size(); ++i)
    if (own[i] && own[i] != there[i] && dladdr(own[i], &known))
      check(
          cudaMemcpy(static_cast<void **>(address) + i, &own[i], sizeof(void *), cudaMemcpyDefault),
          "types in a variable of a GPU", place);
}

cudaError_t allocateTouched(void **memory, size_t bytes) {
  size_t left = 0, total = 0;
  int device = 0;
  if (cudaMemGetInfo(&left, &total) == cudaSuccess && bytes > left) // more would go to the host
    return cudaErrorMemoryAllocation;
  if (cudaError_t error = cudaMallocManaged(memory, bytes, cudaMemAttachGlobal))
    return error;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaMemAdvise(*memory, bytes, cudaMemAdviseSetPreferredLocation, device) != cudaSuccess ||
      cudaMemPrefetchAsync(*memory, bytes, device, nullptr) != cudaSuccess)
    cudaGetLastError(); // it gets there by the first use
  return cudaSuccess;
}

} // namespace heddle::fortran
