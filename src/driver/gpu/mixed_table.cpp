// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two drivers as one. The functions are made from driver.def: a template looks at the types of the
// parameters and decides by the arguments, in this order, which of the two is called:
//
//   CUdevice              the device's driver, which gets its own number of it
//   a pointer that either driver has given (a context, stream, event, graph, module, array, ...)
//   CUdeviceptr           an address of our allocator's is the CPU's
//   else                  that of the thread's current context
//
// What a call gives by a pointer to a handle is noted for later ones. Libraries and their kernels are
// those of both: a handle here is a pair, whose parts are made at the first use on either side.
//
// The CPU's device memory is memory of the process. So a copy between the two is a copy between the GPU
// and the host, when both have done what was asked of them before.
#include "driver/gpu/mixed_table.h"

#include "device/cpu/memory/allocator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heddle::driver {

/// driver.def with a type of its own for devices, which are plain numbers otherwise.
namespace shapes {
enum class CUdevice : int {};
#define HEDDLE_TWIN_None(symbol, parameters)
#define HEDDLE_TWIN_ptds(symbol, parameters) static CUresult symbol##_ptds parameters;
#define HEDDLE_TWIN_ptsz(symbol, parameters) static CUresult symbol##_ptsz parameters;
struct Shapes {
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  static CUresult symbol parameters;                                                               \
  HEDDLE_TWIN_##twin(symbol, parameters)
#include "driver/driver.def"
};
#undef HEDDLE_TWIN_None
#undef HEDDLE_TWIN_ptds
#undef HEDDLE_TWIN_ptsz
} // namespace shapes

