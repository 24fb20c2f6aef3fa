// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums of `nsys stats`, by its names and in its form.
#include "profile/report.h"
#include "profile/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace heddle::profile {

namespace {

/// Nanoseconds, or megabytes.
using Values = std::map<std::string, std::vector<double>>;

struct Summary {
  std::string_view name, title;
  const char *count, *what; ///< columns
  bool areBytes, hasStyle;
  Values (*values)(const Recording &);
};

Values callsOf(const Recording &recording) {
  Values values;
  for (const ApiCall &call : recording.calls)
    values[call.name].push_back(double(call.end - call.begin));
  return values;
}

Values kernelsOf(const Recording &recording) {
  Values values;
  for (const Activity &activity : recording.activities)
    if (activity.kind == ActivityKind::Kernel)
      values[activity.kernel.name].push_back(double(activity.end - activity.begin));
  return values;
}

/// "[CUDA memcpy Host-to-Device]".
std::string operationOf(const Activity &activity) {
  if (activity.kind == ActivityKind::Fill)
    return "[CUDA memset]";
  if (activity.toDevice >= 0)
    return "[CUDA memcpy Peer-to-Peer]";
  auto side = [](char letter) {
    return letter == 'H' ? "Host" : letter == 'A' ? "Array" : "Device";
  };
  const std::string direction = directionOf(activity);
  return std::string("[CUDA memcpy ") + side(direction[0]) + "-to-" + side(direction[3]) + "]";
}

template <bool AreBytes> Values memoryOf(const Recording &recording) {
  Values values;
  for (const Activity &activity : recording.activities)
    if (activity.kind != ActivityKind::Kernel)
      values[operationOf(activity)].push_back(AreBytes ? double(activity.bytes) / 1e6
                                                       : double(activity.end - activity.begin));
  return values;
}

/// The style in front: "PushPop\nname".
Values rangesOf(const Recording &recording) {
  Values values;
  for (const Range &range : recording.ranges)
    if (range.end > range.begin)
      values[(range.isOfProcess ? "StartEnd\n" : "PushPop\n") +
             ((range.name.find(':') == range.name.npos ? ":" : "") + range.name)]
          .push_back(double(range.end - range.begin));
  return values;
}

constexpr Summary Summaries[] = {
    {"nvtx_sum", "NVTX Range Summary", "Instances", "Range", false, true, rangesOf},
    {"cuda_api_sum", "CUDA API Summary", "Num Calls", "Name", false, false, callsOf},
    {"cuda_gpu_kern_sum", "CUDA GPU Kernel Summary", "Instances", "Name", false, false, kernelsOf},
    {"cuda_gpu_mem_time_sum", "CUDA GPU MemOps Summary (by Time)", "Count", "Operation", false,
     false, memoryOf<false>},
    {"cuda_gpu_mem_size_sum", "CUDA GPU MemOps Summary (by Size)", "Count", "Operation", true,
     false, memoryOf<true>},
};

/// "1,234,567": commas stand in tables only.
std::string grouped(std::string number, bool asCsv) {
  const size_t point = std::min(number.find('.'), number.size());
  for (size_t at = point; !asCsv && at > 3; at -= 3)
    number.insert(at - 3, ",");
  return number;
}

struct Row {
  std::string name;
  double total = 0, median = 0, deviation = 0, least = 0, most = 0;
  size_t count = 0;
};

Row rowOf(const std::string &name, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Row row;
  row.name = name, row.count = values.size();
  row.least = values.front(), row.most = values.back();
  for (double value : values)
    row.total += value;
  const size_t middle = values.size() / 2;
  row.median = values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  const double mean = row.total / double(row.count);
  for (double value : values)
    row.deviation += (value - mean) * (value - mean);
  row.deviation = row.count > 1 ? std::sqrt(row.deviation / double(row.count - 1)) : 0;
  return row;
}

std::string textOf(const Summary &summary, const Recording &recording, bool asCsv) {
  const std::string unit = summary.areBytes ? " (MB)" : " (ns)";
  std::vector<std::string> head;
  if (!summary.areBytes)
    head.push_back("Time (%)");
  head.push_back((summary.areBytes ? "Total" : "Total Time") + unit);
  head.push_back(summary.count);
  for (const char *name : {"Avg", "Med", "Min", "Max", "StdDev"})
    head.push_back(name + unit);
  if (summary.hasStyle)
    head.push_back("Style");
  head.push_back(summary.what);
  Table table(head);
  if (!asCsv) {
    std::vector<std::string> rule;
    for (const std::string &name : head)
      rule.push_back(std::string(name.size(), '-'));
    table.add(rule);
  }
  std::vector<Row> rows;
  double all = 0;
  for (auto &[name, values] : summary.values(recording)) {
    rows.push_back(rowOf(name, values));
    all += rows.back().total;
  }
  std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
    return std::pair(-a.total, a.name) < std::pair(-b.total, b.name);
  });
  for (const Row &row : rows) {
    auto whole = [&](double value) {
      return grouped(print(summary.areBytes ? "%.3f" : "%.0f", value), asCsv);
    };
    auto part = [&](double value) {
      return grouped(print(summary.areBytes ? "%.3f" : "%.1f", value), asCsv);
    };
    std::vector<std::string> cells;
    if (!summary.areBytes)
      cells.push_back(print("%.1f", all > 0 ? 100 * row.total / all : 0));
    cells.insert(cells.end(),
                 {whole(row.total), std::to_string(row.count), part(row.total / double(row.count)),
                  part(row.median), whole(row.least), whole(row.most), part(row.deviation)});
    const size_t style = row.name.find('\n');
    if (summary.hasStyle)
      cells.push_back(row.name.substr(0, style));
    cells.push_back(summary.hasStyle ? row.name.substr(style + 1) : row.name);
    table.add(cells);
  }
  const std::string title =
      std::string(summary.title) + " (" + std::string(summary.name) + "):\n\n";
  if (rows.empty())
    return asCsv ? "" : " ** " + title + "   nothing of that kind\n\n";
  return asCsv ? table.csv({}) + "\n" : " ** " + title + table.text() + "\n";
}

} // namespace

std::string nsysSummaries(const ProfileOptions &options, const Recording &recording) {
  std::string text;
  for (const std::string &asked : options.summaries)
    for (const Summary &summary : Summaries)
      if (summary.name == asked)
        text += textOf(summary, recording, options.asCsv);
  return text;
}

} // namespace heddle::profile
