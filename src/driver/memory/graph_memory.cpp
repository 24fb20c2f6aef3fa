// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory nodes (CUDA guide, "Graph Memory Nodes"). The address is fixed when the node is made, so
// that other nodes can name it, and stays until no graph, no executable graph and no launch needs
// it any more. The memory counts from the first launch on, as said below; the system has pages for
// what is touched. Between an allocating launch and its free the
// allocation counts as allocated: that is what the functions here keep, in the order of the calls.
//
// What cuDeviceGetGraphMemAttribute tells is what a GPU would have mapped: memory is mapped by
// the first launch that allocates it, in units of Granule, and stays so until
// cuDeviceGraphMemTrim.
#include "driver/memory/graph_memory.h"

#include "driver/functions.h"
#include "driver/memory/memory.h"
#include "driver/rooms.h"

#include <algorithm>

namespace heddle::driver {

/// Its fields but for the first three belong to the table's mutex.
struct GraphAllocation {
  Context *device = nullptr;
  void *base = nullptr;
  size_t bytes = 0;
  bool isAllocated = false; ///< by a launch, and not freed since
  bool isMapped = false;    ///< since the last trim
  ~GraphAllocation();
};

namespace {

constexpr uint64_t Granule = 32 << 20; ///< bytes, as on an H200

struct Mapped {
  uint64_t current = 0, usedHigh = 0, reservedHigh = 0;
  uint64_t unowned = 0; ///< of `current`: of allocations that are gone
};

} // namespace

struct GraphMemoryTable {
  std::mutex mutex;
  std::map<void *, GraphAllocation *> all;
  /// Keeps allocations that are allocated, whatever becomes of their graphs.
  std::map<void *, std::shared_ptr<GraphAllocation>> live;
  std::map<int, Mapped> devices;
};

namespace {

GraphMemoryTable &table() { return rooms().graphMemory.get(); }

uint64_t mappedBytes(const GraphAllocation &allocation) {
  return (allocation.bytes + Granule - 1) / Granule * Granule;
}

// With the mutex held.

/// False if the device is full.
bool map(GraphAllocation &allocation) {
  if (allocation.isMapped)
    return true;
  if (!chargeMemory(*allocation.device, allocation.bytes))
    return false;
  allocation.isMapped = true;
  Mapped &mapped = table().devices[allocation.device->ordinal];
  mapped.current += mappedBytes(allocation);
  mapped.usedHigh = std::max(mapped.usedHigh, mapped.current);
  mapped.reservedHigh = std::max(mapped.reservedHigh, mapped.current);
  return true;
}

void unmap(GraphAllocation &allocation) {
  if (!std::exchange(allocation.isMapped, false))
    return;
  table().devices[allocation.device->ordinal].current -= mappedBytes(allocation);
  dischargeMemory(*allocation.device, allocation.bytes);
  device::cpu::Allocator::get().dropContent(allocation.base);
}

GraphAllocation *find(const void *p) {
  auto found = table().all.find(const_cast<void *>(p));
  return found == table().all.end() ? nullptr : found->second;
}

/// What launches under way use is not trimmed: this waits for them.
CUresult trim(int device) {
  state().devices[static_cast<size_t>(device)]->backend->synchronize();
  std::lock_guard guard(table().mutex);
  for (auto &[base, allocation] : table().all)
    if (allocation->device->ordinal == device && !allocation->isAllocated)
      unmap(*allocation);
  Mapped &mapped = table().devices[device];
  mapped.current -= std::exchange(mapped.unowned, 0);
  return CUDA_SUCCESS;
}

void addUse(const Graph &graph, GraphMemoryUse &use) {
  for (const Node *node : graph.nodes) {
    if (auto *alloc = operationAs<AllocOperation>(node->operation.get()))
      use.allocated.push_back(alloc->allocation);
    if (auto *free = operationAs<FreeOperation>(node->operation.get()))
      use.freed.push_back(free->pointer);
    for (const Graph *inside : node->operation->inside())
      addUse(*inside, use);
  }
}

} // namespace

GraphAllocation::~GraphAllocation() {
  giveMemory(base, device::cpu::MemoryKind::Device, Owner::Graph);
  std::lock_guard guard(table().mutex);
  table().all.erase(base);
  if (!isMapped)
    return;
  dischargeMemory(*device, bytes);
  table().devices[device->ordinal].unowned += mappedBytes(*this);
}

GraphMemoryUse memoryUseOf(const Graph &graph) {
  GraphMemoryUse use;
  addUse(graph, use);
  return use;
}

CUresult takeGraphMemory(const GraphMemoryUse &use, bool freesFirst) {
  std::vector<std::shared_ptr<GraphAllocation>> freed; // the last reference goes without the lock
  std::lock_guard guard(table().mutex);
  auto allocates = [&](void *p) {
    return std::ranges::any_of(use.allocated, [&](auto &one) { return one->base == p; });
  };
  for (auto &allocation : use.allocated)
    if (allocation->isAllocated && !freesFirst)
      return CUDA_ERROR_INVALID_VALUE;
  for (void *p : use.freed)
    if (const GraphAllocation *found = find(p); !found || (!found->isAllocated && !allocates(p)))
      return CUDA_ERROR_INVALID_VALUE;
  for (auto &allocation : use.allocated)
    if (!map(*allocation))
      return CUDA_ERROR_OUT_OF_MEMORY;
  for (auto &allocation : use.allocated) {
    allocation->isAllocated = true;
    table().live[allocation->base] = allocation;
  }
  for (void *p : use.freed) {
    find(p)->isAllocated = false;
    freed.push_back(std::move(table().live[p]));
    table().live.erase(p);
  }
  return CUDA_SUCCESS;
}

void resetGraphMemory(Context &device) {
  std::map<void *, std::shared_ptr<GraphAllocation>> gone; // without the lock
  std::lock_guard guard(table().mutex);
  for (auto &[base, allocation] : table().all)
    if (allocation->device == &device) {
      unmap(*allocation);
      if (std::exchange(allocation->isAllocated, false))
        gone.insert(table().live.extract(base));
    }
}

bool freeGraphMemory(void *p) {
  std::shared_ptr<GraphAllocation> freed;
  std::lock_guard guard(table().mutex);
  auto found = table().live.find(p);
  if (found == table().live.end())
    return false;
  freed = std::move(found->second);
  freed->isAllocated = false;
  table().live.erase(found);
  return true;
}

CUresult makeAlloc(cudaMemAllocNodeParams &p, std::unique_ptr<Operation> &operation) {
  if (p.poolProps.allocType != cudaMemAllocationTypePinned ||
      p.poolProps.location.type != cudaMemLocationTypeDevice ||
      !isDevice(p.poolProps.location.id) || !p.bytesize || (p.accessDescCount && !p.accessDescs))
    return CUDA_ERROR_INVALID_VALUE;
  if (p.poolProps.handleTypes) // no other process has memory of a graph
    return CUDA_ERROR_NOT_SUPPORTED;
  Context &device = *state().devices[static_cast<size_t>(p.poolProps.location.id)];
  if (p.bytesize > totalMemory(device))
    return CUDA_ERROR_OUT_OF_MEMORY;
  void *base = takeMemory(device, p.bytesize, device::cpu::MemoryKind::Device, {Owner::Graph, 0});
  if (!base)
    return CUDA_ERROR_OUT_OF_MEMORY;
  auto made = std::make_unique<AllocOperation>();
  made->device = &device;
  made->allocation = std::make_shared<GraphAllocation>();
  made->allocation->device = &device;
  made->allocation->base = p.dptr = base;
  made->allocation->bytes = p.bytesize;
  made->access.assign(p.accessDescs, p.accessDescs + p.accessDescCount);
  made->params = p;
  {
    std::lock_guard guard(table().mutex);
    table().all[base] = made->allocation.get();
  }
  operation = std::move(made);
  return CUDA_SUCCESS;
}

bool isGraphMemory(const void *p) {
  std::lock_guard guard(table().mutex);
  return find(p);
}

bool freesAlready(const Graph &graph, const void *p) {
  return std::ranges::count(memoryUseOf(graph).freed, p);
}

CUresult makeFree(void *p, std::unique_ptr<Operation> &operation) {
  std::lock_guard guard(table().mutex);
  const GraphAllocation *found = find(p);
  if (!found)
    return CUDA_ERROR_INVALID_VALUE;
  operation = std::make_unique<FreeOperation>(p);
  operation->device = found->device;
  return CUDA_SUCCESS;
}

static std::string addressText(const void *p) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", p);
  return text;
}

std::vector<std::string> AllocOperation::describe() const {
  return {"alloc", addressText(params.dptr), std::to_string(params.bytesize) + " bytes"};
}
std::vector<std::string> FreeOperation::describe() const { return {"free", addressText(pointer)}; }

// ---------------------------------------------------------------------------------------------------
// Driver API, "Graph Management": memory that graphs have on a device.

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return isDevice(device) ? trim(device) : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute which, void *value) {
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard guard(table().mutex);
  const Mapped &mapped = table().devices[device];
  auto &out = *static_cast<uint64_t *>(value);
  switch (which) {
  case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
  case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
    out = mapped.current;
    return CUDA_SUCCESS;
  case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
    out = mapped.usedHigh;
    return CUDA_SUCCESS;
  case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
    out = mapped.reservedHigh;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute which, void *value) {
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!value || *static_cast<uint64_t *>(value) != 0) // a high mark can only be put back
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard guard(table().mutex);
  Mapped &mapped = table().devices[device];
  if (which == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
    mapped.usedHigh = mapped.current;
  else if (which == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
    mapped.reservedHigh = mapped.current;
  else
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
