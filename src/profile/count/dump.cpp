// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/machine.h"
#include "profile/count/launch_counts.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <map>

namespace heddle::profile {

namespace {

using model::Operation;
using model::Space;

[[gnu::format(printf, 1, 2)]] std::string print(const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return text;
}

const char *nameOf(Operation operation) {
  static constexpr const char *Names[] = {
#define HEDDLE_OPERATION(NAME, TEXT) TEXT,
#include "model/operations.def"
  };
  return Names[size_t(operation)];
}

const char *nameOf(Space space) {
  static constexpr const char *Names[] = {"generic",  "global",    "shared", "local",
                                          "constant", "parameter", "texture"};
  return Names[size_t(space)];
}

constexpr const char *Rules[] = {"1.0", "1.2", "2.x", "3.x", "5.x"};

std::string baseOf(const std::string &file) { return file.substr(file.rfind('/') + 1); }

/// Executions of a line: of its operations.
struct LineCounts {
  uint64_t operations = 0, warps = 0, threads = 0; ///< operations of PTX, and executions of those
};

template <typename All, typename Get> std::string byRules(const All &all, Get get) {
  std::string text;
  for (unsigned i = 0; i < model::MemoryRulesCount; ++i)
    text += print(" %s=%" PRIu64, Rules[i], get(all[i]));
  return text;
}

std::string describeAccess(const model::CodeAccess &access, const AccessSums &sums) {
  std::string text =
      print("%s %s of %" PRIu32 ": %" PRIu64 " requests, %" PRIu64 " lanes\n", nameOf(access.space),
            nameOf(access.operation), access.bytes, sums.requests, sums.lanes);
  auto line = [&](const char *what, const std::string &numbers) {
    text += std::string("      ") + what + ":" + numbers + "\n";
  };
  if (sums.constantPasses)
    line("passes", print(" %" PRIu64, sums.constantPasses));
  if (sums.addresses)
    line("addresses", print(" %" PRIu64 ", deepest %" PRIu64, sums.addresses, sums.deepest));
  if (sums.memory[0].transactions) {
    line("transactions", byRules(sums.memory, [](const auto &m) { return m.transactions; }) +
                             print(" pastL1=%" PRIu64, sums.pastL1.transactions));
    line("bytes", byRules(sums.memory, [](const auto &m) { return m.bytes; }) +
                      print(" pastL1=%" PRIu64 " wanted=%" PRIu64, sums.pastL1.bytes,
                            sums.memory[size_t(model::MemoryRules::Sectors)].wanted));
  }
  if (sums.sharedRequests) {
    line("wavefronts", byRules(sums.shared, [](const auto &s) { return s.passes; }) +
                           print(" wide=%" PRIu64, sums.wideBanks.passes));
    line("conflicts", byRules(sums.shared, [](const auto &s) { return s.conflicts; }) +
                          print(" wide=%" PRIu64, sums.wideBanks.conflicts));
  }
  return text;
}

/// Registers, and instructions in the code and of warps, on boards of several generations.
std::string describeMachine(const LaunchCounts &launch) {
  std::string text = "  machine:";
  for (const char *key : {"c2050", "k20", "gtx980", "v100", "t4", "a100", "h100"}) {
    const model::MachineCode machine = model::makeMachineCode(*launch.code, *model::findGpu(key));
    uint64_t executed = 0;
    for (size_t b = 0; b < machine.blocks.size(); ++b)
      executed += launch.counts.blocks[b].warps * machine.blocks[b].count;
    text += print(" %s %d registers %zu instructions %" PRIu64 " executed;", key, machine.registers,
                  machine.instructions.size(), executed);
  }
  return text + "\n";
}

} // namespace

uint64_t LaunchCounts::warpInstructions() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < code->blocks.size(); ++i)
    sum += counts.blocks[i].warps * code->blocks[i].count;
  return sum;
}

uint64_t LaunchCounts::threadInstructions() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < code->blocks.size(); ++i)
    sum += counts.blocks[i].threads * code->blocks[i].count;
  return sum;
}

std::string describe(const LaunchCounts &launch) {
  const model::KernelCode &code = *launch.code;
  const model::LaunchShape &shape = launch.shape;
  std::string text =
      "counted: " + launch.kernel +
      print(" grid %u %u %u block %u %u %u: %" PRIu64 " of %" PRIu64 " blocks, %" PRIu64
            " warp instructions, %" PRIu64 " thread instructions%s\n",
            shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
            shape.block[2], launch.counts.countedBlocks, launch.counts.launchedBlocks,
            launch.warpInstructions(), launch.threadInstructions(),
            launch.isCancelled ? ", cancelled" : "");
  if (!launch.uncounted.empty())
    return text + "  not counted: " + launch.uncounted + "\n";
  for (const std::string &note : code.notes)
    text += "  note: " + note + "\n";
  text += describeMachine(launch);
  using Place = std::pair<std::string, uint32_t>;
  auto placeOf = [&](uint32_t line) {
    return line == model::None ? Place("", 0)
                               : Place(baseOf(code.lines[line].file), code.lines[line].line);
  };
  std::map<Place, LineCounts> lines;
  std::map<Place, std::string> accesses;
  for (size_t i = 0; i < code.blocks.size(); ++i)
    for (uint32_t o = 0; o < code.blocks[i].count; ++o) {
      LineCounts &line = lines[placeOf(code.operations[code.blocks[i].first + o].line)];
      ++line.operations;
      line.warps += launch.counts.blocks[i].warps;
      line.threads += launch.counts.blocks[i].threads;
    }
  for (size_t i = 0; i < code.accesses.size(); ++i) {
    lines[placeOf(code.accesses[i].line)];
    accesses[placeOf(code.accesses[i].line)] +=
        "    " + describeAccess(code.accesses[i], launch.accesses[i]);
  }
  for (const auto &[place, line] : lines)
    text += "  " + place.first +
            print(":%" PRIu32 ": %" PRIu64 " operations, %" PRIu64 " by warps, %" PRIu64
                  " by threads\n",
                  place.second, line.operations, line.warps, line.threads) +
            accesses[place];
  return text;
}

} // namespace heddle::profile
