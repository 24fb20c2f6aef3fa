// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy or a fill is like a launch of one thread: it has its place among the operations of streams,
// and records its accesses for those that come later. Of two copies the calls that asked for them
// are told of.
#include "check/race/copies.h"

#include "check/findings.h"
#include "check/host_access.h"
#include "check/host_stack.h"
#include "check/memcheck.h"
#include "check/race/launch.h"
#include "check/race/rows.h"
#include "check/reports.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace heddle::check {

namespace {

using device::Touch;

constexpr AccessSite siteOf(AccessKind kind) {
  return {nullptr, 0, 0, kind, AccessSpace::Global, 0, 0, 0, AccessScope::System, nullptr};
}
/// By Touch.
constexpr AccessSite Sites[] = {siteOf(AccessKind::Read), siteOf(AccessKind::Write),
                                siteOf(AccessKind::Write), siteOf(AccessKind::Write)};

bool isOfSites(const AccessSite *site) {
  return std::any_of(std::begin(Sites), std::end(Sites),
                     [&](const AccessSite &one) { return &one == site; });
}

struct CopySide {
  uint32_t origin; ///< where it was asked for (host_stack.h)
  const AccessSite *site;
};
struct CopyRace {
  CopySide first, second;
  uintptr_t address;
};

/// Told on a thread of the program's. Never destroyed.
struct Found {
  std::mutex mutex;
  std::vector<CopyRace> races;
  std::atomic<bool> any = false;
};
Found &found() {
  static Found &found = *new Found;
  return found;
}

class Copy {
public:
  Copy(LaunchRaces &races, Touch touch) : races_(races), site_(Sites[size_t(touch)]) {}

  void row(uintptr_t at, size_t bytes) {
    uintptr_t end = at + bytes, whole = std::min((at + 3) & ~uintptr_t(3), end);
    uintptr_t rest = std::max(end & ~uintptr_t(3), whole);
    words(at, at < whole ? 1 : 0, bytesOf(at, whole));
    words(whole, (rest - whole) / 4, 0xf);
    words(rest, rest < end ? 1 : 0, bytesOf(rest, end));
  }

private:
  /// Those of a word.
  static uint8_t bytesOf(uintptr_t at, uintptr_t end) {
    unsigned from = at & 3, count = static_cast<unsigned>(std::min<uintptr_t>(end - at, 4 - from));
    return static_cast<uint8_t>(((1u << count) - 1) << from);
  }

  Record record(uint8_t bytes) {
    uint32_t &number = numbers_[bytes];
    if (!number)
      number = GlobalShadow::get().add(
          {&site_, races_.number, 0, 1, 0, 0, 0, bytes, Lay::One, 0, IsStored});
    return recordOf(number, 0);
  }

  void words(uintptr_t at, size_t count, uint8_t bytes) {
    constexpr size_t Row = 1024;
    for (size_t done = 0; done < count;) {
      Words words = GlobalShadow::get().at(at + done * 4);
      size_t some = std::min({count - done, words.count, Row});
      if (words.first && record(bytes) && !all(words, some, bytes, at + done * 4))
        for (size_t w = 0; w < some; ++w)
          all({words.first + w, words.distance, 1, words.version}, 1, bytes, at + (done + w) * 4);
      done += some;
    }
  }

  bool all(Words words, size_t count, uint8_t bytes, uintptr_t at) {
    RowEnd end;
    do
      end = tryAll(words, count, bytes, at);
    while (end == RowEnd::Again);
    return end == RowEnd::Done;
  }

  /// Words whose records say the same.
  RowEnd tryAll(Words words, size_t count, uint8_t bytes, uintptr_t at) {
    uint32_t version = beginLook(words);
    RowPattern pattern = {record(bytes), 0, 31};
    bool isFree[3], isRead = site_.kind == AccessKind::Read;
    uint32_t numbers[3];
    for (unsigned i = 0; i < 3; ++i) {
      RowFacts facts = lookAtRow(words.slot(i), count, pattern, races_.floor);
      if (facts.lowest != facts.highest)
        return RowEnd::IsNone;
      numbers[i] = facts.lowest;
    }
    for (unsigned i = 0; i < 3; ++i) {
      isFree[i] = numbers[i] == 0;
      if (isFree[i])
        continue;
      const Happening &other = GlobalShadow::get().happening(numbers[i]);
      bool isBehind = other.launch == races_.number || isOrdered(races_, other.launch);
      if (isBehind)
        isFree[i] = !(other.bytes & ~bytes) && (!isRead || other.site->kind == AccessKind::Read);
      else if (other.bytes & bytes && !(isRead && other.site->kind == AccessKind::Read))
        report(other, threadOf(*words.slot(i)), at, count * 4);
    }
    unsigned to = isRead ? (isFree[1] ? 1 : isFree[2] ? 2 : isFree[0] ? 0 : 3) : 0;
    if (to == 3)
      return isSeenAll(words, version) ? RowEnd::Done : RowEnd::Again;
    if (!beginChange(words, version))
      return RowEnd::Again;
    for (unsigned i = 0; !isRead && i < 3; ++i)
      if (i != to && isFree[i] && numbers[i])
        std::fill_n(words.slot(i), count, 0);
    writeRow(words.slot(to), count, pattern);
    endChange(words, version);
    return RowEnd::Done;
  }

