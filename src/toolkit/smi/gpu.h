// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvidia-smi asks NVML, as text. What NVML does not know is nothing, and printed as "N/A".
#pragma once

#include "nvml.h"

#include <optional>
#include <string>
#include <vector>

namespace smi {

using Text = std::optional<std::string>;

/// "N/A" for nothing.
inline std::string shown(const Text &text) { return text.value_or("N/A"); }

/// One value of a function of NVML, or nothing.
template <typename T>
std::optional<T> ask(nvmlReturn_t (*function)(nvmlDevice_t, T *), nvmlDevice_t device) {
  T value{};
  return function(device, &value) == NVML_SUCCESS ? std::optional<T>(value) : std::nullopt;
}

/// The same as a number.
template <typename T>
Text askNumber(nvmlReturn_t (*function)(nvmlDevice_t, T *), nvmlDevice_t device) {
  const auto value = ask(function, device);
  return value ? Text(std::to_string(*value)) : Text();
}

/// The same of a function that is told which one.
template <typename Which, typename T>
Text askNumber(nvmlReturn_t (*function)(nvmlDevice_t, Which, T *), nvmlDevice_t device,
               Which which) {
  T value{};
  return function(device, which, &value) == NVML_SUCCESS ? Text(std::to_string(value)) : Text();
}

Text askText(nvmlReturn_t (*function)(nvmlDevice_t, char *, unsigned), nvmlDevice_t);
Text askState(nvmlReturn_t (*function)(nvmlDevice_t, nvmlEnableState_t *), nvmlDevice_t);

struct Gpu {
  nvmlDevice_t device;
  unsigned index;
  std::string busId; ///< "00000000:01:00.0"
};
using Gpus = std::vector<Gpu>;

Gpus allGpus();
/// Those that a list names by index, UUID, serial number or PCI bus. Empty if it names one that is not there.
Gpus chosenGpus(const std::string &list);

nvmlPciInfo_t pciOf(const Gpu &);
nvmlMemory_t memoryOf(const Gpu &);
std::string computeModeOf(const Gpu &); ///< "Exclusive_Process"
Text eccOf(const Gpu &, bool pending);  ///< "Enabled"

struct Process {
  unsigned number;
  std::string name;
  unsigned long long used;
};
std::vector<Process> processesOf(const Gpu &);

std::string driverVersion();
std::string nvmlVersion();
std::string cudaVersion(); ///< "13.0"
std::string timestamp(const char *format);
unsigned long long inMebibytes(unsigned long long bytes);

/// Writes the error of a call to stderr and returns the exit status for it.
int fail(nvmlReturn_t);

} // namespace smi