namespace {

enum Side { Cpu, Gpu, Unknown };
using ShapeDevice = shapes::CUdevice;

/// A library or a kernel on both sides.
struct Pair {
  std::array<void *, 2> made = {nullptr, nullptr};
  Pair *library = nullptr; ///< of a kernel
  std::string name;        ///< of a kernel
};

struct Place {
  Side side;
  int number; ///< for its driver
};

struct State {
  const Table *tables[2] = {nullptr, nullptr}; ///< by Side
  std::vector<Place> devices;
  std::shared_mutex mutex;
  std::unordered_map<const void *, Side> handles;
  std::unordered_set<const void *> pairs;
  std::map<std::pair<Pair *, std::string>, Pair *> kernels;
};
State &all() {
  static State &one = *new State;
  return one;
}
const Table &tableOf(Side side) { return *all().tables[side]; }

thread_local std::vector<Side> contexts; ///< of the thread: the current one is the last

Side currentSide() {
  if (!contexts.empty())
    return contexts.back();
  return all().devices.empty() ? Cpu : all().devices[0].side;
}
void setCurrent(Side side) {
  if (contexts.empty())
    contexts.push_back(side);
  else
    contexts.back() = side;
}

Side sideOf(const void *handle) {
  std::shared_lock guard(all().mutex);
  auto place = all().handles.find(handle);
  return place == all().handles.end() ? Unknown : place->second;
}
void note(const void *handle, Side side) {
  std::unique_lock guard(all().mutex);
  all().handles[handle] = side;
}
bool ownsAddress(const void *p) { return device::cpu::Allocator::get().owns(p); }

Pair *pairOf(const void *handle) {
  std::shared_lock guard(all().mutex);
  return all().pairs.contains(handle) ? static_cast<Pair *>(const_cast<void *>(handle)) : nullptr;
}
Pair *newPair() {
  auto *pair = new Pair; // for good: handles of kernels stay in programs
  std::unique_lock guard(all().mutex);
  all().pairs.insert(pair);
  return pair;
}

/// The part of a pair for one side; null if there is none.
void *partOf(Pair &pair, Side side) {
  if (!pair.made[side] && pair.library && pair.library->made[side]) {
    CUkernel kernel = nullptr;
    if (tableOf(side).cuLibraryGetKernel(&kernel, static_cast<CUlibrary>(pair.library->made[side]),
                                         pair.name.c_str()) == CUDA_SUCCESS)
      pair.made[side] = kernel;
  }
  return pair.made[side];
}

// ---------------------------------------------------------------------------------------------------
// One argument.

template <class S>
constexpr bool isHandle = std::is_pointer_v<S> &&std::is_class_v<std::remove_pointer_t<S>> &&
                          !std::is_const_v<std::remove_pointer_t<S>>;
template <class S>
constexpr bool givesHandle = std::is_pointer_v<S> &&isHandle<std::remove_pointer_t<S>>;

/// The parameter's type in a Table.
template <class S> struct PlainOf { using type = S; };
template <> struct PlainOf<ShapeDevice> { using type = int; };
template <> struct PlainOf<ShapeDevice *> { using type = int *; };
template <class S> using Plain = typename PlainOf<S>::type;

const Place *placeOf(int device) {
  return device >= 0 && size_t(device) < all().devices.size() ? &all().devices[size_t(device)]
                                                              : nullptr;
}
int deviceOf(Side side, int number) {
  for (size_t i = 0; i < all().devices.size(); ++i)
    if (all().devices[i].side == side && all().devices[i].number == number)
      return int(i);
  return -1;
}

template <class S> Side sideBy(Plain<S> value) {
  if constexpr (std::is_same_v<S, ShapeDevice>) {
    const Place *place = placeOf(value);
    return place ? place->side : Unknown;
  } else if constexpr (isHandle<S>) {
    return value ? sideOf(value) : Unknown;
  } else {
    return Unknown;
  }
}
template <class S> Side sideByAddress(Plain<S> value) {
  if constexpr (std::is_same_v<S, CUdeviceptr>)
    return ownsAddress(reinterpret_cast<const void *>(value)) ? Cpu : Unknown;
  else
    return Unknown;
}

template <class S> Plain<S> forSide(Plain<S> value, Side side) {
  if constexpr (std::is_same_v<S, ShapeDevice>) {
    const Place *place = placeOf(value);
    return place ? place->number : -1; // no device of either
  } else if constexpr (std::is_same_v<S, CUlibrary> || std::is_same_v<S, CUkernel> ||
                       std::is_same_v<S, CUfunction>) {
    Pair *pair = pairOf(value);
    return pair ? static_cast<S>(partOf(*pair, side)) : value;
  } else {
    return value;
  }
}

/// What the call has given.
template <class S> void takeResult(Plain<S> value, Side side) {
  if constexpr (std::is_same_v<S, ShapeDevice *>) {
    if (value)
      *value = deviceOf(side, *value);
  } else if constexpr (givesHandle<S>) {
    if (value && *value && !pairOf(*value))
      note(*value, side);
  }
}

template <auto Member, class Shape> struct Routed;
template <auto Member, class... S> struct Routed<Member, CUresult(S...)> {
  static CUresult call(Plain<S>... arguments) {
    Side side = Unknown;
    ((side = side == Unknown ? sideBy<S>(arguments) : side), ...);
    ((side = side == Unknown ? sideByAddress<S>(arguments) : side), ...);
    if (side == Unknown)
      side = currentSide();
    CUresult error = (tableOf(side).*Member)(forSide<S>(arguments, side)...);
    if (error == CUDA_SUCCESS)
      (takeResult<S>(arguments, side), ...);
    return error;
  }
};

Table routedTable() {
  Table table;
#define HEDDLE_EACH(name) table.name = Routed<&Table::name, decltype(shapes::Shapes::name)>::call;
#define HEDDLE_TWIN_None(symbol)
#define HEDDLE_TWIN_ptds(symbol) HEDDLE_EACH(symbol##_ptds)
#define HEDDLE_TWIN_ptsz(symbol) HEDDLE_EACH(symbol##_ptsz)
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  HEDDLE_EACH(symbol) HEDDLE_TWIN_##twin(symbol)
#include "driver/driver.def"
#undef HEDDLE_EACH
#undef HEDDLE_TWIN_None
#undef HEDDLE_TWIN_ptds
#undef HEDDLE_TWIN_ptsz
  return table;
}

// ---------------------------------------------------------------------------------------------------
// Devices and contexts.

template <auto Member> CUresult create(CUcontext *context, unsigned flags, int device) {
  CUresult error =
      Routed<Member, CUresult(CUcontext *, unsigned, ShapeDevice)>::call(context, flags, device);
  if (error == CUDA_SUCCESS)
    contexts.push_back(placeOf(device)->side);
  return error;
}

template <auto Member> CUresult push(CUcontext context) {
  const Side side = context ? sideOf(context) : Unknown;
  CUresult error = (tableOf(side == Unknown ? currentSide() : side).*Member)(context);
  if (error == CUDA_SUCCESS && side != Unknown)
    contexts.push_back(side);
  return error;
}

template <auto Member> CUresult pop(CUcontext *context) {
  CUresult error = (tableOf(currentSide()).*Member)(context);
  if (error == CUDA_SUCCESS && !contexts.empty())
    contexts.pop_back();
  return error;
}

void interceptContexts(Table &table) {
  table.cuInit = [](unsigned flags) {
    CUresult error = tableOf(Cpu).cuInit(flags);
    return error ? error : tableOf(Gpu).cuInit(flags);
  };
  table.cuDeviceGetCount = [](int *count) {
    if (!count)
      return CUDA_ERROR_INVALID_VALUE;
    *count = int(all().devices.size());
    return CUDA_SUCCESS;
  };
  table.cuDeviceGet = [](int *device, int ordinal) {
    if (!device)
      return CUDA_ERROR_INVALID_VALUE;
    if (!placeOf(ordinal))
      return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
  };
  table.cuCtxSetCurrent = [](CUcontext context) {
    const Side side = context ? sideOf(context) : Unknown;
    CUresult error = tableOf(side == Unknown ? currentSide() : side).cuCtxSetCurrent(context);
    if (error == CUDA_SUCCESS && side != Unknown)
      setCurrent(side);
    return error;
  };
  table.cuCtxPushCurrent = push<&Table::cuCtxPushCurrent>;
  table.cuCtxPushCurrent_v2 = push<&Table::cuCtxPushCurrent_v2>;
  table.cuCtxPopCurrent = pop<&Table::cuCtxPopCurrent>;
  table.cuCtxPopCurrent_v2 = pop<&Table::cuCtxPopCurrent_v2>;
  table.cuCtxCreate = create<&Table::cuCtxCreate>;
  table.cuCtxCreate_v2 = create<&Table::cuCtxCreate_v2>;
  table.cuDeviceCanAccessPeer = [](int *can, int device, int peer) {
    const Place *a = placeOf(device), *b = placeOf(peer);
    if (!can || !a || !b || a->side == b->side)
      return tableOf(a ? a->side : Cpu)
          .cuDeviceCanAccessPeer(can, a ? a->number : -1, b ? b->number : -1);
    *can = 0;
    return CUDA_SUCCESS;
  };
  table.cuDeviceGetP2PAttribute = [](int *value, CUdevice_P2PAttribute attribute, int source,
                                     int destination) {
    const Place *a = placeOf(source), *b = placeOf(destination);
    if (!value || !a || !b || a->side == b->side)
      return tableOf(a ? a->side : Cpu)
          .cuDeviceGetP2PAttribute(value, attribute, a ? a->number : -1, b ? b->number : -1);
    *value = 0;
    return CUDA_SUCCESS;
  };
  table.cuCtxEnablePeerAccess = [](CUcontext peer, unsigned flags) {
    const Side side = peer ? sideOf(peer) : Unknown;
    return side != Unknown && side != currentSide()
               ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
               : tableOf(currentSide()).cuCtxEnablePeerAccess(peer, flags);
  };
}

// ---------------------------------------------------------------------------------------------------
// Libraries and kernels.

CUresult loadLibrary(CUlibrary *out, const void *code, CUjit_option *jitOptions, void **jitValues,
                     unsigned jitCount, CUlibraryOption *options, void **values, unsigned count) {
  Pair made;
  for (Side side : {Cpu, Gpu}) {
    CUlibrary library = nullptr;
    if (CUresult error = tableOf(side).cuLibraryLoadData(&library, code, jitOptions, jitValues,
                                                         jitCount, options, values, count))
      return error;
    made.made[side] = library;
  }
  Pair *pair = newPair();
  pair->made = made.made;
  *out = reinterpret_cast<CUlibrary>(pair);
  return CUDA_SUCCESS;
}

CUresult getKernel(CUkernel *kernel, CUlibrary handle, const char *name) {
  Pair *library = pairOf(handle);
  if (!library || !kernel || !name)
    return tableOf(currentSide()).cuLibraryGetKernel(kernel, handle, name);
  const Side side = currentSide();
  CUkernel part = nullptr;
  if (CUresult error = tableOf(side).cuLibraryGetKernel(
          &part, static_cast<CUlibrary>(library->made[side]), name))
    return error;
  std::unique_lock guard(all().mutex);
  Pair *&known = all().kernels[{library, name}];
  if (!known) {
    known = new Pair;
    known->library = library;
    known->name = name;
    all().pairs.insert(known);
  }
  known->made[side] = part;
  *kernel = reinterpret_cast<CUkernel>(known);
  return CUDA_SUCCESS;
}

/// A node's kernel, for the side of its graph.
template <class Params> Params told(Params params, Side side) {
  params.func = forSide<CUfunction>(params.func, side);
  if constexpr (requires { params.kern; })
    params.kern = forSide<CUkernel>(params.kern, side);
  return params;
}

/// The pair that has this part, or the part.
void *wholeOf(void *part, Side side) {
  std::shared_lock guard(all().mutex);
  for (const auto &[key, pair] : all().kernels)
    if (part && pair->made[side] == part)
      return pair;
  return part;
}

Side sideOfGraph(const void *graph) {
  const Side side = sideOf(graph);
  return side == Unknown ? currentSide() : side;
}

void interceptKernels(Table &table) {
  table.cuLibraryLoadData = loadLibrary;
  table.cuLibraryGetKernel = getKernel;
  table.cuLibraryUnload = [](CUlibrary handle) {
    Pair *pair = pairOf(handle);
    if (!pair)
      return tableOf(currentSide()).cuLibraryUnload(handle);
    CUresult error = CUDA_SUCCESS;
    for (Side side : {Cpu, Gpu})
      if (void *part = std::exchange(pair->made[side], nullptr))
        if (CUresult failed = tableOf(side).cuLibraryUnload(static_cast<CUlibrary>(part)))
          error = failed;
    return error;
  };
  table.cuKernelGetFunction = [](CUfunction *function, CUkernel kernel) {
    Pair *pair = pairOf(kernel);
    if (!pair || !function)
      return tableOf(currentSide()).cuKernelGetFunction(function, kernel);
    *function = reinterpret_cast<CUfunction>(pair);
    return partOf(*pair, currentSide()) ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  };
  table.cuGraphAddKernelNode_v2 = [](CUgraphNode *node, CUgraph graph,
                                     const CUgraphNode *dependencies, size_t count,
                                     const CUDA_KERNEL_NODE_PARAMS *params) {
    const Side side = sideOfGraph(graph);
    CUDA_KERNEL_NODE_PARAMS copy = params ? told(*params, side) : CUDA_KERNEL_NODE_PARAMS{};
    CUresult error = tableOf(side).cuGraphAddKernelNode_v2(node, graph, dependencies, count,
                                                           params ? &copy : nullptr);
    if (error == CUDA_SUCCESS)
      note(*node, side);
    return error;
  };
  table.cuGraphKernelNodeSetParams_v2 = [](CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *params) {
    const Side side = sideOfGraph(node);
    CUDA_KERNEL_NODE_PARAMS copy = params ? told(*params, side) : CUDA_KERNEL_NODE_PARAMS{};
    return tableOf(side).cuGraphKernelNodeSetParams_v2(node, params ? &copy : nullptr);
  };
  table.cuGraphExecKernelNodeSetParams_v2 = [](CUgraphExec exec, CUgraphNode node,
                                               const CUDA_KERNEL_NODE_PARAMS *params) {
    const Side side = sideOfGraph(exec);
    CUDA_KERNEL_NODE_PARAMS copy = params ? told(*params, side) : CUDA_KERNEL_NODE_PARAMS{};
    return tableOf(side).cuGraphExecKernelNodeSetParams_v2(exec, node, params ? &copy : nullptr);
  };
  table.cuGraphKernelNodeGetParams_v2 = [](CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params) {
    const Side side = sideOfGraph(node);
    CUresult error = tableOf(side).cuGraphKernelNodeGetParams_v2(node, params);
    if (error == CUDA_SUCCESS)
      params->func = static_cast<CUfunction>(wholeOf(params->func, side));
    return error;
  };
}

// ---------------------------------------------------------------------------------------------------
// Memory: copies, and what waits for the other side.

bool isGpuMemory(CUdeviceptr p) {
  unsigned type = 0;
  return !ownsAddress(reinterpret_cast<const void *>(p)) &&
         tableOf(Gpu).cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p) ==
             CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_DEVICE;
}

