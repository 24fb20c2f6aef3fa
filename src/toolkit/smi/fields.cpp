// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --query-gpu and --query-compute-apps: lists of values, separated by commas.
#include "toolkit/smi/reports.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <sstream>
#include <string_view>

namespace smi {

namespace {

template <typename... Of> struct Field {
  std::string_view name, otherName, unit;
  Text (*value)(const Of &...);
};

std::string hexadecimal(unsigned value, int digits) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%0*X", digits, value);
  return text;
}

std::string milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  char text[8];
  std::snprintf(text, sizeof text, ".%03d", static_cast<int>(now.tv_nsec / 1'000'000));
  return timestamp("%Y/%m/%d %H:%M:%S") + text;
}

std::string computeCapabilityOf(const Gpu &gpu) {
  int major = 0, minor = 0;
  nvmlDeviceGetCudaComputeCapability(gpu.device, &major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

Text utilizationOf(const Gpu &gpu) {
  const auto use = ask(nvmlDeviceGetUtilizationRates, gpu.device);
  return use ? Text(std::to_string(use->gpu)) : Text();
}

Text clockOf(const Gpu &gpu, nvmlClockType_t type) {
  return askNumber(nvmlDeviceGetClockInfo, gpu.device, type);
}

Text maxClockOf(const Gpu &gpu, nvmlClockType_t type) {
  return askNumber(nvmlDeviceGetMaxClockInfo, gpu.device, type);
}

constexpr Field<Gpu> GpuFields[] = {
#define SMI_FIELD(name, other, unit, value)                                                        \
  {name, other, unit, [](const Gpu &gpu) { return value; }},
#define SMI_UNKNOWN(name, unit) {name, "", unit, [](const Gpu &) { return Text(); }},
#define SMI_PROCESS_FIELD(...)
#include "toolkit/smi/fields.def"
};

constexpr Field<Gpu, Process> ProcessFields[] = {
#define SMI_FIELD(...)
#define SMI_UNKNOWN(...)
#define SMI_PROCESS_FIELD(name, other, unit, value)                                                \
  {name, other, unit, [](const Gpu &gpu, const Process &process) { return value; }},
#include "toolkit/smi/fields.def"
};

/// The fields of a list of names; empty, and a message, if one is none.
template <typename Table> auto findFields(const Table &table, const std::string &names) {
  std::vector<decltype(&table[0])> fields;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    const auto *end = std::end(table);
    const auto *found = std::find_if(std::begin(table), end, [&](const auto &field) {
      return field.name == name || (!field.otherName.empty() && field.otherName == name);
    });
    if (found == end) {
      std::printf("Field \"%s\" is not a valid field to query.\n\n", name.c_str());
      return decltype(fields){};
    }
    fields.push_back(found);
  }
  return fields;
}

template <typename Fields> void printHeader(const Fields &fields) {
  const char *separator = "";
  for (const auto *field : fields) {
    std::printf("%s%.*s", separator, static_cast<int>(field->name.size()), field->name.data());
    if (!field->unit.empty())
      std::printf(" [%.*s]", static_cast<int>(field->unit.size()), field->unit.data());
    separator = ", ";
  }
  std::puts("");
}

template <typename Fields, typename... Of>
void printRow(const Fields &fields, CsvFormat format, const Of &...of) {
  std::string row;
  for (const auto *field : fields) {
    const Text value = field->value(of...);
    row += row.empty() ? "" : ", ";
    row += value.value_or("[N/A]");
    if (value && format.hasUnits && !field->unit.empty())
      row += " " + std::string(field->unit);
  }
  std::puts(row.c_str());
}

template <typename Table> void printNames(const Table &table) {
  for (const auto &field : table) {
    std::printf("\"%.*s\"", static_cast<int>(field.name.size()), field.name.data());
    if (!field.otherName.empty())
      std::printf(" or \"%.*s\"", static_cast<int>(field.otherName.size()), field.otherName.data());
    std::puts("");
  }
}

} // namespace

int printGpuFields(const Gpus &gpus, const std::string &names, CsvFormat format) {
  const auto fields = findFields(GpuFields, names);
  if (fields.empty())
    return NVML_ERROR_INVALID_ARGUMENT;
  if (format.hasHeader)
    printHeader(fields);
  for (const Gpu &gpu : gpus)
    printRow(fields, format, gpu);
  return 0;
}

int printProcessFields(const Gpus &gpus, const std::string &names, CsvFormat format) {
  const auto fields = findFields(ProcessFields, names);
  if (fields.empty())
    return NVML_ERROR_INVALID_ARGUMENT;
  if (format.hasHeader)
    printHeader(fields);
  for (const Gpu &gpu : gpus)
    for (const Process &process : processesOf(gpu))
      printRow(fields, format, gpu, process);
  return 0;
}

int printFieldNames(bool ofProcesses) {
  std::puts("List of valid properties to query:\n");
  if (ofProcesses)
    printNames(ProcessFields);
  else
    printNames(GpuFields);
  return 0;
}

} // namespace smi
