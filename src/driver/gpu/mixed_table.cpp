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
#include "driver/gpu/mixed_table.h"

#include "driver/gpu/mixed_routing.h"

#include <algorithm>
#include <string_view>

namespace heddle::driver {

using namespace mixed;

namespace {

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
