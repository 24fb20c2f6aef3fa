// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolkit/smi/gpu.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>

namespace smi {

namespace {

constexpr unsigned MostText = 96;

std::string systemText(nvmlReturn_t (*function)(char *, unsigned)) {
  char text[MostText];
  return function(text, sizeof text) == NVML_SUCCESS ? text : "N/A";
}

/// A GPU as the option -i names it.
const Gpu *findGpu(const Gpus &gpus, const std::string &name) {
  nvmlDevice_t device = nullptr;
  char *end = nullptr;
  const unsigned long index = std::strtoul(name.c_str(), &end, 10);
  if (!name.empty() && !*end && index < gpus.size())
    return &gpus[index];
  const bool isFound = nvmlDeviceGetHandleByUUID(name.c_str(), &device) == NVML_SUCCESS ||
                       nvmlDeviceGetHandleByPciBusId(name.c_str(), &device) == NVML_SUCCESS ||
                       nvmlDeviceGetHandleBySerial(name.c_str(), &device) == NVML_SUCCESS;
  if (!isFound)
    return nullptr;
  return &*std::ranges::find(gpus, device, &Gpu::device);
}

} // namespace

Text askText(nvmlReturn_t (*function)(nvmlDevice_t, char *, unsigned), nvmlDevice_t device) {
  char text[MostText];
  return function(device, text, sizeof text) == NVML_SUCCESS ? Text(text) : Text();
}

Text askState(nvmlReturn_t (*function)(nvmlDevice_t, nvmlEnableState_t *), nvmlDevice_t device) {
  const auto state = ask(function, device);
  return state ? Text(*state == NVML_FEATURE_ENABLED ? "Enabled" : "Disabled") : Text();
}

Gpus allGpus() {
  unsigned count = 0;
  nvmlDeviceGetCount(&count);
  Gpus gpus(count);
  for (unsigned i = 0; i < count; ++i) {
    gpus[i].index = i;
    nvmlDeviceGetHandleByIndex(i, &gpus[i].device);
    gpus[i].busId = pciOf(gpus[i]).busId;
  }
  return gpus;
}

Gpus chosenGpus(const std::string &list) {
  const Gpus all = allGpus();
  Gpus chosen;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    const Gpu *gpu = findGpu(all, name);
    if (!gpu)
      return {};
    chosen.push_back(*gpu);
  }
  return chosen;
}

nvmlPciInfo_t pciOf(const Gpu &gpu) { return ask(nvmlDeviceGetPciInfo, gpu.device).value(); }

nvmlMemory_t memoryOf(const Gpu &gpu) { return ask(nvmlDeviceGetMemoryInfo, gpu.device).value(); }

std::string computeModeOf(const Gpu &gpu) {
  switch (ask(nvmlDeviceGetComputeMode, gpu.device).value()) {
  case NVML_COMPUTEMODE_PROHIBITED:
    return "Prohibited";
  case NVML_COMPUTEMODE_EXCLUSIVE_THREAD:
    return "Exclusive_Thread";
  case NVML_COMPUTEMODE_EXCLUSIVE_PROCESS:
    return "Exclusive_Process";
  default:
    return "Default";
  }
}

Text eccOf(const Gpu &gpu, bool isPending) {
  nvmlEnableState_t current, pending;
  if (nvmlDeviceGetEccMode(gpu.device, &current, &pending) != NVML_SUCCESS)
    return {};
  return (isPending ? pending : current) == NVML_FEATURE_ENABLED ? "Enabled" : "Disabled";
}

std::vector<Process> processesOf(const Gpu &gpu) {
  std::vector<nvmlProcessInfo_t> infos;
  unsigned count = 0;
  while (nvmlDeviceGetComputeRunningProcesses(gpu.device, &count, infos.data()) ==
         NVML_ERROR_INSUFFICIENT_SIZE)
    infos.resize(count);
  std::vector<Process> processes;
  for (unsigned i = 0; i < count; ++i) {
    char name[4096];
    const bool isKnown = nvmlSystemGetProcessName(infos[i].pid, name, sizeof name) == NVML_SUCCESS;
    processes.push_back({infos[i].pid, isKnown ? name : "[Not Found]", infos[i].usedGpuMemory});
  }
  return processes;
}

std::string driverVersion() { return systemText(nvmlSystemGetDriverVersion); }
std::string nvmlVersion() { return systemText(nvmlSystemGetNVMLVersion); }

std::string cudaVersion() {
  int version = 0;
  nvmlSystemGetCudaDriverVersion(&version);
  return std::to_string(NVML_CUDA_DRIVER_VERSION_MAJOR(version)) + "." +
         std::to_string(NVML_CUDA_DRIVER_VERSION_MINOR(version));
}

std::string timestamp(const char *format) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm local{};
  localtime_r(&now.tv_sec, &local);
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &local)};
}

unsigned long long inMebibytes(unsigned long long bytes) { return bytes >> 20; }

int fail(nvmlReturn_t error) {
  std::fprintf(stderr, "NVIDIA-SMI has failed: %s\n", nvmlErrorString(error));
  return error;
}

} // namespace smi