/// All work of both, in the contexts that are current.
void finishBoth() {
  for (Side side : {Cpu, Gpu})
    (void)tableOf(side).cuCtxSynchronize();
}

/// A copy of which `to` and `from` may be anything.
CUresult copy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  const bool toGpu = isGpuMemory(to), fromGpu = isGpuMemory(from);
  if (toGpu && fromGpu)
    return tableOf(Gpu).cuMemcpyDtoD_v2(to, from, bytes);
  if (!toGpu && !fromGpu)
    return tableOf(Cpu).cuMemcpy(to, from, bytes);
  finishBoth();
  return toGpu ? tableOf(Gpu).cuMemcpyHtoD_v2(to, reinterpret_cast<const void *>(from), bytes)
               : tableOf(Gpu).cuMemcpyDtoH_v2(reinterpret_cast<void *>(to), from, bytes);
}

/// Of a copy in a stream, which is made at once where it is between the two.
template <class F>
CUresult copyIn(CUstream stream, CUdeviceptr to, CUdeviceptr from, size_t bytes, F &&inStream) {
  const bool toGpu = isGpuMemory(to), fromGpu = isGpuMemory(from);
  const bool crosses = (toGpu && ownsAddress(reinterpret_cast<const void *>(from))) ||
                       (fromGpu && ownsAddress(reinterpret_cast<const void *>(to)));
  if (crosses) {
    (void)tableOf(sideOf(stream) == Gpu ? Gpu : Cpu).cuStreamSynchronize(stream);
    return copy(to, from, bytes);
  }
  Side side = stream ? sideOf(stream) : Unknown;
  if (side == Unknown)
    side = toGpu || fromGpu ? Gpu : currentSide();
  return inStream(tableOf(side));
}

