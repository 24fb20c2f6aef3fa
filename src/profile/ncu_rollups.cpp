// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nsight Compute has each counter as sum, mean and rates ("Metrics Structure" of its documentation): the
// table has the sums, and these are made of them. Least and most of units are not known.
#include "profile/metrics.h"
#include "profile/time_values.h"

#include <map>
#include <mutex>

namespace heddle::profile {

namespace {

struct Ending {
  std::string_view text;
  Rollup rollup;
  bool isOfUnit;
  std::string_view unit; ///< behind the sum's
};
constexpr Ending Endings[] = {
    {".avg", Rollup::Mean, true, ""},
    {".sum.per_second", Rollup::PerSecond, false, "/s"},
    {".avg.per_second", Rollup::PerSecond, true, "/s"},
    {".sum.per_cycle_elapsed", Rollup::PerCycleElapsed, false, "/cycle"},
    {".avg.per_cycle_elapsed", Rollup::PerCycleElapsed, true, "/cycle"},
    {".sum.per_cycle_active", Rollup::PerCycleActive, false, "/cycle"},
    {".avg.per_cycle_active", Rollup::PerCycleActive, true, "/cycle"},
};

/// Units of a kind, by the metric's first word.
double unitsOf(std::string_view name, const model::Gpu &gpu) {
  const std::string_view unit = name.substr(0, name.find("__"));
  if (unit == "smsp")
    return double(gpu.multiprocessors) * gpu.parameters().schedulers;
  if (unit == "sm" || unit == "l1tex")
    return gpu.multiprocessors;
  if (unit == "lts")
    return gpu.l2Slices;
  return unit == "dram" ? gpu.channels : 1;
}

const Metric *sumOf(std::string_view base) {
  const std::string name = std::string(base) + ".sum";
  for (const Metric &metric : ncuMetrics())
    if (metric.name == name)
      return &metric;
  return nullptr;
}

struct Named {
  std::string name, unit;
  Metric metric;
};

/// Made once, and as long as the process.
const Metric *made(std::string_view name, const Ending &ending, const Metric &sum) {
  static std::mutex mutex;
  static auto &all = *new std::map<std::string, Named, std::less<>>;
  std::lock_guard lock(mutex);
  auto [at, isNew] = all.try_emplace(std::string(name));
  Named &named = at->second;
  if (isNew) {
    named.name = at->first, named.unit = std::string(sum.unit) + std::string(ending.unit);
    named.metric = sum;
    named.metric.name = named.name, named.metric.unit = named.unit;
    named.metric.rollup = ending.rollup, named.metric.isOfUnit = ending.isOfUnit;
    named.metric.isOfTime |= ending.rollup != Rollup::Mean;
  }
  return &named.metric;
}

} // namespace

std::optional<double> Metric::of(const CountedLaunch &launch) const {
  std::optional<double> sum = value(launch);
  if (!sum || rollup == Rollup::None)
    return sum;
  double of = isOfUnit ? unitsOf(name, launch.gpu) : 1;
  if (rollup == Rollup::PerSecond)
    of *= ofTime(launch, [](const model::LaunchTime &t) { return t.seconds; }).value_or(0);
  else if (rollup == Rollup::PerCycleElapsed)
    of *= cyclesElapsed(launch).value_or(0);
  else if (rollup == Rollup::PerCycleActive)
    of *= cycles(launch).value_or(0);
  return ratio(*sum, of);
}

const Metric *derivedMetric(std::string_view name) {
  for (const Ending &ending : Endings)
    if (name.ends_with(ending.text))
      if (const Metric *sum = sumOf(name.substr(0, name.size() - ending.text.size())))
        return made(name, ending, *sum);
  return nullptr;
}

} // namespace heddle::profile
