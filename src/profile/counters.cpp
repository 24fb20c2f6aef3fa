// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is counted and modelled of a profiled program's launches, as its options ask for it.
#include "profile/counters.h"

#include "base/command_options.h"
#include "base/messages/messages.h"
#include "profile/count/counting.h"
#include "profile/metrics.h"
#include "profile/recorder.h"
#include "profile/timing.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <regex>
#include <set>

namespace heddle::profile {

namespace {

/// What kernels are counted for.
struct Counting {
  std::vector<const model::Gpu *> gpus;
  std::unique_ptr<Timing> timing;      ///< null: counters only
  std::unique_ptr<ModelledTime> clock; ///< null: no times are modelled
  /// The place of a GPU among `gpus`.
  size_t place(const model::Gpu *gpu) {
    auto at = std::ranges::find(gpus, gpu);
    if (at == gpus.end())
      at = gpus.insert(at, gpu);
    return size_t(at - gpus.begin());
  }
};
Counting &counting() {
  static Counting &all = *new Counting;
  return all;
}

/// The kernel's name without template arguments and parameters: "void reduce<1>(int)" is reduce.
std::string baseName(const std::string &kernel) {
  size_t end = std::min(kernel.find('('), kernel.find('<'));
  std::string head = kernel.substr(0, end);
  return head.substr(head.rfind(' ') + 1);
}

/// --kernel-id: by how many launches of that name were before.
bool isInvocation(const std::string &kernel) {
  if (settings().invocations.empty())
    return true;
  static std::mutex mutex;
  static std::map<std::string, uint64_t> &launches = *new std::map<std::string, uint64_t>;
  static const std::regex &pattern = *new std::regex(settings().invocations, std::regex::extended);
  std::lock_guard guard(mutex);
  return std::regex_match(std::to_string(++launches[baseName(kernel)]), pattern);
}

bool isChosen(const std::string &kernel) {
  static std::atomic<uint64_t> launches = 0;
  if (!isAmong(settings().kernels, kernel, kernel) || !isInvocation(kernel))
    return false;
  uint64_t number = launches.fetch_add(1, std::memory_order_relaxed);
  return number >= settings().launchSkip && number - settings().launchSkip < settings().launchCount;
}

void takeCounts(LaunchCounts &&counts) {
  std::vector<TimedLaunch> times;
  if (Timing *timing = counting().timing.get())
    times = timing->timesOf(counts);
  if (settings().wantsPictures())
    counts.samples = samplesOf(counts);
  counts.traces.clear();
  if (counting().clock)
    counting().clock->setLaunch(times);
  static std::set<std::string> &told = *new std::set<std::string>;
  if (modelsTime() && !times.empty() && !times.front().unknown.empty() &&
      told.insert(counts.kernel).second)
    tellf("heddle: %s takes no time in HEDDLE_TIMING=model: %s\n", counts.kernel.c_str(),
          times.front().unknown.c_str());
  noteCounts(std::move(counts), std::move(times));
}

void startClock(const std::vector<DeviceFacts> &devices) {
  std::vector<const model::Gpu *> gpus;
  for (const DeviceFacts &device : devices) {
    gpus.push_back(device.gpu);
    if (device.gpu)
      counting().place(device.gpu);
  }
  if (!counting().gpus.empty())
    counting().clock = std::make_unique<ModelledTime>(std::move(gpus));
  if (counting().gpus.empty())
    tellf("heddle: HEDDLE_TIMING=model needs a GPU to model: HEDDLE_DEVICE=k20\n");
}

/// The rules of transactions of all GPUs that are asked for.
uint32_t rulesOfGpus(const std::vector<DeviceFacts> &devices) {
  uint32_t rules = 0;
  auto add = [&](const model::Gpu *gpu) {
    if (gpu)
      rules |= 1u << unsigned(model::memoryRulesOf(static_cast<unsigned>(gpu->major),
                                                   static_cast<unsigned>(gpu->minor)));
  };
  for (const DeviceFacts &device : devices)
    add(device.gpu);
  for (const model::Gpu *gpu : counting().gpus)
    add(gpu);
  return rules;
}

/// That a device stands for. Devices stay as they are once launches run.
const model::Gpu *gpuOf(const std::vector<DeviceFacts> &devices, const void *backend) {
  auto at = std::ranges::find(devices, backend, &DeviceFacts::backend);
  return at == devices.end() ? nullptr : at->gpu;
}

} // namespace

ModelledTime *modelledTime() { return counting().clock.get(); }

void startCounters(const std::vector<DeviceFacts> &devices) {
  const ProfileOptions &options = settings();
  bool wantsCounters = options.tool == ProfileTool::Ncu || !options.metrics.empty() ||
                       !options.events.empty() || options.wantsPictures();
  bool predicts = options.tool == ProfileTool::Predict;
  if (modelsTime())
    startClock(devices);
  // Metrics that are times, and pictures, are the devices' if no GPU is named.
  const bool wantsDevices = options.wantsPictures()
                                ? options.gpus.empty()
                                : wantsCounters && wantsTimes(options) && counting().gpus.empty();
  if (wantsDevices)
    for (const DeviceFacts &device : devices)
      if (device.gpu)
        counting().place(device.gpu);
  for (const std::string &key : options.gpus)
    if (const model::Gpu *gpu = model::findGpu(key))
      counting().place(gpu);
  if (predictsTimeline() && !counting().gpus.empty())
    counting().clock = std::make_unique<ModelledTime>(devices.size(), counting().gpus);
  if (!wantsCounters && !predicts && counting().gpus.empty())
    return;
  Sampling sampling;
  sampling.countsLaunch = isChosen;
  sampling.rules = wantsCounters ? rulesOfGpus(devices) : 0; // the model has its own
  if (!counting().gpus.empty()) {
    counting().timing = std::make_unique<Timing>(
        counting().gpus, wantsCounters, predicts || options.wantsPictures(),
        options.tool == ProfileTool::Ncu && !options.keepsCaches);
    sampling.ofLaunch = [&devices](const LaunchStart &launch) {
      Treatments treatments = counting().timing->ofLaunch(launch);
      if (modelsTime())
        treatments.clock = counting().timing->clockOf(launch, gpuOf(devices, launch.device));
      return treatments;
    };
  }
  startCounting(std::move(sampling), takeCounts);
}

} // namespace heddle::profile