template <auto Member>
CUresult copyAnyIn(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copyIn(stream, to, from, bytes,
                [&](const Table &table) { return (table.*Member)(to, from, bytes, stream); });
}
template <auto Member>
CUresult copyPeer(CUdeviceptr to, CUcontext a, CUdeviceptr from, CUcontext b, size_t bytes) {
  const Side x = sideOf(a), y = sideOf(b);
  return x == y && x != Unknown ? (tableOf(x).*Member)(to, a, from, b, bytes)
                                : copy(to, from, bytes);
}
template <auto Member>
CUresult copyPeerIn(CUdeviceptr to, CUcontext a, CUdeviceptr from, CUcontext b, size_t bytes,
                    CUstream stream) {
  const Side x = sideOf(a), y = sideOf(b);
  if (x == y && x != Unknown)
    return (tableOf(x).*Member)(to, a, from, b, bytes, stream);
  (void)tableOf(sideOf(stream) == Gpu ? Gpu : Cpu).cuStreamSynchronize(stream);
  return copy(to, from, bytes);
}

/// What the memory of a box's copy lies in is the GPU's device memory or not at all: the CPU's is the
/// host's.
template <class Box> Box boxOf(Box box) {
  if (box.srcMemoryType != CU_MEMORYTYPE_ARRAY && box.srcMemoryType != CU_MEMORYTYPE_HOST &&
      ownsAddress(reinterpret_cast<const void *>(box.srcDevice))) {
    box.srcMemoryType = CU_MEMORYTYPE_HOST;
    box.srcHost = reinterpret_cast<const void *>(box.srcDevice);
  }
  if (box.dstMemoryType != CU_MEMORYTYPE_ARRAY && box.dstMemoryType != CU_MEMORYTYPE_HOST &&
      ownsAddress(reinterpret_cast<const void *>(box.dstDevice))) {
    box.dstMemoryType = CU_MEMORYTYPE_HOST;
    box.dstHost = reinterpret_cast<void *>(box.dstDevice);
  }
  return box;
}
template <class Box> bool touchesGpu(const Box &box) {
  const auto isOnGpu = [](CUmemorytype type, CUdeviceptr p, CUarray array) {
    return type == CU_MEMORYTYPE_ARRAY ? sideOf(array) == Gpu
                                       : type != CU_MEMORYTYPE_HOST && isGpuMemory(p);
  };
  return isOnGpu(box.srcMemoryType, box.srcDevice, box.srcArray) ||
         isOnGpu(box.dstMemoryType, box.dstDevice, box.dstArray);
}
template <auto Member, class Box, class... More> CUresult copyBox(const Box *box, More... more) {
  if (!box || !touchesGpu(*box))
    return (tableOf(box ? Cpu : currentSide()).*Member)(box, more...);
  finishBoth();
  const Box told = boxOf(*box);
  return (tableOf(Gpu).*Member)(&told, more...);
}

