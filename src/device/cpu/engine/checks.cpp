// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/engine/checks.h"

#include "device/checks.h"
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/graph.h"
#include "device/cpu/engine/grid_children.h"
#include "device/cpu/engine/queue.h"
#include "device/cpu/engine/services.h"
#include "device/cpu/engine/watch.h"
#include "device/cpu/memory/allocator.h"
#include "device/cpu/memory/watched.h"
#include "device/cpu/schedule/shuffled.h"
#include "device/launch_fault.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

namespace heddle::device::cpu {

struct CheckedState {
  CheckedLaunch abi;
  const uint32_t *params; ///< KernelCode::checkedParams
  std::vector<Bounds> bounds;
  std::vector<uint64_t> pointers, tracked;
  std::vector<uint8_t> cannotRace; ///< CheckedLaunch::cannotRace
  uint32_t origin, paramBytes;
  uint64_t call; ///< numberCall
  const LaunchProof *proof;
  ProofLaunch facts; ///< of the launch; params and isAlone are not set
  bool areAlike;     ///< blocks, in what they do with shared memory
};

static std::atomic<uint64_t> live = 0;

static bool isPlain(const LaunchRequest &request) {
  return !request.cooperative && !request.multiGrid && !request.hasClusters;
}

static ProofLaunch factsOf(const LaunchRequest &request) {
  ProofLaunch launch = {static_cast<const uint8_t *>(request.params),
                        {},
                        {},
                        request.dynamicSharedBytes,
                        request.globals,
                        isPlain(request),
                        checker()->isSampled};
  std::copy_n(request.gridDim, 3, launch.gridDim);
  std::copy_n(request.blockDim, 3, launch.blockDim);
  return launch;
}

CheckedState *newChecked(const LaunchRequest &request) {
  const KernelCode &code = *request.kernel->code;
  if (!code.checkedParams)
    return nullptr;
  size_t count = 0;
  while (code.checkedParams[count] != NoParam)
    ++count;
  auto *state =
      new CheckedState{{&checker()->services, nullptr, nullptr, nullptr, {}, code.checks, 0, 0},
                       code.checkedParams,
                       {},
                       {},
                       {},
                       {},
                       request.origin,
                       request.paramBytes,
                       numberCall(),
                       code.proof,
                       factsOf(request),
                       false};
  state->bounds.resize(count), state->pointers.resize(count), state->tracked.resize(count);
  state->cannotRace.resize(1 + count);
  state->abi.cannotRace = state->cannotRace.data();
  state->abi.bounds = state->bounds.data();
  live.fetch_add(1);
  return state;
}

static Bounds boundsOf(uint64_t address, uint64_t call) {
  Allocation allocation;
  if (!Allocator::get().find(reinterpret_cast<const void *>(address), allocation) ||
      checker()->isGone(allocation.base, call))
    return {nullptr, 0};
  return {allocation.base, allocation.bytes};
}

/// Of memory that a device may use; null: that of the call.
static Bounds boundsOn(const CpuDevice *device, uint64_t address, uint64_t call) {
  Bounds bounds = boundsOf(address, call);
  return bounds.bytes && checker()->isForeign(device, bounds.low) ? Bounds{nullptr, 0} : bounds;
}

static CheckedLaunch *checkedOf(const Op &op) {
  bool isChecked = op.kind == OpKind::Launch && op.launch.checked;
  return isChecked ? &op.launch.checked->abi : nullptr;
}

static std::atomic<bool> hasStreams = false;
static std::atomic<bool> sharesMemory = false, sharesVariables = false; ///< with host code

/// What host code may access, too.
static bool isOfHost(const void *address) {
  Allocation allocation;
  return !Allocator::get().find(address, allocation) || allocation.use.kind != MemoryKind::Device;
}

/// All work is in one order, and host code changes no variables.
static bool isInOrder() {
  return !hasStreams.load(std::memory_order_relaxed) &&
         !sharesVariables.load(std::memory_order_relaxed);
}

/// Nothing that runs beside a launch, and no host code, accesses what its pointers point to, or its
/// textures.
static bool isAlone(const uint32_t *checkedParams, const uint8_t *params,
                    const LaunchProof *proof) {
  if (!isInOrder())
    return false;
  if (!sharesMemory.load(std::memory_order_relaxed) || !checkedParams)
    return true;
  if (proof && proof->flags & ReadsTexels)
    return false;
  for (const uint32_t *param = checkedParams; *param != NoParam; ++param) {
    const void *pointer;
    std::memcpy(&pointer, params + offsetOfParam(*param), sizeof(pointer));
    if (pointer && isOfHost(pointer))
      return false;
  }
  return true;
}

/// Of a launch that runs alone: memory that it only reads, or of which each thread has its own, if no
/// parameter that it uses otherwise is in the same allocation.
static void findWhatCannotRace(Op &op) {
  CheckedState &checked = *op.launch.checked;
  const uint32_t *grid = op.launch.abi.gridDim;
  bool isInStream = !op.parent && !op.queue->graph;
  bool isAlone = isInStream && cpu::isAlone(checked.params, op.launch.abi.params, checked.proof);
  checked.cannotRace[0] = isInStream && isInOrder();
  bool isRow = grid[1] == 1 && grid[2] == 1;
  size_t count = checked.bounds.size();
  for (size_t i = 0; i < count; ++i) {
    ParamUse use = useOfParam(checked.params[i]);
    bool cannotRace = isAlone && checked.bounds[i].bytes &&
                      (use == ParamUse::Read || (use == ParamUse::Own && isRow));
    for (size_t j = 0; cannotRace && j < count; ++j) {
      bool isHarmless =
          i == j || (use == ParamUse::Read && useOfParam(checked.params[j]) == ParamUse::Read);
      cannotRace =
          isHarmless || (checked.bounds[j].bytes && checked.bounds[j].low != checked.bounds[i].low);
    }
    checked.cannotRace[1 + i] = cannotRace;
  }
  if (!checked.proof || !(checked.abi.checks & CheckRaces))
    return;
  checked.facts.params = op.launch.abi.params;
  std::copy_n(grid, 3, checked.facts.gridDim);
  checked.facts.isAlone &= isAlone;
  LaunchProver prover(*checked.proof, checked.facts,
                      [](uint64_t address) { return boundsOf(address, numberCall()); });
  checked.areAlike = prover.areBlocksAlike();
  std::vector<uint32_t> without = prover.paramsWithoutRaces();
  for (size_t i = 0; i < count; ++i)
    if (std::ranges::find(without, offsetOfParam(checked.params[i])) != without.end())
      checked.cannotRace[1 + i] = true;
}

bool isTrial(const LaunchState &launch) {
  const CheckedState *checked = launch.checked;
  return (launch.rest && !launch.takesRest) ||
         (checked->areAlike && !__atomic_load_n(&checked->abi.sharedCannotRace, __ATOMIC_RELAXED));
}

void endTrial(LaunchState &launch) {
  if (!checker()->hasFoundNothing(*launch.abi.check))
    return;
  launch.takesRest = launch.rest;
  if (launch.checked->areAlike)
    __atomic_store_n(&launch.checked->abi.sharedCannotRace, 1, __ATOMIC_RELAXED);
}

/// As allocations are now.
static void lookAtParams(Op &op) {
  LaunchState &launch = op.launch;
  for (size_t i = 0; i < launch.checked->bounds.size(); ++i) {
    uint64_t address;
    std::memcpy(&address, launch.abi.params + offsetOfParam(launch.checked->params[i]),
                sizeof(address));
    launch.checked->bounds[i] = boundsOn(op.queue->device, address, launch.checked->call);
    launch.checked->pointers[i] = address;
  }
  launch.checked->abi.sharedCannotRace = 0;
  findWhatCannotRace(op);
  if (!hasShadows())
    return;
  DeviceHeap &heap = op.queue->device->heap();
  heap.keepShadow();
  for (uint64_t pointer : launch.checked->pointers)
    if (heap.contains(pointer))
      heap.forgetShadow(reinterpret_cast<const void *>(pointer));
  checker()->shadowLaunch(launch.checked->abi.shadow, launch.checked->pointers.data(),
                          launch.checked->pointers.size(), launch.checked->tracked.data());
}

void beginChecked(Op &op) {
  LaunchState &launch = op.launch;
  launch.abi.check = checkedOf(op);
  if (op.queue->graph) // noteGraphBegins
    return;
  checker()->launchBegins(&launch.abi, launch.checked->abi);
  lookAtParams(op);
}

bool hasShadows() { return checker() && checker()->shadowLaunch; }

void beginShared(const Block &block) {
  const Launch &launch = *block.launch;
  if (launch.check && hasShadows())
    std::memset(block.shared - sharedShadowDistance(launch.sharedBytes), 0xff, launch.sharedBytes);
}

static OrderStep::Kind stepOf(const Op &op) {
  using Kind = OrderStep::Kind;
  switch (op.kind) {
  case OpKind::HostFunction:
    return op.isOfDevice ? Kind::Work : Kind::HostWork;
  case OpKind::Inline:
    return Kind::HostWork;
  case OpKind::Record:
    return Kind::Record;
  case OpKind::Wait:
    return Kind::Wait;
  case OpKind::OutsideWait:
    return Kind::Unknown;
  case OpKind::Graph: // what kernels of a graph launch has no place
    return op.graph->parent ? Kind::Work : Kind::Graph;
  case OpKind::Choose:
    return Kind::Graph;
  default:
    return op.isTail ? Kind::Tail : Kind::Work;
  }
}

/// Of children's queues, whose memory is used again: those of blocks and threads are given up and made
/// anew while they stay the same ones; others are never the same.
static const void *nameOf(const Queue &queue, const Op &op) {
  if (!op.parent)
    return &queue;
  using Kind = ChildStream::Kind;
  uint64_t key = queue.childKind == Kind::FireAndForget ? op.launch.abi.launchId : queue.childKey;
  auto kind = static_cast<uint64_t>(queue.childKind);
  return reinterpret_cast<const void *>(key << 3 | kind | uint64_t(1) << 63);
}

/// That is worth a place of its own.
static bool isTask(const Op &op) {
  bool isWork = op.kind == OpKind::Task || op.kind == OpKind::Inline ||
                (op.kind == OpKind::HostFunction && op.isOfDevice);
  return isWork && (op.queue->graph || hasStreams.load(std::memory_order_relaxed) ||
                    sharesMemory.load(std::memory_order_relaxed));
}

void runTask(const Op &op, Task &task) {
  runningTask = &op;
  task();
  runningTask = nullptr;
}

void noteAppended(Op &op) {
  watchAppended(op);
  if (!checker())
    return;
  const Queue &queue = *op.queue;
  if (op.kind == OpKind::Graph)
    op.graph->call = numberCall();
  OrderStep step = {.kind = stepOf(op), .rule = queue.kind};
  step.device = queue.device;
  step.queue = nameOf(queue, op);
  step.marker = op.marker;
  step.launch = checkedOf(op);
  step.operation = &op;
  step.isTask = isTask(op);
  if (op.parent) {
    step.parent = checkedOf(op.parent->grid());
    if (!step.parent)
      return;
  }
  // What a graph records or waits for is recorded or waited for by the whole of it.
  if (op.kind == OpKind::Graph)
    for (Marker *event : op.graph->events)
      checker()->noteOrder(
          {OrderStep::Kind::Wait, queue.kind, queue.device, step.queue, event, nullptr});
  checker()->noteOrder(step);
  if (op.kind == OpKind::Graph)
    for (Marker *event : op.graph->events)
      checker()->noteOrder(
          {OrderStep::Kind::Record, queue.kind, queue.device, step.queue, event, nullptr});
}

void noteGraphBegins(Graph &graph) {
  watchGraphBegins(graph);
  if (!checker())
    return;
  checker()->noteOrder({.kind = OrderStep::Kind::GraphBegins, .operation = graph.runner});
  const Op *run = graph.root->runner;
  for (Op &op : graph.ops) {
    CheckedLaunch *launch = checkedOf(op);
    if (launch) {
      checker()->launchBegins(&op.launch.abi, *launch);
      if (run && run->kind == OpKind::Graph)
        op.launch.checked->call = run->graph->call;
      lookAtParams(op);
    }
    OrderStep step = {.kind = stepOf(op), .device = op.queue->device, .queue = op.queue};
    step.marker = op.marker;
    step.launch = launch;
    step.operation = &op;
    step.isTask = isTask(op);
    step.within = graph.runner;
    checker()->noteOrder(step);
  }
}

void noteChanged(Op &op) {
  if (op.launch.checked)
    lookAtParams(op);
}

void noteChild(const Op &child, const ChildStream &stream) {
  CheckedLaunch *launch = checkedOf(child), *parent = checkedOf(child.parent->grid());
  if (checker() && launch && parent && stream.caller)
    checker()->childBegins(*launch, stream.caller, stream.thread, child.isTail);
}

void noteChildrenSeen(const Op &grid) {
  if (checker())
    checker()->noteOrder({.kind = OrderStep::Kind::ChildrenSeen, .parent = checkedOf(grid)});
}

void noteSeen(const Marker *marker) {
  watchSeen(nullptr, marker);
  if (checker())
    checker()->noteOrder({.kind = OrderStep::Kind::HostSeesMarker, .marker = marker});
}
void noteSeen(const Queue *queue) {
  watchSeen(queue, nullptr);
  if (checker())
    checker()->noteOrder({.kind = OrderStep::Kind::HostSeesQueue, .queue = queue});
}
void noteAllSeen() {
  watchSeen(nullptr, nullptr);
  if (checker())
    checker()->noteOrder({.kind = OrderStep::Kind::HostSeesAll});
}

void noteHeapEnds(DeviceHeap &heap) {
  if (checker() && heap.begin())
    checker()->heapEnds({heap.begin(), static_cast<uint64_t>(heap.end() - heap.begin())});
}

void deleteParams(LaunchState &launch) {
  delete[] launch.heapParams;
  if (launch.checked)
    live.fetch_sub(1);
  delete launch.checked;
}

} // namespace heddle::device::cpu

