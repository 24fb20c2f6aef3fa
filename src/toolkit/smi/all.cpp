// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -q: all that is known of each GPU; -d chooses sections.
#include "toolkit/smi/reports.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <sstream>

namespace smi {

namespace {

/// "    Name                                  : value", indented by two times `depth` spaces.
void line(int depth, const char *name, const std::string &value) {
  constexpr int Column = 50;
  std::printf("%*s%-*s: %s\n", 4 * depth, "", Column - 4 * depth, name, value.c_str());
}

void title(const char *name) { std::printf("    %s\n", name); }

std::string with(const Text &number, const char *unit) {
  return number ? *number + " " + unit : "N/A";
}

std::string mebibytes(unsigned long long bytes) {
  return std::to_string(inMebibytes(bytes)) + " MiB";
}

std::string numberIn(const char *format, unsigned value) {
  char text[16];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string brandOf(const Gpu &gpu) {
  switch (ask(nvmlDeviceGetBrand, gpu.device).value_or(NVML_BRAND_UNKNOWN)) {
  case NVML_BRAND_TESLA:
    return "Tesla";
  case NVML_BRAND_GEFORCE:
    return "GeForce";
  case NVML_BRAND_GEFORCE_RTX:
    return "GeForce RTX";
  case NVML_BRAND_NVIDIA:
    return "NVIDIA";
  default:
    return "Unknown";
  }
}

std::string architectureOf(const Gpu &gpu) {
  constexpr const char *Names[] = {"Kepler", "Maxwell",      "Pascal", "Volta",    "Turing",
                                   "Ampere", "Ada Lovelace", "Hopper", "Blackwell"};
  const auto number = ask(nvmlDeviceGetArchitecture, gpu.device).value_or(NVML_DEVICE_ARCH_UNKNOWN);
  const bool isKnown =
      number >= NVML_DEVICE_ARCH_KEPLER && number - NVML_DEVICE_ARCH_KEPLER < std::size(Names);
  return isKnown ? Names[number - NVML_DEVICE_ARCH_KEPLER] : "N/A";
}

void printIdentity(const Gpu &gpu) {
  line(1, "Product Name", shown(askText(nvmlDeviceGetName, gpu.device)));
  line(1, "Product Brand", brandOf(gpu));
  line(1, "Product Architecture", architectureOf(gpu));
  line(1, "Display Mode", shown(askState(nvmlDeviceGetDisplayMode, gpu.device)));
  line(1, "Display Active", shown(askState(nvmlDeviceGetDisplayActive, gpu.device)));
  line(1, "Persistence Mode", shown(askState(nvmlDeviceGetPersistenceMode, gpu.device)));
  title("MIG Mode");
  line(2, "Current", "N/A");
  line(2, "Pending", "N/A");
  line(1, "Serial Number", shown(askText(nvmlDeviceGetSerial, gpu.device)));
  line(1, "GPU UUID", shown(askText(nvmlDeviceGetUUID, gpu.device)));
  line(1, "Minor Number", shown(askNumber(nvmlDeviceGetMinorNumber, gpu.device)));
  line(1, "VBIOS Version", shown(askText(nvmlDeviceGetVbiosVersion, gpu.device)));
  line(1, "MultiGPU Board", ask(nvmlDeviceGetMultiGpuBoard, gpu.device).value_or(0) ? "Yes" : "No");
  line(1, "Board ID", numberIn("0x%x", ask(nvmlDeviceGetBoardId, gpu.device).value_or(0)));
  const nvmlPciInfo_t pci = pciOf(gpu);
  title("PCI");
  line(2, "Bus", numberIn("0x%02X", pci.bus));
  line(2, "Device", numberIn("0x%02X", pci.device));
  line(2, "Domain", numberIn("0x%04X", pci.domain));
  line(2, "Device Id", numberIn("0x%08X", pci.pciDeviceId));
  line(2, "Bus Id", gpu.busId);
  line(1, "Fan Speed", with(askNumber(nvmlDeviceGetFanSpeed, gpu.device), "%"));
}

void printPerformance(const Gpu &) { line(1, "Performance State", "N/A"); }

void printMemory(const Gpu &gpu) {
  const nvmlMemory_t memory = memoryOf(gpu);
  title("FB Memory Usage");
  line(2, "Total", mebibytes(memory.total));
  line(2, "Reserved", "0 MiB");
  line(2, "Used", mebibytes(memory.used));
  line(2, "Free", mebibytes(memory.free));
}

void printCompute(const Gpu &gpu) { line(1, "Compute Mode", computeModeOf(gpu)); }

void printUtilization(const Gpu &gpu) {
  const auto use = ask(nvmlDeviceGetUtilizationRates, gpu.device);
  title("Utilization");
  line(2, "Gpu", use ? std::to_string(use->gpu) + " %" : "N/A");
  line(2, "Memory", "N/A");
}

void printEcc(const Gpu &gpu) {
  title("ECC Mode");
  line(2, "Current", shown(eccOf(gpu, false)));
  line(2, "Pending", shown(eccOf(gpu, true)));
}

void printTemperature(const Gpu &gpu) {
  title("Temperature");
  line(2, "GPU Current Temp",
       with(askNumber(nvmlDeviceGetTemperature, gpu.device, NVML_TEMPERATURE_GPU), "C"));
}

void printPower(const Gpu &) {
  title("GPU Power Readings");
  line(2, "Power Draw", "N/A");
  line(2, "Current Power Limit", "N/A");
}

void printClocks(const Gpu &gpu) {
  struct {
    const char *title;
    nvmlReturn_t (*ask)(nvmlDevice_t, nvmlClockType_t, unsigned *);
  } const groups[] = {{"Clocks", nvmlDeviceGetClockInfo},
                      {"Max Clocks", nvmlDeviceGetMaxClockInfo}};
  for (const auto &group : groups) {
    title(group.title);
    line(2, "Graphics", with(askNumber(group.ask, gpu.device, NVML_CLOCK_GRAPHICS), "MHz"));
    line(2, "SM", with(askNumber(group.ask, gpu.device, NVML_CLOCK_SM), "MHz"));
    line(2, "Memory", with(askNumber(group.ask, gpu.device, NVML_CLOCK_MEM), "MHz"));
    line(2, "Video", with(askNumber(group.ask, gpu.device, NVML_CLOCK_VIDEO), "MHz"));
  }
}

void printProcesses(const Gpu &gpu) {
  const auto processes = processesOf(gpu);
  if (processes.empty()) {
    line(1, "Processes", "None");
    return;
  }
  title("Processes");
  for (const Process &process : processes) {
    line(2, "Process ID", std::to_string(process.number));
    line(3, "Type", "C");
    line(3, "Name", process.name);
    line(3, "Used GPU Memory", mebibytes(process.used));
  }
}

/// In the order of the report. The first has no name for -d.
constexpr struct {
  std::string_view name;
  void (*print)(const Gpu &);
} Sections[] = {
    {"", printIdentity},
    {"PERFORMANCE", printPerformance},
    {"MEMORY", printMemory},
    {"COMPUTE", printCompute},
    {"UTILIZATION", printUtilization},
    {"ECC", printEcc},
    {"TEMPERATURE", printTemperature},
    {"POWER", printPower},
    {"CLOCK", printClocks},
    {"PIDS", printProcesses},
};

/// The names of a list, in capitals. Empty, and a message, if one is none.
std::vector<std::string> sectionsOf(const std::string &list) {
  std::vector<std::string> names;
  std::istringstream parts(list);
  for (std::string name; std::getline(parts, name, ',');) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    if (name.empty() || std::ranges::none_of(Sections, [&](auto &s) { return s.name == name; })) {
      std::printf("Invalid combination of input arguments: '%s' is no section of -d\n",
                  name.c_str());
      return {};
    }
    names.push_back(name);
  }
  return names;
}

} // namespace

int printAll(const Gpus &gpus, const std::string &sections) {
  const std::vector<std::string> chosen = sectionsOf(sections);
  if (chosen.empty() && !sections.empty())
    return NVML_ERROR_INVALID_ARGUMENT;
  std::puts("\n==============NVSMI LOG==============\n");
  line(0, "Timestamp", timestamp("%a %b %e %H:%M:%S %Y"));
  line(0, "Driver Version", driverVersion());
  line(0, "CUDA Version", cudaVersion());
  std::puts("");
  line(0, "Attached GPUs", std::to_string(allGpus().size()));
  for (const Gpu &gpu : gpus) {
    std::printf("GPU %s\n", gpu.busId.c_str());
    for (const auto &section : Sections)
      if (chosen.empty() || std::ranges::count(chosen, section.name))
        section.print(gpu);
    std::puts("");
  }
  return 0;
}

} // namespace smi
