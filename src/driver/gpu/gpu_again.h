// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/table.h"

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::driver {

/// Where a kernel comes from: our library or module, or the machine's. One of both is null.
struct KernelOrigin {
  CUlibrary library = nullptr;
  CUmodule module = nullptr;
  std::string name;
};

/// An image of ours, and where the machine's driver has the variables of its code.
struct OriginalCode {
  std::vector<uint8_t> image;
  bool usesHostVariables = false;
  CUlibrary library = nullptr; ///< the machine's
};

void noteOrigin(CUfunction, KernelOrigin);
/// Modules and libraries without host code: `handle` is of the machine's driver.
void noteImage(const void *handle, std::vector<uint8_t> image);
void forgetImage(const void *handle);

/// The kernel's code for blocks that have too many threads for the registers of its first code, in the
/// current context. Null: there is none.
CUfunction againFor(CUfunction, uint64_t threads);
/// The same if the machine's driver would refuse such blocks; else the function itself.
CUfunction fitFor(CUfunction, uint64_t threads);
/// What `againFor` was given, or the function itself.
CUfunction originalOf(CUfunction);
/// A program sets something on a function: launches of other code of it must know.
void noteSetting();
/// A context has ended.
void forgetAgain();

/// Puts into `table`, a copy of the machine's, launches that are made again.
void interceptLaunches(Table &table);

} // namespace heddle::driver
