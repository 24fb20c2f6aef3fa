// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Managed variables of host code: their pages are registered with NVIDIA's driver, unless the GPU reaches all
// memory of the host. Attributes and bounds are those of the variable. Nothing moves, so advice and
// prefetches have nothing to do.
#include "driver/gpu/gpu_managed.h"

#include "driver/gpu/machine_library.h"

#include <map>
#include <mutex>
#include <optional>
#include <set>

#include <unistd.h>

namespace heddle::driver {

namespace {

struct Known {
  std::mutex mutex;
  std::map<uintptr_t, size_t> variables; ///< address, bytes
  std::set<uintptr_t> pages;             ///< registered
};
Known &known() {
  static Known &all = *new Known;
  return all;
}

struct Variable {
  CUdeviceptr start;
  size_t bytes;
};

/// The one that the address is in.
std::optional<Variable> variableAt(CUdeviceptr p) {
  std::lock_guard guard(known().mutex);
  auto behind = known().variables.upper_bound(static_cast<uintptr_t>(p));
  if (behind == known().variables.begin())
    return std::nullopt;
  const auto [start, bytes] = *std::prev(behind);
  return p - start < bytes ? std::optional(Variable{start, bytes}) : std::nullopt;
}

CUresult registerPages(uintptr_t host, size_t bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  std::lock_guard guard(known().mutex);
  for (uintptr_t at = host / page * page; at < host + bytes; at += page) {
    if (known().pages.contains(at))
      continue;
    CUresult error =
        machine().cuMemHostRegister_v2(reinterpret_cast<void *>(at), page,
                                       CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
    if (error != CUDA_SUCCESS && error != CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
      return error;
    known().pages.insert(at);
  }
  return CUDA_SUCCESS;
}

bool reachesAllHostMemory() {
  CUdevice device;
  int reaches = 0;
  return machine().cuCtxGetDevice(&device) == CUDA_SUCCESS &&
         machine().cuDeviceGetAttribute(&reaches, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS,
                                        device) == CUDA_SUCCESS &&
         reaches;
}

/// false: the attribute is as NVIDIA's driver says.
bool answer(void *value, CUpointer_attribute attribute, CUdeviceptr p, const Variable &variable) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *static_cast<unsigned *>(value) = CU_MEMORYTYPE_DEVICE;
    return true;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    *static_cast<unsigned *>(value) = 1;
    return true;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    *static_cast<CUdeviceptr *>(value) = p;
    return true;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    *static_cast<CUdeviceptr *>(value) = variable.start;
    return true;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    *static_cast<size_t *>(value) = variable.bytes;
    return true;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *static_cast<int *>(value) = 0;
    (void)machine().cuCtxGetDevice(static_cast<CUdevice *>(value));
    return true;
  default:
    return false;
  }
}

CUresult attributeOf(void *value, CUpointer_attribute attribute, CUdeviceptr p) {
  const auto variable = value ? variableAt(p) : std::nullopt;
  return variable && answer(value, attribute, p, *variable)
             ? CUDA_SUCCESS
             : machine().cuPointerGetAttribute(value, attribute, p);
}

CUresult attributesOf(unsigned count, CUpointer_attribute *attributes, void **values,
                      CUdeviceptr p) {
  CUresult error = machine().cuPointerGetAttributes(count, attributes, values, p);
  const auto variable = error == CUDA_SUCCESS ? variableAt(p) : std::nullopt;
  for (unsigned i = 0; variable && i < count; ++i)
    (void)answer(values[i], attributes[i], p, *variable);
  return error;
}

CUresult boundsOf(CUdeviceptr *base, size_t *bytes, CUdeviceptr p) {
  const auto variable = variableAt(p);
  if (!variable)
    return machine().cuMemGetAddressRange_v2(base, bytes, p);
  if (base)
    *base = variable->start;
  if (bytes)
    *bytes = variable->bytes;
  return CUDA_SUCCESS;
}

/// For functions that take an address and a size first, where there is nothing to do for a variable.
template <auto Member, class... Rest>
CUresult unlessOurs(CUdeviceptr p, size_t bytes, Rest... rest) {
  const auto variable = variableAt(p);
  if (!variable)
    return (machine().*Member)(p, bytes, rest...);
  return bytes && p + bytes <= variable->start + variable->bytes ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

void noteManaged(const void *host, size_t bytes) {
  std::lock_guard guard(known().mutex);
  known().variables[reinterpret_cast<uintptr_t>(host)] = bytes;
}

CUresult reachManaged(void *host, size_t bytes, CUdeviceptr &address) {
  address = reinterpret_cast<CUdeviceptr>(host);
  if (reachesAllHostMemory())
    return CUDA_SUCCESS;
  CUresult error = registerPages(reinterpret_cast<uintptr_t>(host), bytes);
  return error ? error : machine().cuMemHostGetDevicePointer_v2(&address, host, 0);
}

void interceptManaged(Table &table) {
  table.cuPointerGetAttribute = attributeOf;
  table.cuPointerGetAttributes = attributesOf;
  table.cuMemGetAddressRange_v2 = boundsOf;
  table.cuMemAdvise = unlessOurs<&Table::cuMemAdvise, CUmem_advise, CUdevice>;
  table.cuMemAdvise_v2 = unlessOurs<&Table::cuMemAdvise_v2, CUmem_advise, CUmemLocation>;
  table.cuMemPrefetchAsync = unlessOurs<&Table::cuMemPrefetchAsync, CUdevice, CUstream>;
  table.cuMemPrefetchAsync_ptsz = unlessOurs<&Table::cuMemPrefetchAsync_ptsz, CUdevice, CUstream>;
  table.cuMemPrefetchAsync_v2 =
      unlessOurs<&Table::cuMemPrefetchAsync_v2, CUmemLocation, unsigned, CUstream>;
  table.cuMemPrefetchAsync_v2_ptsz =
      unlessOurs<&Table::cuMemPrefetchAsync_v2_ptsz, CUmemLocation, unsigned, CUstream>;
}

} // namespace heddle::driver
