// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests that call symbols of the driver API: old versions and twins have no names in cuda.h.
#pragma once

#include "driver/table.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

/// What the library exports. A test that uses it does not include cuda.h, whose names are macros.
inline heddle::driver::Table exportedTable() {
  heddle::driver::Table table;
#define HEDDLE_SYMBOL(symbol)                                                                      \
  table.symbol = reinterpret_cast<decltype(table.symbol)>(dlsym(RTLD_DEFAULT, #symbol));
#define HEDDLE_TWIN_None(symbol)
#define HEDDLE_TWIN_ptds(symbol) HEDDLE_SYMBOL(symbol##_ptds)
#define HEDDLE_TWIN_ptsz(symbol) HEDDLE_SYMBOL(symbol##_ptsz)
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  HEDDLE_SYMBOL(symbol)                                                                            \
  HEDDLE_TWIN_##twin(symbol)
#include "driver/driver.def"
#undef HEDDLE_SYMBOL
#undef HEDDLE_TWIN_None
#undef HEDDLE_TWIN_ptds
#undef HEDDLE_TWIN_ptsz
  return table;
}
