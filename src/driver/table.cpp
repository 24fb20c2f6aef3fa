// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/table.h"

#include "driver/gpu/gpu_table.h"
#include "driver/record/recorder.h"

#include <atomic>
#include <cstddef>

// Defined in exports.cpp.
namespace heddle::driver::exported {
#define HEDDLE_TWIN_None(symbol, parameters)
#define HEDDLE_TWIN_ptds(symbol, parameters) CUresult symbol##_ptds parameters;
#define HEDDLE_TWIN_ptsz(symbol, parameters) CUresult symbol##_ptsz parameters;
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  CUresult symbol parameters;                                                                      \
  HEDDLE_TWIN_##twin(symbol, parameters)
#include "driver/driver.def"
#undef HEDDLE_TWIN_None
#undef HEDDLE_TWIN_ptds
#undef HEDDLE_TWIN_ptsz
} // namespace heddle::driver::exported

namespace heddle::driver {

namespace {

/// The symbol without its version.
constexpr std::string_view nameOf(std::string_view symbol) {
  size_t n = symbol.size();
  bool isVersioned = n > 3 && symbol.substr(n - 3, 2) == "_v";
  return symbol.substr(0, isVersioned ? n - 3 : n);
}

} // namespace

const Table &ownTable() {
#define HEDDLE_TWIN_None(symbol)
#define HEDDLE_TWIN_ptds(symbol) .symbol##_ptds = exported::symbol##_ptds,
#define HEDDLE_TWIN_ptsz(symbol) .symbol##_ptsz = exported::symbol##_ptsz,
  static constexpr Table table = {
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  .symbol = exported::symbol, HEDDLE_TWIN_##twin(symbol)
#include "driver/driver.def"
  };
#undef HEDDLE_TWIN_None
#undef HEDDLE_TWIN_ptds
#undef HEDDLE_TWIN_ptsz
  return table;
}

static std::atomic<const Table *> programs = nullptr;

const Table &programsTable() {
  const Table *table = programs.load(std::memory_order_acquire);
  return table ? *table : ownTable();
}

std::span<const Entry> ownEntries() {
#define HEDDLE_TWIN_None(symbol) 0
#define HEDDLE_TWIN_ptds(symbol) offsetof(Table, symbol##_ptds)
#define HEDDLE_TWIN_ptsz(symbol) offsetof(Table, symbol##_ptsz)
#define HEDDLE_Done true
#define HEDDLE_Old true
#define HEDDLE_Unsupported false
  static constexpr Entry entries[] = {
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  {#symbol,       nameOf(#symbol), since, offsetof(Table, symbol), HEDDLE_TWIN_##twin(symbol),     \
   HEDDLE_##state},
#include "driver/driver.def"
  };
#undef HEDDLE_TWIN_None
#undef HEDDLE_TWIN_ptds
#undef HEDDLE_TWIN_ptsz
  return entries;
}

} // namespace heddle::driver

/// For libcuda.so.1 (libcuda.cpp) and the runtime: gives the functions of the driver that
/// HEDDLE_DEVICE asks for, and takes the symbols that lead to ours, if there are any.
extern "C" __attribute__((visibility("default"))) const heddle::driver::Table *
heddle_driver_table(const heddle::driver::Table *exported) {
  if (exported)
    heddle::driver::programs.store(exported, std::memory_order_release);
  const heddle::driver::Table *gpu = heddle::driver::gpuTable();
  return &heddle::driver::recordedTable(gpu ? *gpu : heddle::driver::ownTable());
}
