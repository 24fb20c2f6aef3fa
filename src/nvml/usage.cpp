// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory, processes, utilisation: what the ledger knows of all processes that share the machine.
#include "nvml/library.h"

#include "base/machine/processors.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <numeric>
#include <time.h>
#include <unistd.h>

using namespace heddle::nvml;
using heddle::driver::Ledger;

namespace {

constexpr unsigned NoInstance = 0xFFFFFFFF;

uint64_t usedOf(const Gpu &gpu) {
  uint64_t sum = 0;
  for (const Ledger::User &user : Ledger::get().users(gpu.uuid))
    sum += user.used;
  return std::min<uint64_t>(sum, gpu.board->properties.totalGlobalMem);
}

void fill(nvmlProcessInfo_v1_t &info, const Ledger::User &user) {
  info = {static_cast<unsigned>(user.process), user.used};
}

void fill(nvmlProcessInfo_v2_t &info, const Ledger::User &user) {
  info = {static_cast<unsigned>(user.process), user.used, NoInstance, NoInstance};
}

/// With too little room the caller is told how much it takes.
template <typename Info>
nvmlReturn_t giveProcesses(nvmlDevice_t handle, unsigned *count, Info *infos) {
  return onDevice(handle, count, [&](const Gpu &gpu) {
    const auto users = Ledger::get().users(gpu.uuid);
    const unsigned room = *count;
    *count = static_cast<unsigned>(users.size());
    if (room < users.size())
      return NVML_ERROR_INSUFFICIENT_SIZE;
    if (!infos && !users.empty())
      return NVML_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < users.size(); ++i)
      fill(infos[i], users[i]);
    return NVML_SUCCESS;
  });
}

/// There is no graphics, and no multi-process server.
nvmlReturn_t giveNoProcesses(nvmlDevice_t handle, unsigned *count) {
  return give(handle, count, [](const Gpu &) { return 0; });
}

/// Processor time of a GPU's processes at a time.
struct Sample {
  double seconds = 0;
  std::map<int32_t, double> used;
};

Sample takeSample(const Gpu &gpu) {
  static const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  Sample sample{static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9, {}};
  for (const Ledger::User &user : Ledger::get().users(gpu.uuid))
    sample.used[user.process] =
        static_cast<double>(heddle::driver::timesOf(user.process).used) * tick;
  return sample;
}

/// In percent of all processors.
unsigned utilizationBetween(const Sample &before, const Sample &now) {
  double used = 0;
  for (auto [process, time] : now.used)
    if (auto was = before.used.find(process); was != before.used.end())
      used += time - was->second;
  const double share = used / (now.seconds - before.seconds) / heddle::usableProcessors();
  return static_cast<unsigned>(std::clamp(share * 100, 0.0, 100.0));
}

/// Since the last question, which lies a moment back at least: the system counts in steps of some milliseconds.
unsigned utilizationOf(const Gpu &gpu) {
  constexpr double Moment = 0.1, Age = 2;
  static std::mutex &mutex = *new std::mutex;
  static std::map<const Gpu *, Sample> &last = *new std::map<const Gpu *, Sample>;
  std::lock_guard guard(mutex);
  Sample now = takeSample(gpu), &before = last[&gpu];
  if (now.seconds - before.seconds > Age)
    before = now;
  if (now.seconds - before.seconds < Moment) {
    usleep(static_cast<useconds_t>(Moment * 1e6));
    now = takeSample(gpu);
  }
  const unsigned percent = utilizationBetween(before, now);
  before = std::move(now);
  return percent;
}

/// The program's path.
std::string programOf(unsigned process) {
  char path[4096];
  const ssize_t size =
      readlink(("/proc/" + std::to_string(process) + "/exe").c_str(), path, sizeof path);
  return {path, size > 0 ? static_cast<size_t>(size) : 0};
}

} // namespace

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t handle, nvmlMemory_t *memory) {
  return onDevice(handle, memory, [&](const Gpu &gpu) {
    const uint64_t total = gpu.board->properties.totalGlobalMem, used = usedOf(gpu);
    *memory = {total, total - used, used};
    return NVML_SUCCESS;
  });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t handle,
                                                        nvmlMemory_v2_t *memory) {
  return onDevice(handle, memory, [&](const Gpu &gpu) {
    if (memory->version != nvmlMemory_v2)
      return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    const uint64_t total = gpu.board->properties.totalGlobalMem, used = usedOf(gpu);
    *memory = {memory->version, total, 0, total - used, used};
    return NVML_SUCCESS;
  });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t handle,
                                                           nvmlUtilization_t *utilization) {
  return onDevice(handle, utilization, [&](const Gpu &gpu) {
    *utilization = {utilizationOf(gpu), 0}; // nobody counts what goes to memory
    return NVML_SUCCESS;
  });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t handle,
                                                                  unsigned *count,
                                                                  nvmlProcessInfo_v1_t *infos) {
  return giveProcesses(handle, count, infos);
}
HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t handle,
                                                                     unsigned *count,
                                                                     nvmlProcessInfo_v2_t *infos) {
  return giveProcesses(handle, count, infos);
}
HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t handle,
                                                                     unsigned *count,
                                                                     nvmlProcessInfo_t *infos) {
  return giveProcesses(handle, count, infos);
}

#define HEDDLE_NO_PROCESSES(name, Info)                                                            \
  HEDDLE_NVML_API nvmlReturn_t name(nvmlDevice_t handle, unsigned *count, Info *) {                \
    return giveNoProcesses(handle, count);                                                         \
  }
HEDDLE_NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses, nvmlProcessInfo_v1_t)
HEDDLE_NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2, nvmlProcessInfo_v2_t)
HEDDLE_NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, nvmlProcessInfo_t)
HEDDLE_NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses, nvmlProcessInfo_v1_t)
HEDDLE_NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v2, nvmlProcessInfo_v2_t)
HEDDLE_NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3, nvmlProcessInfo_t)

HEDDLE_NVML_API nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char *name, unsigned length) {
  return onSystem(name && length, [&] {
    const std::string program = programOf(pid);
    return program.empty()
               ? NVML_ERROR_NOT_FOUND
               : giveText(name, length, std::string_view(program).substr(0, length - 1));
  });
}
