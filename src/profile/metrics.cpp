// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvprof's tables: for each kernel the least, the most and the mean of its launches.
#include "profile/metrics.h"

#include "profile/report.h"
#include "profile/table.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace heddle::profile {

namespace {

struct Values {
  double least = 0, most = 0, sum = 0;
  uint64_t count = 0;
  void add(double value) {
    least = count ? std::min(least, value) : value;
    most = count ? std::max(most, value) : value;
    sum += value;
    ++count;
  }
};

/// By device and kernel, in the order of the first launches.
struct KernelValues {
  uint32_t device;
  std::string kernel;
  std::vector<Values> values; ///< by metric
  uint64_t launches = 0;
};

std::vector<KernelValues> valuesOf(const Recording &recording,
                                   const std::vector<const Metric *> &metrics) {
  std::vector<KernelValues> all;
  for (const auto &launch : countedLaunches(recording)) {
    const Activity &activity = launch->activity;
    auto at = std::ranges::find_if(all, [&](const KernelValues &one) {
      return one.device == activity.device && one.kernel == activity.kernel.name;
    });
    if (at == all.end())
      at = all.insert(
          at, {activity.device, activity.kernel.name, std::vector<Values>(metrics.size()), 0});
    ++at->launches;
    for (size_t i = 0; i < metrics.size(); ++i)
      if (auto value = metrics[i]->of(*launch))
        at->values[i].add(*value);
  }
  return all;
}

std::string deviceText(const Recording &recording, uint32_t device) {
  return recording.devices[device].name + " (" + std::to_string(device) + ")";
}

std::vector<std::string> headOf(bool areEvents) {
  return areEvents
             ? std::vector<std::string>{"Invocations", "Event Name", "Min", "Max", "Avg", "Total"}
             : std::vector<std::string>{"Invocations", "Metric Name", "Metric Description",
                                        "Min",         "Max",         "Avg"};
}

/// A row for each metric that has a value.
std::vector<std::vector<std::string>>
rowsOf(const KernelValues &kernel, const std::vector<const Metric *> &metrics, bool areEvents) {
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const Values &values = kernel.values[i];
    if (!values.count)
      continue;
    auto text = [&](double value) { return metricText(*metrics[i], value); };
    std::vector<std::string> row = {std::to_string(values.count), std::string(metrics[i]->name)};
    if (!areEvents)
      row.push_back(std::string(metrics[i]->help));
    row.insert(row.end(),
               {text(values.least), text(values.most), text(values.sum / double(values.count))});
    if (areEvents)
      row.push_back(text(values.sum));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string textOf(const Recording &recording, const std::vector<const Metric *> &metrics,
                   const std::vector<KernelValues> &all, bool areEvents) {
  std::string text;
  uint32_t device = ~0u;
  for (const KernelValues &one : all) {
    Table table(headOf(areEvents));
    for (std::vector<std::string> &row : rowsOf(one, metrics, areEvents))
      table.add(std::move(row));
    if (device != one.device)
      text += "Device \"" + deviceText(recording, one.device) + "\"\n";
    device = one.device;
    text += "    Kernel: " + one.kernel + "\n" + table.text();
  }
  return text;
}

std::string csvOf(const Recording &recording, const std::vector<const Metric *> &metrics,
                  const std::vector<KernelValues> &all, bool areEvents) {
  std::string text = quoted("Device") + "," + quoted("Kernel");
  for (const std::string &name : headOf(areEvents))
    text += "," + quoted(name);
  text += "\n";
  const size_t lastText = areEvents ? 1 : 2; // the first is a number
  for (const KernelValues &one : all)
    for (const std::vector<std::string> &row : rowsOf(one, metrics, areEvents)) {
      text += quoted(deviceText(recording, one.device)) + "," + quoted(one.kernel);
      for (size_t i = 0; i < row.size(); ++i)
        text += "," + (i >= 1 && i <= lastText ? quoted(row[i]) : row[i]);
      text += "\n";
    }
  return text;
}

std::string tableOf(const ProfileOptions &options, const Recording &recording,
                    std::span<const Metric> known, const std::vector<std::string> &names,
                    bool areEvents) {
  auto metrics = findMetrics(known, names);
  if (!metrics)
    return "heddle: " + metrics.error() + "\n";
  std::string problem = problemsOf(recording);
  std::vector<KernelValues> all = valuesOf(recording, *metrics);
  if (all.empty())
    return problem + "No kernels were profiled.\n";
  return problem + (options.asCsv ? csvOf(recording, *metrics, all, areEvents)
                                  : textOf(recording, *metrics, all, areEvents));
}

} // namespace

Result<std::vector<const Metric *>> findMetrics(std::span<const Metric> known,
                                                const std::vector<std::string> &names) {
  std::vector<const Metric *> found;
  std::string missing;
  for (const std::string &name : names) {
    size_t before = found.size();
    for (const Metric &metric : known)
      if (name == "all" || name == metric.name)
        found.push_back(&metric);
    if (found.size() == before && !known.empty() && known.front().source == MetricSource::Ncu)
      if (const Metric *derived = derivedMetric(name))
        found.push_back(derived);
    if (found.size() == before)
      missing += (missing.empty() ? "" : ", ") + name;
  }
  if (!missing.empty())
    return Failure{"there is no counter " + missing +
                   "; --query-metrics and --query-events list them"};
  return found;
}

bool wantsTimes(const ProfileOptions &options) {
  auto any = [](std::span<const Metric> known, const std::vector<std::string> &names) {
    auto metrics = findMetrics(known, names);
    return metrics && std::ranges::any_of(*metrics, &Metric::isOfTime);
  };
  if (options.tool != ProfileTool::Ncu)
    return any(nvprofMetrics(), options.metrics) || any(nvprofEvents(), options.events);
  return options.metrics.empty() ? std::ranges::any_of(ncuChosen(options), &Metric::isOfTime)
                                 : any(ncuMetrics(), options.metrics);
}

std::string metricText(const Metric &metric, double value) {
  char text[64];
  if (metric.unit == "level") {
    const int level = std::clamp(int(std::lround(value / 10)), 0, 10);
    const char *word = level == 0   ? "Idle"
                       : level <= 3 ? "Low"
                       : level <= 6 ? "Mid"
                       : level <= 9 ? "High"
                                    : "Max";
    std::snprintf(text, sizeof text, "%s (%d)", word, level);
  } else if (metric.unit == "%")
    std::snprintf(text, sizeof text, "%.2f%%", value);
  else if (metric.unit == "B/s")
    std::snprintf(text, sizeof text, "%.5gGB/s", value / 1e9);
  else if (value == std::floor(value) && std::abs(value) < 9e15)
    std::snprintf(text, sizeof text, "%.0f", value);
  else
    std::snprintf(text, sizeof text, "%.6f", value);
  return text;
}

std::vector<std::unique_ptr<CountedLaunch>> countedLaunches(const Recording &recording) {
  std::map<uint64_t, const LaunchCounts *> counts;
  for (const LaunchCounts &one : recording.counts)
    if (one.uncounted.empty())
      counts[one.id] = &one;
  std::map<uint64_t, const TimedLaunch *> times;
  for (const std::vector<TimedLaunch> &one : recording.times)
    if (!one.empty())
      times[one.front().id] = &one.front();
  std::vector<std::unique_ptr<CountedLaunch>> launches;
  for (const Activity &activity : recording.activities) {
    if (activity.kind != ActivityKind::Kernel || activity.device >= recording.devices.size())
      continue;
    const model::Gpu *gpu = recording.devices[activity.device].gpu;
    auto at = counts.find(activity.launch);
    if (gpu && at != counts.end()) {
      auto timed = times.find(activity.launch);
      launches.push_back(std::make_unique<CountedLaunch>(
          *at->second, activity, *gpu, timed == times.end() ? nullptr : timed->second));
    }
  }
  // As the program gave them; they ended in any order.
  std::ranges::sort(launches, {}, [](const auto &launch) { return launch->counts.id; });
  return launches;
}

std::string problemsOf(const Recording &recording) {
  std::string text;
  for (const DeviceFacts &device : recording.devices)
    if (!device.gpu) {
      text +=
          "heddle: counters are those of a GPU: name one by HEDDLE_DEVICE (HEDDLE_DEVICE=h200)\n";
      break;
    }
  std::map<std::string, std::string> uncounted;
  for (const LaunchCounts &one : recording.counts)
    if (!one.uncounted.empty())
      uncounted[one.kernel] = one.uncounted;
  for (auto &[kernel, why] : uncounted)
    text += "heddle: " + kernel + " was not counted: " + why + "\n";
  return text;
}

std::string metricTable(const ProfileOptions &options, const Recording &recording) {
  return tableOf(options, recording, nvprofMetrics(), options.metrics, false);
}

std::string eventTable(const ProfileOptions &options, const Recording &recording) {
  return tableOf(options, recording, nvprofEvents(), options.events, true);
}

static std::span<const Metric> metricsOf(ProfileTool tool, bool areEvents) {
  return tool == ProfileTool::Ncu ? ncuMetrics() : areEvents ? nvprofEvents() : nvprofMetrics();
}

std::string problemOfNames(ProfileTool tool, const std::vector<std::string> &names,
                           bool areEvents) {
  auto found = findMetrics(metricsOf(tool, areEvents), names);
  return found ? "" : found.error();
}

std::string listOfMetrics(ProfileTool tool, bool ofEvents) {
  std::string text = ofEvents ? "Available Events:\n" : "Available Metrics:\n";
  for (const Metric &metric : metricsOf(tool, ofEvents))
    text += "    " + std::string(metric.name) + ":  " + std::string(metric.help) + "\n";
  return text;
}

} // namespace heddle::profile
