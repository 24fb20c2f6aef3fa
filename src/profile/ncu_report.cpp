// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nsight Compute's reports: for each launch its metrics, in sections, or a row of csv each.
#include "profile/metrics.h"
#include "profile/recorder.h"
#include "profile/report.h"
#include "profile/table.h"

#include <algorithm>

#include <unistd.h>

namespace heddle::profile {

namespace {

using Metrics = std::vector<const Metric *>;

constexpr const char *CommandLine = "Command line profiler metrics";

bool isInSet(std::string_view section, const std::vector<std::string> &asked) {
  for (const std::string &name : asked) {
    if (name == section)
      return true;
    if (!name.starts_with("set:"))
      continue;
    bool isBasic = section == "LaunchStats" || section == "Occupancy" || section == "SpeedOfLight";
    if (name == "set:full" || name == "set:detailed" || isBasic)
      return true;
  }
  return false;
}

/// What was asked for, or what ncu shows without words.
Result<Metrics> chosen(const ProfileOptions &options) {
  if (!options.metrics.empty())
    return findMetrics(ncuMetrics(), options.metrics);
  Metrics metrics = ncuChosen(options);
  if (metrics.empty())
    return Failure{"there is no section " + options.sections.front() + " with counters"};
  return metrics;
}

std::string triple(const uint32_t (&n)[3]) {
  return "(" + std::to_string(n[0]) + ", " + std::to_string(n[1]) + ", " + std::to_string(n[2]) +
         ")";
}

std::string capability(const model::Gpu &gpu) {
  return std::to_string(gpu.major) + "." + std::to_string(gpu.minor);
}

std::string sectionOf(const ProfileOptions &options, const Metric &metric) {
  return options.metrics.empty() ? std::string(metric.section) : CommandLine;
}

std::string programName() {
  std::string command = commandLine(), path = command.substr(0, command.find(' '));
  return path.substr(path.rfind('/') + 1);
}

std::string valueText(const Metric &metric, const CountedLaunch &launch) {
  auto value = metric.of(launch);
  if (!value)
    return "n/a";
  std::string text = metricText(metric, *value);
  if (!text.empty() && text.back() == '%')
    text.pop_back();
  return text;
}

std::string csvOf(const ProfileOptions &options, const Metrics &metrics,
                  const std::vector<std::unique_ptr<CountedLaunch>> &launches) {
  std::string text;
  auto add = [&](const std::vector<std::string> &row) {
    for (size_t i = 0; i < row.size(); ++i)
      text += (i ? "," : "") + quoted(row[i]);
    text += "\n";
  };
  std::vector<std::string> head = {
      "ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
      "Stream", "Block Size", "Grid Size",    "Device",    "CC"};
  if (options.showsRaw) {
    for (const Metric *metric : metrics)
      head.push_back(std::string(metric->name));
    add(head);
    std::vector<std::string> units(head.size() - metrics.size());
    for (const Metric *metric : metrics)
      units.push_back(std::string(metric->unit));
    add(units);
  } else {
    head.insert(head.end(), {"Section Name", "Metric Name", "Metric Unit", "Metric Value"});
    add(head);
  }
  for (size_t i = 0; i < launches.size(); ++i) {
    const CountedLaunch &launch = *launches[i];
    const Activity &activity = launch.activity;
    const std::vector<std::string> row = {std::to_string(i),
                                          std::to_string(getpid()),
                                          programName(),
                                          "127.0.0.1",
                                          activity.kernel.name,
                                          std::to_string(activity.context),
                                          std::to_string(activity.stream),
                                          triple(activity.kernel.block),
                                          triple(activity.kernel.grid),
                                          std::to_string(activity.device),
                                          capability(launch.gpu)};
    std::vector<std::string> wide = row;
    for (const Metric *metric : metrics) {
      std::string value = valueText(*metric, launch);
      if (options.showsRaw) {
        wide.push_back(value);
        continue;
      }
      std::vector<std::string> own = row;
      own.insert(own.end(), {sectionOf(options, *metric), std::string(metric->name),
                             std::string(metric->unit), value});
      add(own);
    }
    if (options.showsRaw)
      add(wide);
  }
  return text;
}

std::string pageOf(const ProfileOptions &options, const Metrics &metrics,
                   const CountedLaunch &launch) {
  const Activity &activity = launch.activity;
  std::string text = "  " + activity.kernel.name + " " + triple(activity.kernel.grid) + "x" +
                     triple(activity.kernel.block) + ", Context " +
                     std::to_string(activity.context) + ", Stream " +
                     std::to_string(activity.stream) + ", Device " +
                     std::to_string(activity.device) + ", CC " + capability(launch.gpu) + "\n";
  size_t width = 11;
  for (const Metric *metric : metrics)
    width = std::max(width, metric->name.size());
  constexpr size_t UnitWidth = 16, ValueWidth = 16;
  std::string rule = "    " + std::string(width, '-') + " " + std::string(UnitWidth, '-') + " " +
                     std::string(ValueWidth, '-') + "\n";
  auto line = [&](std::string name, const std::string &unit, const std::string &value) {
    name.resize(width, ' ');
    auto right = [](const std::string &cell, size_t space) {
      return std::string(cell.size() < space ? space - cell.size() : 0, ' ') + cell;
    };
    return "    " + name + " " + right(unit, UnitWidth) + " " + right(value, ValueWidth) + "\n";
  };
  std::string section;
  for (const Metric *metric : metrics) {
    std::string own = options.showsRaw ? "Raw" : sectionOf(options, *metric);
    if (own != section) {
      text += (section.empty() ? "" : rule + "\n") + std::string("    Section: ") + own + "\n" +
              rule + line("Metric Name", "Metric Unit", "Metric Value") + rule;
      section = own;
    }
    text += line(std::string(metric->name), std::string(metric->unit), valueText(*metric, launch));
  }
  return text + rule + "\n";
}

} // namespace

Metrics ncuChosen(const ProfileOptions &options) {
  std::vector<std::string> sections = options.sections;
  if (sections.empty())
    sections = {"set:basic"};
  Metrics metrics;
  for (std::string_view section : NcuSections)
    for (const Metric &metric : ncuMetrics())
      if (metric.section == section && isInSet(section, sections))
        metrics.push_back(&metric);
  return metrics;
}

std::string ncuReport(const ProfileOptions &options, const Recording &recording) {
  auto metrics = chosen(options);
  if (!metrics)
    return "==ERROR== " + metrics.error() + "\n";
  auto launches = countedLaunches(recording);
  std::string text;
  if (!options.isQuiet) {
    for (size_t i = 0; i < launches.size(); ++i)
      text += "==PROF== Profiling \"" + launches[i]->activity.kernel.name + "\" - " +
              std::to_string(i) + ": 0%....50%....100% - 1 pass\n";
    text += "==PROF== Disconnected from process " + std::to_string(getpid()) + "\n";
  }
  std::string problems = problemsOf(recording);
  if (!problems.empty())
    text += "==ERROR== " + problems;
  if (launches.empty())
    return text + "==WARNING== No kernels were profiled.\n";
  if (options.asCsv)
    return text + csvOf(options, *metrics, launches);
  text += "[" + std::to_string(getpid()) + "] " + programName() + "@127.0.0.1\n";
  for (const auto &launch : launches)
    text += pageOf(options, *metrics, *launch);
  return text;
}

} // namespace heddle::profile
