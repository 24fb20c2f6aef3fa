// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels would take on named GPUs.
#include "profile/recorder.h"
#include "profile/report.h"
#include "profile/table.h"

#include "model/gpu.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace heddle::profile {

namespace {

std::string print(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
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

/// A row for each launch and GPU.
std::string csvOf(const ProfileOptions &options, const Recording &recording) {
  std::string text =
      "launch,kernel,board,microseconds,bound,occupancy,achieved_occupancy,registers,"
      "dram_read_bytes,dram_written_bytes,dram_gb_per_s,l2_hit_rate,l1_hit_rate,"
      "sampling_error,note\n";
  for (size_t i = 0; i < recording.times.size(); ++i)
    for (size_t g = 0; g < recording.times[i].size(); ++g) {
      const TimedLaunch &timed = recording.times[i][g];
      const model::LaunchTime &time = timed.time;
      auto rate = [](double hits, double all) { return all > 0 ? print("%.4f", hits / all) : ""; };
      bool isKnown = timed.unknown.empty();
      text += std::to_string(i) + "," + quoted(timed.kernel) + "," + options.gpus[g] + ",";
      if (isKnown)
        text += print("%.3f", time.seconds * 1e6) + "," + std::string(model::nameOf(time.bound)) +
                "," + print("%.4f", time.occupancy.share) + "," +
                print("%.4f", time.achievedOccupancy) + "," + std::to_string(timed.registers) +
                "," + print("%.0f", time.dramRead) + "," + print("%.0f", time.dramWritten) + "," +
                print("%.2f", time.bandwidth() / 1e9) + "," + rate(time.l2Hits, time.l2Sectors) +
                "," + rate(time.l1Hits, time.l1Sectors) + "," + print("%.4f", time.error) + ",";
      else
        text += ",,,,,,,,,,,";
      text += (isKnown ? std::string() : quoted(timed.unknown)) + "\n";
    }
  return text;
}

/// Launches of one kernel and shape.
struct Group {
  std::vector<const TimedLaunch *> launches;
  double seconds() const {
    double sum = 0;
    for (const TimedLaunch *one : launches)
      sum += one->time.seconds;
    return sum;
  }
};

std::string waitsText(const model::LaunchTime &time) {
  std::vector<std::pair<double, unsigned>> waits;
  for (unsigned w = 0; w < model::WaitCount; ++w)
    waits.push_back({-time.waits[w], w});
  std::sort(waits.begin(), waits.end());
  std::string text;
  for (size_t i = 0; i < 3 && -waits[i].first >= 0.01; ++i)
    text += (text.empty() ? "" : ", ") +
            std::string(model::nameOf(static_cast<model::Wait>(waits[i].second))) + " " +
            print("%.0f %%", -waits[i].first * 100);
  return text;
}

std::string linesText(const TimedLaunch &timed) {
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(3, timed.time.lines.size()); ++i) {
    const model::LineCost &cost = timed.time.lines[i];
    if (cost.line >= timed.code->lines.size())
      continue;
    const model::CodeLine &line = timed.code->lines[cost.line];
    text += "      " + print("%5.1f %%", cost.share * 100) + "  " +
            line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line) + "\n";
  }
  return text;
}

std::string textOf(const ProfileOptions &options, const Group &group, size_t gpu) {
  const TimedLaunch &timed = *group.launches.front();
  const model::LaunchTime &time = timed.time;
  std::string text = "  " + options.gpus[gpu] + ": ";
  if (!timed.unknown.empty())
    return text + "no time: " + timed.unknown + "\n";
  const model::Gpu &board = *model::findGpu(options.gpus[gpu]);
  double mean = group.seconds() / double(group.launches.size());
  text += timeText(mean * 1e9) + ", bound by " + std::string(model::nameOf(time.bound)) + "\n";
  text += "    memory " + print("%.1f", time.bandwidth() / 1e9) + " of " +
          print("%.1f GB/s", board.peakBandwidth() / 1e9) + "; occupancy " +
          print("%.0f %%", time.occupancy.share * 100) + ", limited by " +
          limitText(time.occupancy) + "; " + std::to_string(timed.registers) + " registers\n";
  text += "    warps wait for: " + waitsText(time) + "\n" + linesText(timed);
  if (!time.isKnown)
    text += "    the architecture's parameters are not known: those of the nearest one\n";
  if (time.error > 0.05)
    text += "    error of sampling: " + print("%.0f %%", time.error * 100) + "\n";
  return text;
}

} // namespace

std::string prediction(const ProfileOptions &options, const Recording &recording) {
  if (options.asCsv)
    return csvOf(options, recording);
  using Key = std::tuple<std::string, std::array<uint32_t, 6>>;
  std::vector<Key> order;
  std::map<Key, std::vector<Group>> groups;
  for (const std::vector<TimedLaunch> &times : recording.times) {
    if (times.empty())
      continue;
    const model::LaunchShape &s = times[0].shape;
    Key key = {times[0].kernel,
               {s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2]}};
    auto [at, isNew] = groups.try_emplace(key, times.size());
    if (isNew)
      order.push_back(key);
    for (size_t g = 0; g < times.size(); ++g)
      at->second[g].launches.push_back(&times[g]);
  }
  std::string text;
  for (const Key &key : order) {
    auto &[kernel, n] = key;
    const std::vector<Group> &byGpu = groups.at(key);
    size_t count = byGpu[0].launches.size();
    text += kernel + " (" + std::to_string(n[0]) + ", " + std::to_string(n[1]) + ", " +
            std::to_string(n[2]) + ") blocks of (" + std::to_string(n[3]) + ", " +
            std::to_string(n[4]) + ", " + std::to_string(n[5]) + "), " + std::to_string(count) +
            (count == 1 ? " launch\n" : " launches\n");
    for (size_t g = 0; g < byGpu.size(); ++g)
      text += textOf(options, byGpu[g], g);
  }
  return text.empty() ? "No kernels were profiled.\n" : text;
}

} // namespace heddle::profile
