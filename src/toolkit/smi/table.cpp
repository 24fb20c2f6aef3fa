// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvidia-smi prints without options, and -L. Scripts look for "CUDA Version: 13.0" and for the columns, so these
// stand where they do with NVIDIA's.
#include "toolkit/smi/reports.h"

#include <cstdio>

namespace smi {

namespace {

constexpr const char *Wide =
    "+-----------------------------------------------------------------------------------------+\n";
constexpr const char *Columns =
    "+-----------------------------------------+------------------------+----------------------+\n";

std::string onOff(const Text &state) { return !state ? "N/A" : *state == "Enabled" ? "On" : "Off"; }

/// As the column has room for it.
std::string shortMode(const Gpu &gpu) {
  const std::string mode = computeModeOf(gpu);
  return mode == "Exclusive_Process"  ? "E. Process"
         : mode == "Exclusive_Thread" ? "E. Thread"
                                      : mode;
}

std::string memoryText(const Gpu &gpu) {
  const nvmlMemory_t memory = memoryOf(gpu);
  char text[48];
  std::snprintf(text, sizeof text, "%lluMiB / %6lluMiB", inMebibytes(memory.used),
                inMebibytes(memory.total));
  return text;
}

void printGpu(const Gpu &gpu) {
  const auto use = ask(nvmlDeviceGetUtilizationRates, gpu.device);
  const std::string percent = use ? std::to_string(use->gpu) + "%" : "N/A";
  std::printf("| %3u  %-26.26s %7s | %17s %4s | %20s |\n", gpu.index,
              shown(askText(nvmlDeviceGetName, gpu.device)).c_str(),
              onOff(askState(nvmlDeviceGetPersistenceMode, gpu.device)).c_str(), gpu.busId.c_str(),
              onOff(askState(nvmlDeviceGetDisplayActive, gpu.device)).c_str(), "N/A");
  std::printf("| %3s   %3s   %3s             %3s /  %3s  | %22s | %7s %12s |\n", "N/A", "N/A",
              "N/A", "N/A", "N/A", memoryText(gpu).c_str(), percent.c_str(),
              shortMode(gpu).c_str());
  std::printf("| %39s | %22s | %20s |\n%s", "", "", "N/A", Columns);
}

/// The end of a path that is too long.
std::string shortened(const std::string &path, size_t width) {
  return path.size() <= width ? path : "..." + path.substr(path.size() - (width - 3));
}

void printProcesses(const Gpus &gpus) {
  constexpr size_t NameWidth = 36;
  std::printf("\n%s| %-87s |\n", Wide, "Processes:");
  std::printf("| %-75s %11s |\n", " GPU   GI   CI              PID   Type   Process name",
              "GPU Memory");
  std::printf("| %-75s %-11s |\n", "       ID   ID", " Usage");
  std::puts("|====================================================================================="
            "====|");
  bool isEmpty = true;
  for (const Gpu &gpu : gpus)
    for (const Process &process : processesOf(gpu)) {
      isEmpty = false;
      std::printf("| %4u   N/A  N/A      %11u      C   %-*s %5lluMiB |\n", gpu.index,
                  process.number, static_cast<int>(NameWidth),
                  shortened(process.name, NameWidth).c_str(), inMebibytes(process.used));
    }
  if (isEmpty)
    std::printf("| %-87s |\n", " No running processes found");
  std::printf("%s", Wide);
}

} // namespace

int printTable(const Gpus &gpus) {
  std::printf("%s\n%s", timestamp("%a %b %e %H:%M:%S %Y").c_str(), Wide);
  std::printf("| NVIDIA-SMI %-22s Driver Version: %-14s CUDA Version: %-8s |\n",
              driverVersion().c_str(), driverVersion().c_str(), cudaVersion().c_str());
  std::puts("|-----------------------------------------+------------------------+------------------"
            "----+");
  std::puts("| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. "
            "ECC |");
  std::puts("| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  "
            "Compute M. |");
  std::puts("|                                         |                        |               "
            "MIG M. |");
  std::puts("|=========================================+========================+=================="
            "====|");
  for (const Gpu &gpu : gpus)
    printGpu(gpu);
  printProcesses(gpus);
  return 0;
}

int printList(const Gpus &gpus) {
  for (const Gpu &gpu : gpus)
    std::printf("GPU %u: %s (UUID: %s)\n", gpu.index,
                shown(askText(nvmlDeviceGetName, gpu.device)).c_str(),
                shown(askText(nvmlDeviceGetUUID, gpu.device)).c_str());
  return 0;
}

} // namespace smi
