// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who sits where. GPUs of one board are behind its own switch, boards of one hub behind one host bridge, and hubs are
// joined by the system. All processors are equally near.
#include "nvml/library.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <sched.h>

using namespace heddle::nvml;

namespace {

nvmlGpuTopologyLevel_t levelBetween(const Gpu &a, const Gpu &b) {
  if (a.card == b.card)
    return NVML_TOPOLOGY_INTERNAL;
  return a.hub == b.hub ? NVML_TOPOLOGY_HOSTBRIDGE : NVML_TOPOLOGY_SYSTEM;
}

/// Runs `body(a, b)` for two handles.
template <typename F>
nvmlReturn_t onTwo(nvmlDevice_t first, nvmlDevice_t second, bool arePointers, F &&body) {
  return onDevice(first, arePointers, [&](const Gpu &a) {
    return onDevice(second, true, [&](const Gpu &b) { return body(a, b); });
  });
}

/// Gives the handles of the GPUs for which `isOne(gpu)`; a count of 0 asks how many there are.
template <typename F> nvmlReturn_t giveSet(unsigned *count, nvmlDevice_t *handles, F &&isOne) {
  std::vector<nvmlDevice_t> found;
  for (const Gpu &gpu : machine())
    if (isOne(gpu))
      found.push_back(handleOf(gpu));
  const unsigned room = *count;
  *count = static_cast<unsigned>(found.size());
  if (room == 0)
    return NVML_SUCCESS;
  if (!handles)
    return NVML_ERROR_INVALID_ARGUMENT;
  *count = std::min(room, *count);
  std::copy_n(found.begin(), *count, handles);
  return NVML_SUCCESS;
}

nvmlGpuP2PStatus_t statusOf(const Gpu &a, const Gpu &b, nvmlGpuP2PCapsIndex_t index) {
  if (index == NVML_P2P_CAPS_INDEX_NVLINK)
    return NVML_P2P_STATUS_NOT_SUPPORTED;
  if (heddle::driver::arePeers(a, b))
    return NVML_P2P_STATUS_OK;
  return a.hub != b.hub ? NVML_P2P_STATUS_IOH_TOPOLOGY_NOT_SUPPORTED
                        : NVML_P2P_STATUS_GPU_NOT_SUPPORTED;
}

/// The processors that this process may use, as bits of `size` words.
nvmlReturn_t giveProcessors(nvmlDevice_t handle, unsigned size, unsigned long *set) {
  return onDevice(handle, set && size, [&](const Gpu &) {
    constexpr unsigned Bits = sizeof(unsigned long) * CHAR_BIT;
    std::fill_n(set, size, 0ul);
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
      return NVML_ERROR_UNKNOWN;
    for (unsigned i = 0; i < std::min<unsigned>(CPU_SETSIZE, size * Bits); ++i)
      if (CPU_ISSET(i, &mine))
        set[i / Bits] |= 1ul << i % Bits;
    return NVML_SUCCESS;
  });
}

} // namespace

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceOnSameBoard(nvmlDevice_t first, nvmlDevice_t second,
                                                   int *isSame) {
  return onTwo(first, second, isSame, [&](const Gpu &a, const Gpu &b) {
    *isSame = a.card == b.card;
    return NVML_SUCCESS;
  });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t first,
                                                                 nvmlDevice_t second,
                                                                 nvmlGpuTopologyLevel_t *level) {
  return onTwo(first, second, level, [&](const Gpu &a, const Gpu &b) {
    *level = levelBetween(a, b);
    return NVML_SUCCESS;
  });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetTopologyNearestGpus(nvmlDevice_t handle,
                                                              nvmlGpuTopologyLevel_t level,
                                                              unsigned *count,
                                                              nvmlDevice_t *handles) {
  return onDevice(handle, count, [&](const Gpu &gpu) {
    return giveSet(count, handles, [&](const Gpu &other) {
      return &other != &gpu && levelBetween(gpu, other) == level;
    });
  });
}

HEDDLE_NVML_API nvmlReturn_t nvmlSystemGetTopologyGpuSet(unsigned, unsigned *count,
                                                         nvmlDevice_t *handles) {
  return onSystem(count, [&] { return giveSet(count, handles, [](const Gpu &) { return true; }); });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t first, nvmlDevice_t second,
                                                    nvmlGpuP2PCapsIndex_t index,
                                                    nvmlGpuP2PStatus_t *status) {
  return onTwo(first, second, status, [&](const Gpu &a, const Gpu &b) {
    if (&a == &b || index < 0 || index >= NVML_P2P_CAPS_INDEX_UNKNOWN)
      return NVML_ERROR_INVALID_ARGUMENT;
    *status = statusOf(a, b, index);
    return NVML_SUCCESS;
  });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetCpuAffinity(nvmlDevice_t handle, unsigned size,
                                                      unsigned long *set) {
  return giveProcessors(handle, size, set);
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetCpuAffinityWithinScope(nvmlDevice_t handle, unsigned size,
                                                                 unsigned long *set,
                                                                 nvmlAffinityScope_t) {
  return giveProcessors(handle, size, set);
}

/// Memory nodes: data of a device lies on all of them, the first stands for it.
HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetMemoryAffinity(nvmlDevice_t handle, unsigned size,
                                                         unsigned long *set, nvmlAffinityScope_t) {
  return onDevice(handle, set && size, [&](const Gpu &) {
    std::fill_n(set, size, 0ul);
    set[0] = 1;
    return NVML_SUCCESS;
  });
}

/// All processors are near already.
HEDDLE_NVML_API nvmlReturn_t nvmlDeviceSetCpuAffinity(nvmlDevice_t handle) {
  return onDevice(handle, true, [](const Gpu &) { return NVML_SUCCESS; });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceClearCpuAffinity(nvmlDevice_t handle) {
  return onDevice(handle, true, [](const Gpu &) { return NVML_SUCCESS; });
}
