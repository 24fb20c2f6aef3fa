// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/launch_groups.h"

#include "model/mended_trace.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace heddle::profile {

std::string tripleText(const uint32_t (&n)[3]) {
  return "(" + std::to_string(n[0]) + ", " + std::to_string(n[1]) + ", " + std::to_string(n[2]) +
         ")";
}

double LaunchGroup::meanSeconds(size_t gpu) const {
  double sum = 0;
  for (const TimedLaunch *one : byGpu[gpu])
    sum += one->time.seconds;
  return sum / double(byGpu[gpu].size());
}

std::string LaunchGroup::title() const {
  if (shape.blocks() == 0) // it was not counted
    return kernel + ", " + std::to_string(count()) + (count() == 1 ? " time" : " times");
  return kernel + " " + tripleText(shape.grid) + " blocks of " + tripleText(shape.block) + ", " +
         std::to_string(count()) + (count() == 1 ? " launch" : " launches");
}

std::vector<LaunchGroup> groupLaunches(const Recording &recording) {
  using Key = std::tuple<std::string, std::array<uint32_t, 7>>;
  std::map<Key, size_t> places;
  std::vector<LaunchGroup> groups;
  for (const std::vector<TimedLaunch> &times : recording.times) {
    if (times.empty())
      continue;
    const model::LaunchShape &s = times[0].shape;
    Key key = {
        times[0].kernel,
        {s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2], s.dynamicShared}};
    auto [at, isNew] = places.try_emplace(key, groups.size());
    if (isNew) {
      groups.push_back({times[0].kernel, s, {}});
      groups.back().byGpu.resize(times.size());
    }
    for (size_t g = 0; g < times.size(); ++g)
      groups[at->second].byGpu[g].push_back(&times[g]);
  }
  return groups;
}

std::string limitText(const model::Occupancy &occupancy) {
  switch (occupancy.limit) {
  case model::OccupancyLimit::Warps:
    return "warps";
  case model::OccupancyLimit::Blocks:
    return "blocks";
  case model::OccupancyLimit::Registers:
    return "registers";
  case model::OccupancyLimit::Shared:
    return "shared memory";
  case model::OccupancyLimit::TooLarge:
    break;
  }
  return "a block that does not fit";
}

std::vector<LineReport> linesToTell(const TimedLaunch &timed, size_t count) {
  std::vector<LineReport> reports;
  const std::vector<uint32_t> same = model::sameLines(*timed.code);
  auto of = [&](uint32_t number) -> LineReport & {
    const uint32_t line = number < same.size() ? same[number] : number;
    auto at = std::ranges::find(reports, line, &LineReport::line);
    return at != reports.end() ? *at : reports.emplace_back(LineReport{line});
  };
  for (const model::LineCost &cost : timed.time.lines)
    of(cost.line).share += cost.share;
  for (const model::Mending &mending : timed.mendings) { // the greatest gain first
    LineReport &report = of(mending.line);
    report.mending = report.mending ? report.mending : &mending;
  }
  auto weightOf = [](const LineReport &r) {
    return std::max(r.share, r.mending ? 1 - 1 / r.mending->gain : 0);
  };
  std::erase_if(reports, [&](const auto &r) { return r.line >= timed.code->lines.size(); });
  std::ranges::sort(reports, [&](const LineReport &a, const LineReport &b) {
    return std::pair(-weightOf(a), a.line) < std::pair(-weightOf(b), b.line);
  });
  reports.resize(std::min(count, reports.size()));
  return reports;
}

std::string mendingText(const model::Mending &mending) {
  struct Words {
    const char *has, *ideal;
  };
  static constexpr Words Texts[model::FlawCount] = {
      {"%.3g sectors a request", " where %.3g would do"},
      {"%.3g passes of shared memory a request", " where %.3g would do"},
      {"%.3g lanes at one address", " where %.3g would do"},
      {"%.3g words of constant memory a request", " where %.3g would do"},
      {"%.3g lanes are on", " of %.3g"}};
  const Words &words = Texts[static_cast<size_t>(mending.flaw)];
  auto print = [](const char *format, double value) {
    char text[80];
    std::snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  std::string text = print(words.has, mending.has) + print(words.ideal, mending.ideal);
  return text + (mending.gain < 1.02 ? std::string(": nothing to gain")
                                     : ": " + print("%.3g times", mending.gain));
}

} // namespace heddle::profile
