// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvidia-smi prints. Each returns the exit status.
#pragma once

#include "toolkit/smi/gpu.h"

namespace smi {

/// How --format wants a list of values.
struct CsvFormat {
  bool hasHeader = true, hasUnits = true;
};

int printTable(const Gpus &);                            ///< without options
int printList(const Gpus &);                             ///< -L
int printAll(const Gpus &, const std::string &sections); ///< -q, with -d
int printGpuFields(const Gpus &, const std::string &names, CsvFormat);
int printProcessFields(const Gpus &, const std::string &names, CsvFormat);
int printFieldNames(bool ofProcesses);                      ///< --help-query-gpu
int printTopology(const std::vector<std::string> &options); ///< topo

} // namespace smi