/// A stream waits for an event of the other side: the caller does.
template <auto Member> CUresult wait(CUstream stream, CUevent event, unsigned flags) {
  const Side side = stream ? sideOf(stream) : Unknown, where = sideOf(event);
  const Side runs = side == Unknown ? currentSide() : side;
  return where == Unknown || where == runs ? (tableOf(runs).*Member)(stream, event, flags)
                                           : tableOf(where).cuEventSynchronize(event);
}

CUresult pointerAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr p) {
  const Side side = ownsAddress(reinterpret_cast<const void *>(p)) ? Cpu
                    : isGpuMemory(p)                               ? Gpu
                                                                   : currentSide();
  CUresult error = tableOf(side).cuPointerGetAttribute(value, attribute, p);
  if (error == CUDA_SUCCESS && attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
    *static_cast<int *>(value) = deviceOf(side, *static_cast<int *>(value));
  return error;
}

CUresult pointerAttributes(unsigned count, CUpointer_attribute *attributes, void **values,
                           CUdeviceptr p) {
  const Side side = ownsAddress(reinterpret_cast<const void *>(p)) ? Cpu
                    : isGpuMemory(p)                               ? Gpu
                                                                   : currentSide();
  CUresult error = tableOf(side).cuPointerGetAttributes(count, attributes, values, p);
  for (unsigned i = 0; error == CUDA_SUCCESS && i < count; ++i)
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL && *static_cast<int *>(values[i]) >= 0)
      *static_cast<int *>(values[i]) = deviceOf(side, *static_cast<int *>(values[i]));
  return error;
}

