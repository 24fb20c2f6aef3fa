// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a warp's access looks like in memory. Global memory: a row for each line of 128 bytes that is
// touched, its sectors of 32 bytes, and in each word the lane that asks for it. Shared memory: a
// column for each bank, with the words that it has to give, one for each pass.
#include "profile/page/pictures.h"

#include "model/transactions.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace heddle::profile {

namespace {

constexpr double Cell = 20, Left = 130;
constexpr uint64_t LineBytes = 128, SectorBytes = 32, WordBytes = 4;

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// Words, with the lanes that ask for each.
std::map<uint64_t, std::vector<unsigned>> wordsOf(const AccessSample &sample, uint32_t bytes) {
  std::map<uint64_t, std::vector<unsigned>> words;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (sample.lanes >> lane & 1)
      for (uint64_t at = sample.addresses[lane] / WordBytes;
           at <= (sample.addresses[lane] + bytes - 1) / WordBytes; ++at)
        words[at].push_back(lane);
  return words;
}

std::string lanesText(const std::vector<unsigned> &lanes) {
  std::string text = lanes.size() == 1 ? "lane " : "lanes ";
  for (size_t i = 0; i < lanes.size(); ++i)
    text += (i ? ", " : "") + std::to_string(lanes[i]);
  return text;
}

std::string cellText(const std::vector<unsigned> &lanes) {
  return lanes.size() == 1 ? std::to_string(lanes[0]) : std::to_string(lanes.size()) + "×";
}

void drawWord(Svg &svg, double x, double y, uint64_t word, const std::vector<unsigned> &lanes) {
  svg.rect(x + 1, y + 1, Cell - 2, Cell - 2, "f0", hex(word * WordBytes) + ": " + lanesText(lanes));
  svg.text(x + Cell / 2, y + 14, cellText(lanes), "inside tiny", "middle");
}

Svg drawLines(const std::map<uint64_t, std::vector<unsigned>> &words, std::string &caption,
              const model::MemoryCost &cost) {
  std::set<uint64_t> lines, sectors;
  for (auto &[word, lanes] : words) {
    lines.insert(word * WordBytes / LineBytes);
    sectors.insert(word * WordBytes / SectorBytes);
  }
  caption += ": " + std::to_string(sectors.size()) + " sectors of " + std::to_string(lines.size()) +
             (lines.size() == 1 ? " line; " : " lines; ") +
             std::to_string((cost.wanted + SectorBytes - 1) / SectorBytes) + " would do";
  Svg svg(Left + 33 * Cell, 66 + double(lines.size()) * (Cell + 4));
  svg.text(8, 20, caption, "strong");
  for (unsigned sector = 0; sector < 4; ++sector)
    svg.text(Left + Cell * (8 * sector + 4), 42, "sector " + std::to_string(sector), "small",
             "middle");
  double y = 50;
  for (uint64_t line : lines) {
    svg.text(Left - 8, y + 14, hex(line * LineBytes), "small", "end");
    for (unsigned sector = 0; sector < 4; ++sector) {
      bool isTouched = sectors.count(line * 4 + sector);
      svg.rect(Left + Cell * 8 * sector, y, 8 * Cell, Cell, isTouched ? "touched" : "box");
    }
    for (unsigned i = 0; i < LineBytes / WordBytes; ++i)
      if (auto at = words.find(line * 32 + i); at != words.end())
        drawWord(svg, Left + Cell * i, y, at->first, at->second);
    y += Cell + 4;
  }
  return svg;
}

Svg drawBanks(const std::map<uint64_t, std::vector<unsigned>> &words, std::string &caption,
              const model::SharedCost &cost, unsigned banks) {
  std::vector<std::vector<uint64_t>> columns(banks);
  size_t most = 0;
  for (auto &[word, lanes] : words) {
    columns[word % banks].push_back(word);
    most = std::max(most, columns[word % banks].size());
  }
  caption += ": " + std::to_string(cost.passes) + (cost.passes == 1 ? " pass; " : " passes; ") +
             std::to_string(std::min(cost.passes, std::max(cost.ideal, 1u))) + " would do";
  Svg svg(Left + 33 * Cell, 76 + double(most) * Cell);
  svg.text(8, 20, caption, "strong");
  svg.text(Left - 8, 42, "bank", "small", "end");
  for (unsigned bank = 0; bank < banks; ++bank) {
    const double x = Left + Cell * bank;
    svg.text(x + Cell / 2, 42, std::to_string(bank), "small", "middle");
    svg.rect(x, 50, Cell, double(most) * Cell, "box");
    for (size_t i = 0; i < columns[bank].size(); ++i)
      drawWord(svg, x, 50 + double(i) * Cell, columns[bank][i], words.at(columns[bank][i]));
  }
  return svg;
}

} // namespace

Picture drawAccess(const AccessSample &sample, const model::KernelCode &code,
                   model::MemoryRules rules) {
  const model::CodeAccess &access = code.accesses[sample.access];
  const model::Space space =
      access.space == model::Space::Generic
          ? model::spaceOfAddress(sample.addresses[__builtin_ctz(sample.lanes ? sample.lanes : 1)])
          : access.space;
  const model::WarpAccess warp{sample.lanes, access.bytes, sample.addresses.data(), access.flags};
  const bool isShared = space == model::Space::Shared;
  std::string caption = std::string(isShared ? "Shared" : "Global") + " memory, " +
                        std::to_string(access.bytes) + " bytes a lane";
  if (access.line < code.lines.size()) {
    const model::CodeLine &line = code.lines[access.line];
    caption = line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line) + ", " +
              caption;
  }
  const auto words = wordsOf(sample, access.bytes);
  const unsigned banks = rules <= model::MemoryRules::Segments ? 16 : 32;
  Svg svg = isShared
                ? drawBanks(words, caption, model::sharedCost(rules, warp, access.operation), banks)
                : drawLines(words, caption, model::globalCost(rules, warp, access.operation, true));
  return {"access-" + std::to_string(sample.access), caption, svg.element(caption)};
}

} // namespace heddle::profile
