// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bars in rows: ranges and calls by thread of the host, work by device and stream. Along x all is in
// percent, so that the page can make it wider. What is nearer than a pixel is drawn as one bar.
#include "profile/page/pictures.h"

#include "profile/recorder.h"
#include "profile/table.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace heddle::profile {

namespace {

constexpr double RowHeight = 40, BarHeight = 20;
/// Of the whole length, in percent.
constexpr double Pixel = 0.08;

struct Bar {
  uint64_t begin, end;
  std::string name;
  const char *cls;
};

struct Rows {
  std::map<std::string, std::vector<Bar>> bars;
  std::vector<std::string> order;
  void add(const std::string &row, Bar bar) {
    auto [at, isNew] = bars.try_emplace(row);
    if (isNew)
      order.push_back(row);
    at->second.push_back(std::move(bar));
  }
};

/// Ranges of a thread, those within others in rows of their own.
void addRanges(const Recording &recording, Rows &rows) {
  std::vector<const Range *> ranges;
  for (const Range &range : recording.ranges)
    ranges.push_back(&range);
  std::sort(ranges.begin(), ranges.end(), [](const Range *a, const Range *b) {
    return std::tuple(a->thread, a->begin, b->end) < std::tuple(b->thread, b->begin, a->end);
  });
  std::map<uint32_t, std::vector<uint64_t>> open; // ends, by thread
  for (const Range *range : ranges) {
    std::vector<uint64_t> &ends = open[range->thread];
    std::erase_if(ends, [&](uint64_t end) { return end <= range->begin; });
    rows.add("Ranges of thread " + std::to_string(range->thread) +
                 (ends.empty() ? "" : ", level " + std::to_string(ends.size() + 1)),
             {range->begin, range->end, range->name, "f4"});
    ends.push_back(range->end);
  }
}

const char *colourOf(const Activity &activity) {
  if (activity.kind == ActivityKind::Kernel)
    return "f0";
  if (activity.kind == ActivityKind::Fill)
    return "f3";
  std::string direction = directionOf(activity);
  return direction[0] == 'H' ? "f2" : direction.back() == 'H' ? "f1" : "f5";
}

std::string rowOf(const Activity &activity, const std::string &device) {
  std::string row = "Device " + std::to_string(activity.device);
  return row + (device.empty() ? "" : " (" + device + ")") + ", stream " +
         std::to_string(activity.stream);
}

std::string draw(Rows &rows) {
  uint64_t begin = UINT64_MAX, end = 0;
  for (auto &[name, bars] : rows.bars)
    for (const Bar &bar : bars)
      begin = std::min(begin, bar.begin), end = std::max(end, bar.end);
  if (begin >= end)
    begin = 0, end = 1;
  const double length = double(end - begin);
  auto at = [&](uint64_t time) { return 100 * double(time - begin) / length; };
  Svg svg(1000, 40 + RowHeight * double(rows.order.size()));
  svg.inPercent();
  const Axis axis = {.least = 0, .most = length, .from = 0, .to = 100};
  for (double tick : axis.ticks()) {
    const double x = axis.at(tick);
    svg.line(x, 20, x, 30 + RowHeight * double(rows.order.size()), "grid");
    svg.text(x, 14, timeText(tick), "small", x == 0 ? "start" : x > 97 ? "end" : "middle");
  }
  double y = 24;
  for (const std::string &row : rows.order) {
    std::vector<Bar> &bars = rows.bars[row];
    std::sort(bars.begin(), bars.end(),
              [](const Bar &a, const Bar &b) { return a.begin < b.begin; });
    svg.text(0.2, y + 11, row, "small");
    for (size_t i = 0; i < bars.size();) {
      const double left = at(bars[i].begin);
      double right = std::max(at(bars[i].end), left + Pixel);
      size_t next = i + 1;
      while (next < bars.size() && at(bars[next].end) < left + Pixel)
        ++next;
      std::string tip = next == i + 1
                            ? bars[i].name + ": " + timeText(double(bars[i].end - bars[i].begin)) +
                                  " from " + timeText(double(bars[i].begin - begin))
                            : std::to_string(next - i) + " from " + bars[i].name;
      svg.rect(left, y + 15, right - left, BarHeight, std::string("bar ") + bars[i].cls, tip);
      const auto letters = size_t((right - left) * 10 / 7);
      if (next == i + 1 && letters >= 5)
        svg.text((left + right) / 2, y + 29, cut(bars[i].name, letters), "inside", "middle");
      i = next;
    }
    y += RowHeight;
  }
  return svg.element("Timeline of threads and streams");
}

} // namespace

Picture drawTimeline(const Recording &recording) {
  Rows rows;
  if (!modelsTime()) { // a GPU's times do not go with what the host takes here
    addRanges(recording, rows);
    for (const ApiCall &call : recording.calls)
      rows.add("Calls of thread " + std::to_string(call.thread),
               {call.begin, call.end, call.name, "f7"});
  }
  for (const Activity &activity : recording.activities) {
    const bool isNamed = activity.device < recording.devices.size();
    rows.add(rowOf(activity, isNamed ? recording.devices[activity.device].name : ""),
             {activity.begin, activity.end, labelOf(activity), colourOf(activity)});
  }
  return {"timeline", "Timeline", draw(rows)};
}

Picture drawTimeline(const Recording &recording, const model::Gpu &gpu, size_t board) {
  Rows rows;
  auto nanoseconds = [](double seconds) { return uint64_t(std::llround(seconds * 1e9)); };
  for (const Activity &activity : recording.activities)
    if (board < activity.onBoards.size()) {
      const model::Span &span = activity.onBoards[board];
      rows.add(
          rowOf(activity, std::string(gpu.name)),
          {nanoseconds(span.begin), nanoseconds(span.end), labelOf(activity), colourOf(activity)});
    }
  const std::string key(gpu.key);
  return {"timeline-" + key, "Timeline on " + std::string(gpu.name), draw(rows)};
}

} // namespace heddle::profile