void interceptMemory(Table &table) {
  table.cuMemcpy = copy;
  table.cuMemcpy_ptds = copy;
  table.cuMemcpyDtoD_v2 = copy;
  table.cuMemcpyDtoD_v2_ptds = copy;
  table.cuMemcpyAsync = copyAnyIn<&Table::cuMemcpyAsync>;
  table.cuMemcpyAsync_ptsz = copyAnyIn<&Table::cuMemcpyAsync_ptsz>;
  table.cuMemcpyDtoDAsync_v2 = copyAnyIn<&Table::cuMemcpyDtoDAsync_v2>;
  table.cuMemcpyDtoDAsync_v2_ptsz = copyAnyIn<&Table::cuMemcpyDtoDAsync_v2_ptsz>;
  table.cuMemcpyPeer = copyPeer<&Table::cuMemcpyPeer>;
  table.cuMemcpyPeer_ptds = copyPeer<&Table::cuMemcpyPeer_ptds>;
  table.cuMemcpyPeerAsync = copyPeerIn<&Table::cuMemcpyPeerAsync>;
  table.cuMemcpyPeerAsync_ptsz = copyPeerIn<&Table::cuMemcpyPeerAsync_ptsz>;
  table.cuMemcpy2D_v2 = copyBox<&Table::cuMemcpy2D_v2, CUDA_MEMCPY2D>;
  table.cuMemcpy2DUnaligned_v2 = copyBox<&Table::cuMemcpy2DUnaligned_v2, CUDA_MEMCPY2D>;
  table.cuMemcpy3D_v2 = copyBox<&Table::cuMemcpy3D_v2, CUDA_MEMCPY3D>;
  table.cuMemcpy2DAsync_v2 = copyBox<&Table::cuMemcpy2DAsync_v2, CUDA_MEMCPY2D, CUstream>;
  table.cuMemcpy3DAsync_v2 = copyBox<&Table::cuMemcpy3DAsync_v2, CUDA_MEMCPY3D, CUstream>;
  table.cuStreamWaitEvent = wait<&Table::cuStreamWaitEvent>;
  table.cuStreamWaitEvent_ptsz = wait<&Table::cuStreamWaitEvent_ptsz>;
  table.cuPointerGetAttribute = pointerAttribute;
  table.cuPointerGetAttributes = pointerAttributes;
  // A free by address only, whatever device is current.
  table.cuMemFree_v2 = [](CUdeviceptr p) {
    return tableOf(ownsAddress(reinterpret_cast<const void *>(p)) ? Cpu
                   : isGpuMemory(p)                               ? Gpu
                                                                  : currentSide())
        .cuMemFree_v2(p);
  };
}

