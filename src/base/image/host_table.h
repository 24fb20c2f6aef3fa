// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the value of CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE says here: how compiled host
// code and a library of its device code belong together. CUDA leaves the layout of the tables to the
// compiler. There is no table of functions; `dataTable` points to a HostTable, and `dataWindowSize` is
// its size.
#pragma once

#include <cstddef>

namespace heddle {

/// A managed variable. It lies in the host's own memory, and has its initial value.
struct HostVariable {
  const char *name; ///< mangled
  void *host;
};

inline constexpr char HostTableMagic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'H', 'T'};

struct HostTable {
  char magic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'H', 'T'};
  /// The executable or shared library that host code and library lie in: relocatable images of the
  /// same one are linked with each other.
  const void *home = nullptr;
  bool isOfProgram = false; ///< it is the executable
  size_t count = 0;         ///< of variables
  const HostVariable *variables = nullptr;
};

} // namespace heddle
