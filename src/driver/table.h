// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API as data: its functions by number, as pointers and by name.
#pragma once

#include "driver/interop_types.h"
#include "heddle/driver_types.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::driver {

/// A row of driver.def.
enum class FunctionNumber : uint16_t {
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments) symbol,
#include "driver/driver.def"
  Count
};

#define HEDDLE_TWIN_None(symbol, parameters)
#define HEDDLE_TWIN_ptds(symbol, parameters) CUresult(*symbol##_ptds) parameters = nullptr;
#define HEDDLE_TWIN_ptsz(symbol, parameters) CUresult(*symbol##_ptsz) parameters = nullptr;

/// A driver: the exported functions and their twins. Whoever uses the driver calls through one, so
/// that another one may stand in for ours.
struct Table {
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  CUresult(*symbol) parameters = nullptr;                                                          \
  HEDDLE_TWIN_##twin(symbol, parameters)
#include "driver/driver.def"
};

#undef HEDDLE_TWIN_None
#undef HEDDLE_TWIN_ptds
#undef HEDDLE_TWIN_ptsz

/// Our functions.
const Table &ownTable();

/// What programs are given for a name: the symbols of libcuda.so.1 where it is loaded, else ours.
const Table &programsTable();

/// An exported function as cuGetProcAddress sees it.
struct Entry {
  std::string_view symbol; ///< cuMemcpyHtoD_v2
  std::string_view name;   ///< cuMemcpyHtoD
  int since;               ///< driver.def
  size_t place;            ///< of its pointer, in bytes from the start of a Table
  size_t twin;             ///< the same of its twin; 0: there is none
  bool isSupported;
};
/// By FunctionNumber.
std::span<const Entry> ownEntries();

} // namespace heddle::driver