// ---------------------------------------------------------------------------------------------------

std::map<const void *, void *> replaced; ///< our driver's functions and those of the mixed table

/// Ours knows all names.
CUresult procAddress(const char *symbol, void **function, int version, cuuint64_t flags,
                     CUdriverProcAddressQueryResult *status) {
  CUresult error = tableOf(Cpu).cuGetProcAddress_v2(symbol, function, version, flags, status);
  if (error == CUDA_SUCCESS && function)
    if (auto place = replaced.find(*function); place != replaced.end())
      *function = place->second;
  return error;
}

template <class F> void eachPart(const char *list, F &&take) {
  std::string_view rest = list ? list : "";
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(','), rest.size());
    take(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}
bool isGpuPart(std::string_view part) { return part == "gpu" || part.starts_with("gpu:"); }

/// In the order of the list; boards that are several devices have the others at the end.
void listDevices(const char *list) {
  int boards = 0, gpus = 0, nextBoard = 0, nextGpu = 0;
  (void)tableOf(Cpu).cuDeviceGetCount(&boards);
  (void)tableOf(Gpu).cuDeviceGetCount(&gpus);
  eachPart(list, [&](std::string_view part) {
    if (isGpuPart(part) && nextGpu < gpus)
      all().devices.push_back({Gpu, nextGpu++});
    else if (!isGpuPart(part) && nextBoard < boards)
      all().devices.push_back({Cpu, nextBoard++});
  });
  while (nextBoard < boards)
    all().devices.push_back({Cpu, nextBoard++});
}

} // namespace

bool isMixed(const char *list) {
  bool hasGpu = false, hasBoard = false;
  eachPart(list, [&](std::string_view part) { (isGpuPart(part) ? hasGpu : hasBoard) = true; });
  return hasGpu && hasBoard;
}

std::string boardsOf(const char *list) {
  std::string boards;
  eachPart(list, [&](std::string_view part) {
    if (!isGpuPart(part))
      boards += (boards.empty() ? "" : ",") + std::string(part);
  });
  return boards;
}

bool isGpuDevice(int device) {
  const Place *place = placeOf(device);
  return place && place->side == Gpu;
}

const Table *mixedTable(const Table &gpu, const char *list) {
  all().tables[Cpu] = &ownTable();
  all().tables[Gpu] = &gpu;
  if (tableOf(Cpu).cuInit(0) == CUDA_SUCCESS && gpu.cuInit(0) == CUDA_SUCCESS)
    listDevices(list);
  static Table table = routedTable();
  interceptContexts(table);
  interceptKernels(table);
  interceptMemory(table);
  table.cuGetProcAddress_v2 = procAddress;
  for (const Table *from : {&ownTable(), &programsTable()}) {
    const auto *ours = reinterpret_cast<void *const *>(from);
    const auto *mixed = reinterpret_cast<void *const *>(&table);
    for (size_t i = 0; i < sizeof(Table) / sizeof(void *); ++i)
      replaced[ours[i]] = mixed[i];
  }
  return &table;
}

} // namespace heddle::driver
