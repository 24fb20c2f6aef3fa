// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fortran/entry.h"

#include "fortran/on_gpu.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace heddle::fortran {

size_t sizeOf(const Descriptor &descriptor) {
  constexpr size_t Head = offsetof(Descriptor, dim), Addendum = 16;
  return Head + sizeof(CFI_dim_t) * descriptor.rank + (descriptor.extra & 1 ? Addendum : 0);
}

size_t elementsOf(const Descriptor &descriptor) {
  size_t count = 1;
  for (int d = 0; d < descriptor.rank; ++d)
    count *= static_cast<size_t>(descriptor.dim[d].extent);
  return count;
}

bool haveOneShape(const Descriptor &a, const Descriptor &b) {
  if (a.rank != b.rank)
    return false;
  for (int d = 0; d < a.rank; ++d)
    if (a.dim[d].extent != b.dim[d].extent)
      return false;
  return true;
}

bool isContiguous(const Descriptor &descriptor) {
  auto bytes = static_cast<CFI_index_t>(descriptor.elem_len);
  for (int d = 0; d < descriptor.rank; ++d) {
    if (descriptor.dim[d].extent != 1 && descriptor.dim[d].sm != bytes)
      return false;
    bytes *= descriptor.dim[d].extent;
  }
  return true;
}

namespace {

/// The name of a derived type, from its description in an addendum. Of that only the place of the
/// name is used: behind the descriptor of the bindings, which has one dimension and an addendum
/// (flang/module/__fortran_type_info.f90).
std::string_view typeName(const Descriptor &descriptor) {
  constexpr size_t BindingBytes = offsetof(Descriptor, dim) + sizeof(CFI_dim_t) + 16;
  const char *type;
  std::memcpy(&type, reinterpret_cast<const char *>(descriptor.dim + descriptor.rank), sizeof type);
  if (!type)
    return {};
  auto *name = reinterpret_cast<const Descriptor *>(type + BindingBytes);
  return {static_cast<const char *>(name->base_addr), name->elem_len};
}

} // namespace

bool isAddress(const Descriptor &descriptor) {
  constexpr unsigned char HasAddendum = 1;
  if (descriptor.rank != 0 || !(descriptor.extra & HasAddendum) ||
      descriptor.type != CFI_type_struct)
    return false;
  std::string_view name = typeName(descriptor);
  return name == "__builtin_c_devptr" || name == "__builtin_c_ptr";
}

void *dataOf(const Descriptor &descriptor) {
  return isAddress(descriptor) ? *static_cast<void **>(descriptor.base_addr) : descriptor.base_addr;
}

void check(cudaError_t error, const char *what, Place place) {
  if (error == cudaSuccess)
    return;
  std::fflush(stdout);
  if (place.file)
    std::fprintf(stderr, "%s:%d: ", place.file, place.line);
  std::fprintf(stderr, "error: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(EXIT_FAILURE);
}

void syncDescriptor(const void *hostVariable, Place place) {
  void *address = nullptr;
  if (cudaGetSymbolAddress(&address, hostVariable) != cudaSuccess) {
    cudaGetLastError(); // it is on the host alone
    return;
  }
  auto *descriptor = static_cast<const Descriptor *>(hostVariable);
  check(cudaMemcpy(address, descriptor, sizeOf(*descriptor), cudaMemcpyHostToDevice),
        "the descriptor of a variable", place);
}

} // namespace heddle::fortran

using namespace heddle::fortran;

/// A descriptor of an array that kernels see, for one call: memory that host and device see, though
/// launches have copies of it (src/frontend/fortran/launches.cpp).
/// (_FortranACUFAllocDescriptor, which src/frontend/fortran/device_module.cpp renames.)
HEDDLE_FORTRAN Descriptor *heddleFortranAllocDescriptor(size_t bytes, const char *file, int line) {
  void *memory = allocateForBoth(bytes);
  if (!memory)
    check(cudaErrorMemoryAllocation, "memory for a descriptor", {file, line});
  std::memset(memory, 0, bytes);
  tellOfVariable(memory);
  return static_cast<Descriptor *>(memory);
}

HEDDLE_FORTRAN void _FortranACUFFreeDescriptor(Descriptor *descriptor, const char *file, int line) {
  if (!freeManaged(descriptor))
    check(cudaFree(descriptor), "the memory of a descriptor", {file, line});
}

HEDDLE_FORTRAN void *_FortranACUFGetDeviceAddress(void *hostVariable, const char *file, int line) {
  void *address = nullptr;
  check(cudaGetSymbolAddress(&address, hostVariable), "the address of a device variable",
        {file, line});
  keepTypes(hostVariable, address, {file, line});
  return address;
}

HEDDLE_FORTRAN void _FortranACUFDescriptorSync(Descriptor *to, const Descriptor *from,
                                               const char *file, int line) {
  check(cudaMemcpy(to, from, sizeOf(*from), cudaMemcpyHostToDevice), "a descriptor", {file, line});
}

HEDDLE_FORTRAN void _FortranACUFSyncGlobalDescriptor(void *hostVariable, const char *file,
                                                     int line) {
  syncDescriptor(hostVariable, {file, line});
}

/// A dummy argument with explicit shape takes sections that are contiguous in their first
/// dimension.
HEDDLE_FORTRAN void _FortranACUFDescriptorCheckSection(const Descriptor *section, const char *file,
                                                       int line) {
  if (section->rank > 0 && section->dim[0].extent > 1 &&
      section->dim[0].sm != static_cast<CFI_index_t>(section->elem_len))
    check(cudaErrorInvalidValue,
          "a section of a device array that is not contiguous in its first dimension",
          {file, line});
}
