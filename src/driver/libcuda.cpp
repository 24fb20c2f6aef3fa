// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcuda.so.1: the functions of driver.def under their names, each a call through the driver's
// table. The driver itself lies in the runtime's library, which this one needs: a process has one.
#include "driver/table.h"

extern "C" const heddle::driver::Table *heddle_driver_table(const heddle::driver::Table *exported);

static const heddle::driver::Table &driverTable();

#ifndef HEDDLE_STAND_IN
/// Who looks for the driver of a GPU knows ours by it (driver/gpu/machine_library.cpp).
extern "C" __attribute__((visibility("default"))) const char heddle_is_ours = 1;
#endif

#define HEDDLE_EXPORT(symbol, parameters, arguments)                                               \
  extern "C" __attribute__((visibility("default"))) CUresult symbol parameters {                   \
    return driverTable().symbol arguments;                                                         \
  }
#define HEDDLE_TWIN_None(symbol, parameters, arguments)
#define HEDDLE_TWIN_ptds(symbol, parameters, arguments)                                            \
  HEDDLE_EXPORT(symbol##_ptds, parameters, arguments)
#define HEDDLE_TWIN_ptsz(symbol, parameters, arguments)                                            \
  HEDDLE_EXPORT(symbol##_ptsz, parameters, arguments)
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  HEDDLE_EXPORT(symbol, parameters, arguments)                                                     \
  HEDDLE_TWIN_##twin(symbol, parameters, arguments)
#include "driver/driver.def"
#undef HEDDLE_TWIN_None
#undef HEDDLE_TWIN_ptds
#undef HEDDLE_TWIN_ptsz

namespace {

constexpr heddle::driver::Table Exported = {
#define HEDDLE_TWIN_None(symbol)
#define HEDDLE_TWIN_ptds(symbol) .symbol##_ptds = ::symbol##_ptds,
#define HEDDLE_TWIN_ptsz(symbol) .symbol##_ptsz = ::symbol##_ptsz,
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  .symbol = ::symbol, HEDDLE_TWIN_##twin(symbol)
#include "driver/driver.def"
};

} // namespace

static const heddle::driver::Table &driverTable() {
  static const heddle::driver::Table &own = *heddle_driver_table(&Exported);
  return own;
}
