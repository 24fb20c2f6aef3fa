// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers by the names that nvprof and Nsight Compute give them.
#pragma once

#include "base/profile_options.h"
#include "profile/counted_launch.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace heddle::profile {

/// Whose name it is.
enum class MetricSource : uint8_t { NvprofMetric, NvprofEvent, Ncu };

/// What ncu makes of a sum over all units of a kind.
enum class Rollup : uint8_t { None, Mean, PerSecond, PerCycleElapsed, PerCycleActive };

struct Metric {
  MetricSource source;
  std::string_view name;
  std::string_view unit;    ///< "", "%", "inst", "sector", ...
  std::string_view section; ///< of ncu
  std::string_view help;
  /// Nothing: the GPU has no such counter, or there was nothing to measure it on.
  std::optional<double> (*value)(const CountedLaunch &);
  bool isOfTime = false; ///< the model's run makes it
  Rollup rollup = Rollup::None;
  bool isOfUnit = false; ///< of the sum's mean over units

  std::optional<double> of(const CountedLaunch &) const;
};

std::span<const Metric> nvprofMetrics();
std::span<const Metric> nvprofEvents();
/// With the suffix of a sum or a ratio: smsp__inst_executed.sum.
std::span<const Metric> ncuMetrics();

/// Of a sum of ncuMetrics a mean over units, or a rate: lts__t_sectors.avg, dram__bytes_read.sum.per_second,
/// by Nsight Compute's rules ("Metrics Structure"). Null: it is none.
const Metric *derivedMetric(std::string_view name);

/// Those that sections of ncu, or none, ask for.
std::vector<const Metric *> ncuChosen(const ProfileOptions &);

/// Those of a list of names; "all": all of them. Error: names what is not known.
Result<std::vector<const Metric *>> findMetrics(std::span<const Metric>,
                                                const std::vector<std::string> &names);

/// The value as the unit has it: "100.00%", "12", "1.500000".
std::string metricText(const Metric &, double value);

/// Some of what is asked for is made of times.
bool wantsTimes(const ProfileOptions &);

/// Launches that were counted on devices that stand for GPUs, in their order.
std::vector<std::unique_ptr<CountedLaunch>> countedLaunches(const Recording &);
/// A line for each thing that has no counts, and why.
std::string problemsOf(const Recording &);

} // namespace heddle::profile
