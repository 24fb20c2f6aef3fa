// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page is made here as far as it can be: drawings stand in it as they are, each with the view,
// the kernel and the board that it belongs to. page.js shows those that are chosen, and makes
// tables of the numbers.
#include "profile/page/page.h"

#include "base/messages/messages.h"
#include "base/messages/output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include <sys/stat.h>

extern "C" const char heddlePageHtml[], heddlePageCss[], heddlePageScript[], heddlePictureCss[];

namespace heddle::profile {

namespace {

/// A drawing with its place in the page. -1: of all.
struct Placed {
  const char *view;
  int kernel, board;
  Picture picture;
};

std::vector<Placed> allPictures(const Recording &recording, const std::vector<GroupFacts> &facts) {
  std::vector<Placed> all;
  const int boards = facts.empty() ? 0 : int(facts[0].group->byGpu.size());
  const bool isPredicted = std::ranges::any_of(
      recording.activities, [](const Activity &activity) { return !activity.onBoards.empty(); });
  if (isPredicted)
    for (int g = 0; g < boards; ++g)
      all.push_back(
          {"timeline", -1, g,
           drawTimeline(recording, *facts[0].group->byGpu[size_t(g)][0]->gpu, size_t(g))});
  else
    all.push_back({"timeline", -1, -1, drawTimeline(recording)});
  if (facts.empty())
    return all;
  all.push_back({"boards", -1, -1, drawBoards(facts)});
  for (int g = 0; g < boards; ++g)
    all.push_back({"roofline", -1, g, drawRoofline(facts, size_t(g))});
  for (int k = 0; k < int(facts.size()); ++k) {
    const GroupFacts &one = facts[size_t(k)];
    all.push_back({"waits", k, -1, drawWaits(one)});
    for (int g = 0; g < boards; ++g)
      all.push_back({"occupancy", k, g, drawOccupancy(one, size_t(g))});
    if (!one.counts)
      continue;
    const model::Gpu &gpu = *one.group->byGpu[0][0]->gpu;
    const model::MemoryRules rules = model::memoryRulesOf(unsigned(gpu.major), unsigned(gpu.minor));
    for (const AccessSample &sample : one.counts->samples) {
      const model::Space space = one.counts->code->accesses[sample.access].space;
      if (space == model::Space::Global || space == model::Space::Shared ||
          space == model::Space::Generic)
        all.push_back({"accesses", k, -1, drawAccess(sample, *one.counts->code, rules)});
    }
  }
  return all;
}

std::string figureOf(const Placed &placed) {
  auto attribute = [](const char *name, int number) {
    return number < 0 ? "" : std::string(" data-") + name + "=\"" + std::to_string(number) + "\"";
  };
  return "<figure data-view=\"" + std::string(placed.view) + "\"" +
         attribute("kernel", placed.kernel) + attribute("board", placed.board) + " data-title=\"" +
         escaped(placed.picture.title) + "\">\n" + placed.picture.svg + "</figure>\n";
}

void replace(std::string &text, const std::string &mark, const std::string &by) {
  if (size_t at = text.find(mark); at != text.npos)
    text.replace(at, mark.size(), by);
}

} // namespace

std::string htmlPage(const Recording &recording) {
  const std::vector<LaunchGroup> groups = groupLaunches(recording);
  const std::vector<GroupFacts> facts = factsOf(recording, groups);
  std::string figures;
  for (const Placed &placed : allPictures(recording, facts))
    figures += figureOf(placed);
  std::string page = heddlePageHtml;
  replace(page, "/*picture.css*/", heddlePictureCss);
  replace(page, "/*page.css*/", heddlePageCss);
  replace(page, "/*page.js*/", heddlePageScript);
  replace(page, "<!--figures-->", figures);
  replace(page, "<!--data-->", pageData(recording, facts));
  return page;
}

void writePictures(const std::string &folder, const Recording &recording) {
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
    return tellf("heddle: cannot make the folder %s: %s\n", folder.c_str(), std::strerror(errno));
  const std::vector<LaunchGroup> groups = groupLaunches(recording);
  const std::vector<GroupFacts> facts = factsOf(recording, groups);
  for (const Placed &placed : allPictures(recording, facts)) {
    std::string svg = placed.picture.svg;
    replace(svg, "</title>", "</title>\n<style>" + std::string(heddlePictureCss) + "</style>");
    replace(svg, "width=\"100%\"", "width=\"1000\"");
    const std::string kernel =
        placed.kernel < 0 ? "" : "-kernel" + std::to_string(placed.kernel + 1);
    writeReport(folder + "/" + placed.picture.name + kernel + ".svg", svg);
  }
}

} // namespace heddle::profile
