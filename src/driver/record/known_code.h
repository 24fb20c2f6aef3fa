// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device code the kernels of a program are of: what loads code is intercepted.
#pragma once

#include "base/image/saved_launch.h"
#include "driver/table.h"

#include <optional>

namespace heddle::driver {

/// Code that was loaded.
struct KnownCode {
  std::vector<uint8_t> bytes; ///< an image, a bundle of them, or PTX
  const void *home = nullptr; ///< HostTable::home; null: no host code came with it
  CUlibrary library = nullptr;
  CUmodule module = nullptr;
};

struct KnownKernel {
  const KnownCode *code;
  std::string name; ///< mangled
};

/// Intercepts in `table` what loads code and gives kernels; the rest of it calls `below`.
void interceptCode(Table &table, const Table &below);

std::optional<KnownKernel> knownKernel(CUfunction);

/// The code as cuModuleLoadData takes it: what is linked when it is used is linked.
Result<std::vector<uint8_t>> wholeCode(const KnownCode &);
/// The kernel's name for people.
std::string shownName(const KnownKernel &);
/// The variables of its module that have names, without their contents.
std::vector<SavedMemory> variablesOf(const KnownCode &, std::vector<size_t> &sizes);

} // namespace heddle::driver
