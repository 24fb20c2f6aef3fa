// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver that stands between a program and another one: a libcuda.so.1 that exports the whole table and hands each
// call to the library that STAND_IN_FOR names. At the end it writes to the file STAND_IN_LOG how often each symbol was
// called. Functions that are asked for by name are its own, too, so that no call goes past it.
#include "driver/table.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace {

using heddle::driver::FunctionNumber;
using heddle::driver::Table;

#define TWIN_None(symbol)
#define TWIN_ptds(symbol) TAKE(symbol##_ptds)
#define TWIN_ptsz(symbol) TAKE(symbol##_ptsz)
#define HEDDLE_DRIVER_ROW(group, symbol, since, twin, ...) TAKE(symbol) TWIN_##twin(symbol)

Table loadOther() {
  const char *path = std::getenv("STAND_IN_FOR");
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!library) {
    std::fprintf(stderr, "stand-in driver: %s\n", path ? dlerror() : "STAND_IN_FOR is not set");
    std::abort();
  }
  Table table;
#define TAKE(name) table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, #name));
#define HEDDLE_DRIVER HEDDLE_DRIVER_ROW
#include "driver/driver.def"
#undef TAKE
  return table;
}

const Table &other() {
  static const Table table = loadOther();
  return table;
}

/// How often functions were called, and at the end their names.
struct Calls {
#define TAKE(name) std::atomic<long> name = 0;
#define HEDDLE_DRIVER HEDDLE_DRIVER_ROW
#include "driver/driver.def"
#undef TAKE
  ~Calls() {
    const char *path = std::getenv("STAND_IN_LOG");
    std::FILE *file = path ? std::fopen(path, "a") : nullptr;
    if (!file)
      return;
#define TAKE(name)                                                                                 \
  if (name)                                                                                        \
    std::fprintf(file, "%s %ld\n", #name, name.load());
#define HEDDLE_DRIVER HEDDLE_DRIVER_ROW
#include "driver/driver.def"
#undef TAKE
    std::fclose(file);
  }
} calls;

/// Ours in place of the other driver's function.
void *own(void *function) {
#define TAKE(name)                                                                                 \
  if (function == reinterpret_cast<void *>(other().name))                                          \
    return dlsym(RTLD_DEFAULT, #name);
#define HEDDLE_DRIVER HEDDLE_DRIVER_ROW
#include "driver/driver.def"
#undef TAKE
  return function;
}

/// What a call has answered through its arguments.
template <FunctionNumber, class... Arguments> void correct(Arguments...) {}
template <>
void correct<FunctionNumber::cuGetProcAddress>(const char *, void **function, int, cuuint64_t) {
  if (function && *function)
    *function = own(*function);
}
template <>
void correct<FunctionNumber::cuGetProcAddress_v2>(const char *, void **function, int, cuuint64_t,
                                                  CUdriverProcAddressQueryResult *) {
  if (function && *function)
    *function = own(*function);
}

} // namespace

#define FORWARD(name, base, parameters, arguments)                                                 \
  extern "C" CUresult name parameters {                                                            \
    ++calls.name;                                                                                  \
    CUresult given = other().name arguments;                                                       \
    correct<FunctionNumber::base> arguments;                                                       \
    return given;                                                                                  \
  }
#define FORWARD_None(symbol, parameters, arguments)
#define FORWARD_ptds(symbol, parameters, arguments)                                                \
  FORWARD(symbol##_ptds, symbol, parameters, arguments)
#define FORWARD_ptsz(symbol, parameters, arguments)                                                \
  FORWARD(symbol##_ptsz, symbol, parameters, arguments)
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  FORWARD(symbol, symbol, parameters, arguments)                                                   \
  FORWARD_##twin(symbol, parameters, arguments)
#include "driver/driver.def"