namespace heddle::device {

void noteTouched(const TouchedRows &rows) {
  using namespace cpu;
  if (!checker() || !runningTask)
    return;
  bool isLookedAt = hasStreams.load(std::memory_order_relaxed) || runningTask->queue->graph ||
                    (sharesMemory.load(std::memory_order_relaxed) && isOfHost(rows.at));
  if (isLookedAt)
    checker()->touched(runningTask, rows);
}

Proven prove(const LaunchRequest &request) {
  const LaunchProof *proof = request.kernel->code->proof;
  if (!proof)
    return {};
  ProofLaunch launch = cpu::factsOf(request);
  launch.isAlone &= cpu::isAlone(request.kernel->code->checkedParams,
                                 static_cast<const uint8_t *>(request.params), proof);
  LaunchProver prover(*proof, launch, [](uint64_t address) {
    return cpu::boundsOn(nullptr, address, numberCall());
  });
  Proven proven = prover.run();
  if (cpu::orderSeed && !proven.rest.isWhole(launch.gridDim)) // who comes when is not known
    proven.memoryOfRest = proven.memory, proven.racesOfRest = proven.races;
  return proven;
}

void shuffleOrder(uint64_t seed) { cpu::orderSeed = seed; }

void noteHostMemory(bool ofVariables) {
  (ofVariables ? cpu::sharesVariables : cpu::sharesMemory).store(true, std::memory_order_relaxed);
  cpu::sharesMemory.store(true, std::memory_order_relaxed);
}
bool hasHostMemory() { return cpu::sharesMemory.load(std::memory_order_relaxed); }

bool watchHost(const std::vector<Bounds> &more) {
  std::vector<Bounds> pages = cpu::Allocator::get().hostPages();
  pages.insert(pages.end(), more.begin(), more.end());
  return cpu::isOnlyThread() && cpu::watch(pages);
}
void unwatchHost() { cpu::unwatch(); }

void noteStreams() { cpu::hasStreams.store(true, std::memory_order_relaxed); }

static const cpu::LaunchState &stateOf(const Launch *launch) {
  return static_cast<const cpu::Op *>(launch->runner)->launch;
}

bool isCutOff(const Launch *launch) { return stateOf(launch).cancelled.load(); }

MemoryPlace placeOf(const Block *block, const void *address) {
  using namespace cpu;
  using Kind = MemoryPlace::Kind;
  const CheckedState *checked = stateOf(block->launch).checked;
  auto *byte = static_cast<const uint8_t *>(address);
  auto isIn = [&](const uint8_t *shared) {
    return shared && static_cast<uint64_t>(byte - shared) < block->launch->sharedBytes;
  };
  if (isIn(block->shared))
    return {Kind::Shared, {block->shared, block->launch->sharedBytes}};
  for (const uint8_t *shared : block->clusterShared)
    if (isIn(shared))
      return {Kind::Shared, {shared, block->launch->sharedBytes}};
  auto runners = [&](const void *object, uint64_t bytes) { // what compiled code is given
    auto *low = static_cast<const uint8_t *>(object);
    bool isInside = low && static_cast<uint64_t>(byte - low) < bytes;
    return isInside ? Bounds{low, bytes} : Bounds{nullptr, 0};
  };
  const Launch &launch = *block->launch;
  for (Bounds bounds : {runners(launch.params, checked ? checked->paramBytes : 0),
                        runners(launch.gridBarrier, sizeof(GridBarrier)),
                        runners(launch.multiGrid, sizeof(MultiGrid))})
    if (bounds.bytes)
      return {Kind::Params, bounds};
  CpuDevice &device = *static_cast<Op *>(block->launch->runner)->queue->device;
  const void *base;
  size_t bytes;
  if (device.heap().contains(reinterpret_cast<uint64_t>(address))) {
    if (!device.heap().find(address, base, bytes))
      return {Kind::Free, {}, true};
    return {Kind::Heap, {static_cast<const uint8_t *>(base), bytes}, true};
  }
  Allocation allocation;
  if (Allocator::get().find(address, allocation))
    return {Kind::Global, {allocation.base, allocation.bytes}};
  if (device.locals().contains(reinterpret_cast<uint64_t>(address)) ||
      cpuServices.services.onStack(const_cast<Block *>(block), address))
    return {Kind::Thread, {}};
  return {Allocator::get().owns(address) ? Kind::Free : Kind::None, {}};
}

ShadowOfHeap heapShadowOf(const Block *block, const void *address) {
  using namespace cpu;
  DeviceHeap &heap = static_cast<Op *>(block->launch->runner)->queue->device->heap();
  if (!heap.contains(reinterpret_cast<uint64_t>(address)))
    return {};
  return {heap.shadowOf(address), heap.bytesBehind(address)};
}

void forgetHeapShadow(Device &device, const void *address) {
  static_cast<cpu::CpuDevice &>(device).heap().forgetShadow(address);
}

ShadowOfHeap sharedShadowOf(const Block *block, const void *address) {
  uint32_t bytes = block->launch->sharedBytes;
  auto *byte = static_cast<const uint8_t *>(address);
  auto isIn = [&](const uint8_t *shared) {
    return shared && static_cast<uint64_t>(byte - shared) < bytes;
  };
  const uint8_t *found = isIn(block->shared) ? block->shared : nullptr;
  for (const uint8_t *shared : block->clusterShared)
    if (!found && isIn(shared))
      found = shared;
  if (!found)
    return {};
  return {const_cast<uint8_t *>(byte) - sharedShadowDistance(bytes),
          bytes - static_cast<uint64_t>(byte - found) + ShadowMargin}; // nothing lies behind it
}

Bounds allocatorMemory() { return cpu::Allocator::get().range(); }

Bounds allocationAt(const void *address) {
  cpu::Allocation allocation;
  if (!cpu::Allocator::get().find(address, allocation))
    return {nullptr, 0};
  return {allocation.base, allocation.bytes};
}
void hideFromHost(size_t &pages) { cpu::Allocator::get().hide(pages); }
bool isAllocatorMemory(const void *address) { return cpu::Allocator::get().owns(address); }

Bounds heapOfBlock(const Block *block) {
  cpu::DeviceHeap &heap = static_cast<cpu::Op *>(block->launch->runner)->queue->device->heap();
  return {heap.begin(), static_cast<uint64_t>(heap.end() - heap.begin())};
}

const void *deviceOfBlock(const Block *block) {
  return static_cast<const cpu::Op *>(block->launch->runner)->queue->device;
}

uint64_t numberCall() {
  static std::atomic<uint64_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

uint64_t callOf(const Launch *launch) {
  const cpu::CheckedState *checked = stateOf(launch).checked;
  return checked ? checked->call : 0;
}

const char *kernelNameOf(const Launch *launch) { return stateOf(launch).kernel->name; }

uint32_t originOf(const Launch *launch) {
  const cpu::CheckedState *checked = stateOf(launch).checked;
  return checked ? checked->origin : 0;
}

namespace {
struct Lost {
  std::mutex mutex;
  LostLaunch launch;
};
Lost &lost() {
  static Lost &lost = *new Lost; // never destroyed: workers run on
  return lost;
}
} // namespace

LostLaunch lostLaunch() {
  std::lock_guard lock(lost().mutex);
  return lost().launch;
}

void cpu::noteLost(const Op &op, Fault fault) {
  if (!checker())
    return;
  std::lock_guard lock(lost().mutex);
  if (lost().launch.fault == Fault::None)
    lost().launch = {fault, op.launch.kernel->name, originOf(&op.launch.abi)};
}

uint64_t liveCheckedLaunches() { return cpu::live.load(); }

bool runsClusters(const Launch *launch) { return stateOf(launch).clusterBlocks > 1; }

uint32_t lanesOf(const Launch *launch) { return stateOf(launch).kernel->code->width; }

} // namespace heddle::device
