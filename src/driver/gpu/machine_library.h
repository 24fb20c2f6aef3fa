// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver of the machine's GPU: NVIDIA's libcuda.so.1, as a table of the functions that it has.
#pragma once

#include "driver/table.h"

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::driver {

/// Whether `list`, the value of HEDDLE_DEVICE, asks for GPUs of the machine: `gpu`, `gpu:1`, or a list
/// with such. `auto` does, where the machine has one.
bool asksForGpu(const char *list);

/// The machine's driver, opened at the first call. Functions that it lacks answer
/// CUDA_ERROR_NOT_SUPPORTED and say so. Fails where there is none.
const Result<Table> &machineDriver();

/// That, where there is one.
inline const Table &machine() { return *machineDriver(); }

/// For cuGetProcAddress: whether the machine's driver exports the symbol.
bool machineHas(const char *symbol);

/// The library at `path`; null if it cannot be opened, and `problem` says why, or is ours.
void *openForeign(const std::string &path, std::string &problem, int binding);

/// The parts of a list with colons between them.
std::vector<std::string> splitFolders(std::string_view list);

/// Where the dynamic linker looks for libraries of the system, and those who use it.
std::vector<std::string> searchedFolders();

} // namespace heddle::driver
