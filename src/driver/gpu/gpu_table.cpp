// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HEDDLE_DEVICE=gpu: the machine's own driver lies below the table (docs/gpu.md). Nearly all calls go
// to it directly; those that touch device images are intercepted (gpu_libraries.cpp,
// gpu_modules.cpp).
#include "driver/gpu/gpu_table.h"
#include "driver/gpu/device_list.h"

#include "driver/gpu/gpu_again.h"
#include "driver/gpu/gpu_kernels.h"
#include "driver/gpu/gpu_libraries.h"
#include "driver/gpu/gpu_managed.h"
#include "driver/gpu/gpu_statements.h"
#include "driver/gpu/machine_library.h"
#include "driver/gpu/mixed_table.h"

#include "base/messages/messages.h"

#include <cstdlib>
#include <cstring>
#include <map>

namespace heddle::driver {

namespace {

const Table *theTable = nullptr;

/// In the place of all functions where there is no driver.
template <class Function> struct Missing;
template <class... Parameters> struct Missing<CUresult (*)(Parameters...)> {
  static CUresult answer(Parameters...) { return CUDA_ERROR_NO_DEVICE; }
};

#define HEDDLE_TWIN_None(symbol)
#define HEDDLE_TWIN_ptds(symbol) HEDDLE_EACH(symbol##_ptds)
#define HEDDLE_TWIN_ptsz(symbol) HEDDLE_EACH(symbol##_ptsz)

Table tableOfNone() {
  Table table;
#define HEDDLE_EACH(name) table.name = Missing<decltype(table.name)>::answer;
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  HEDDLE_EACH(symbol) HEDDLE_TWIN_##twin(symbol)
#include "driver/driver.def"
#undef HEDDLE_EACH
  return table;
}

/// What programs get for a function of the machine's driver that is intercepted.
std::map<const void *, void *> intercepted() {
  std::map<const void *, void *> ours;
#define HEDDLE_EACH(name)                                                                          \
  if (theTable->name != machine().name)                                                            \
    ours[reinterpret_cast<const void *>(machine().name)] = reinterpret_cast<void *>(theTable->name);
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  HEDDLE_EACH(symbol) HEDDLE_TWIN_##twin(symbol)
#include "driver/driver.def"
#undef HEDDLE_EACH
  return ours;
}
#undef HEDDLE_TWIN_None
#undef HEDDLE_TWIN_ptds
#undef HEDDLE_TWIN_ptsz

void *ownFor(void *function) {
  static const std::map<const void *, void *> ours = intercepted();
  auto place = ours.find(function);
  return place == ours.end() ? function : place->second;
}

void interceptEntryPoints(Table &table) {
  table.cuGetProcAddress_v2 = [](const char *symbol, void **function, int version, cuuint64_t flags,
                                 CUdriverProcAddressQueryResult *status) {
    CUresult error = machine().cuGetProcAddress_v2(symbol, function, version, flags, status);
    if (error == CUDA_SUCCESS && function && *function)
      *function = ownFor(*function);
    return error;
  };
  table.cuGetProcAddress = [](const char *symbol, void **function, int version, cuuint64_t flags) {
    CUresult error = machine().cuGetProcAddress(symbol, function, version, flags);
    if (error == CUDA_SUCCESS && function && *function)
      *function = ownFor(*function);
    return error;
  };
}

const Table *makeTable() {
  const char *list = askedDevices();
  if (!asksForGpu(list))
    return nullptr;
  if (isMixed(list))
    (void)ownTable().cuInit(0); // CUDA_VISIBLE_DEVICES will be for the machine's driver
  const Result<Table> &driver = machineDriver();
  if (!driver) {
    tellf("heddle: HEDDLE_DEVICE: %s\n", driver.error().c_str());
    static const Table none = tableOfNone();
    return &none;
  }
  static Table table = *driver;
  theTable = &table;
  interceptLibraries(table);
  interceptModules(table);
  interceptKernelHandles(table);
  interceptLaunches(table);
  interceptManaged(table);
  interceptStatements(table);
  interceptEntryPoints(table);
  return isMixed(list) ? mixedTable(table, list) : &table;
}

} // namespace

const Table *gpuTable() {
  static const Table *chosen = makeTable();
  return chosen;
}

} // namespace heddle::driver