  void report(const Happening &other, uint32_t thread, uintptr_t at, size_t bytes) {
    if (isOfSites(other.site))
      reportCopies(other, at);
    else
      races_.add({&site_, races_.number, 0, 0}, {other.site, other.launch, other.block, thread},
                 {Relation::Launches, RaceFlaw::NoOrder, nullptr}, false, at,
                 other.site->bytes ? other.site->bytes : bytes);
  }

  /// Once for two.
  void reportCopies(const Happening &other, uintptr_t at) {
    LaunchRaces *with = launchOfNumber(other.launch);
    if (!with || std::exchange(last_, other.launch) == other.launch)
      return;
    CopyRace race = {{races_.origin, &site_}, {with->origin, other.site}, at};
    std::lock_guard lock(found().mutex);
    found().races.push_back(race);
    found().any = true;
  }

  LaunchRaces &races_;
  const AccessSite &site_;
  uint32_t numbers_[16] = {};
  uint32_t last_ = 0; ///< the last copy that was told of
};

std::string nameOf(const AccessSite *site) {
  Lifetime lifetime = lifetimeOf(site);
  return lifetime == Lifetime::None ? (site->kind == AccessKind::Read ? "read" : "write")
                                    : textOf(lifetime);
}

Finding findingOf(CopyRace race) {
  auto lineOf = [](const CopySide &side) {
    const Frame *place = placeOf(framesOfStack(side.origin));
    return std::tuple(lifetimeOf(side.site) == Lifetime::None, side.site->kind == AccessKind::Write,
                      place ? place->line : 0);
  };
  if (lineOf(race.first) < lineOf(race.second)) // a write is blamed, the later one in the source
    std::swap(race.first, race.second);
  auto by = [](const CopySide &side) {
    std::string api = callNameOf(side.origin);
    return " by " + (api.empty() ? "a copy" : api);
  };
  bool areWrites = race.second.site->kind == AccessKind::Write;
  Lifetime lifetime = lifetimeOf(race.second.site);
  bool areCopies = !isOfLibrary(race.first.origin) && !isOfLibrary(race.second.origin);
  Finding finding;
  finding.tool = "racecheck";
  finding.kind = lifetime != Lifetime::None ? kindOf(lifetime)
                 : areWrites                ? "race-write-write"
                                            : "race-read-write";
  finding.text = "Race between " +
                 (lifetime != Lifetime::None ? nameOf(race.first.site) + " and " + textOf(lifetime)
                  : areWrites                ? "two writes"
                                             : "write and read") +
                 " of global memory" + (areCopies ? " by copies" : "") + ", here" + by(race.first);
  finding.frames = framesOfStack(race.first.origin);
  finding.notes.push_back({(lifetime == Lifetime::None ? "the other " : "the ") +
                               nameOf(race.second.site) + by(race.second),
                           {},
                           race.second.origin});
  finding.notes.push_back({"nothing orders the two", {}});
  describeObject(reinterpret_cast<const void *>(race.address), nullptr, finding.notes);
  return finding;
}

} // namespace

Lifetime lifetimeOf(const AccessSite *site) {
  return site == &Sites[size_t(Touch::Begins)] ? Lifetime::Begins
         : site == &Sites[size_t(Touch::Ends)] ? Lifetime::Ends
                                               : Lifetime::None;
}

void tellCopyRaces() {
  if (!found().any.exchange(false))
    return;
  std::vector<CopyRace> races;
  {
    std::lock_guard lock(found().mutex);
    races.swap(found().races);
  }
  for (const CopyRace &race : races)
    note(findingOf(race));
}

void raceOfCopy(const void *operation, const device::TouchedRows &rows) {
  uint32_t origin;
  WorkPath path = placeOfTask(operation, origin);
  if (path.empty())
    return;
  if (uint32_t stack = stackOfLibraryWork())
    origin = stack;
  LaunchRaces &races = beginCopy(std::move(path), origin);
  Copy copy(races, rows.touch);
  for (size_t z = 0; z < rows.depth; ++z)
    for (size_t y = 0; y < rows.height; ++y)
      copy.row(reinterpret_cast<uintptr_t>(rows.at) + z * rows.slice + y * rows.pitch, rows.width);
  endLaunch(races);
}

} // namespace heddle::check
