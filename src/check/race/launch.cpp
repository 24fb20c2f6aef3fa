// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/race/launch.h"

#include "base/abi/kernel_abi.h"
#include "check/findings.h"
#include "check/host_stack.h"
#include "check/race/block.h"
#include "check/race/copies.h"
#include "check/sites.h"
#include "device/checks.h"
#include "device/launch_fault.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>
#include <tuple>

namespace heddle::check {

namespace {

struct Launches {
  std::mutex mutex;
  std::deque<std::unique_ptr<LaunchRaces>> all;
  uint32_t next = 1, first = 1; ///< numbers: of the next one, of all[0]
  uint32_t live = 0;
};
Launches &launches() {
  static Launches &launches = *new Launches; // never destroyed: workers run on
  return launches;
}

/// A place in the source that does not depend on the run.
auto placeOf(const AccessSite &site) {
  const SourceFrame none = {"", "", 0, 0};
  const SourceFrame &frame = site.frameCount ? site.frames[0] : none;
  return std::tuple(std::string_view(frame.file), frame.line, frame.column, site.frameCount);
}

std::pair<std::string_view, uint32_t> lineOf(const AccessSite &site) {
  return site.frameCount ? std::pair(std::string_view(site.frames[0].file), site.frames[0].line)
                         : std::pair(std::string_view(), 0u);
}

bool isBefore(const RaceSide &a, const RaceSide &b) {
  return std::tuple(a.block, a.thread) < std::tuple(b.block, b.thread);
}

/// What is blamed: what writes; of two writes, or of a write and an atomic operation, the later one
/// in the source.
bool isBlamed(const RaceSide &a, const RaceSide &b) {
  auto weight = [](const RaceSide &side) { // a copy has no line
    return !side.site->bytes && !side.site->frames ? -1
           : side.site->kind == AccessKind::Write  ? 2
           : side.site->kind == AccessKind::Atomic ? 1
                                                   : 0;
  };
  if (weight(a) != weight(b))
    return weight(a) > weight(b);
  if (placeOf(*a.site) != placeOf(*b.site))
    return placeOf(*a.site) > placeOf(*b.site);
  return isBefore(a, b);
}

const char *nameOf(const AccessSite &site) {
  static constexpr const char *Names[] = {"read", "write", "atomic operation"};
  return Names[static_cast<unsigned>(site.kind)];
}

std::string bytesText(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::string tuple(const std::array<uint32_t, 3> &numbers) {
  return "(" + std::to_string(numbers[0]) + "," + std::to_string(numbers[1]) + "," +
         std::to_string(numbers[2]) + ")";
}

const char *missing(Relation relation, bool isAtomic, bool areAtomic) {
  if (areAtomic)
    return "one of them is atomic within its block only";
  switch (relation) {
  case Relation::Warp:
    return "both are threads of one warp, and no __syncwarp() comes between";
  case Relation::Block:
    return "both are threads of one block, and no barrier comes between";
  case Relation::Grid:
    return isAtomic ? "the blocks run at the same time, and one of the two is not atomic"
                    : "the blocks run at the same time, and nothing orders them";
  case Relation::Launches:
    return "nothing orders the two";
  }
  return "";
}

Finding findingOf(const LaunchRaces &launch, const RaceKind &kind, const Race &race) {
  Finding finding;
  finding.tool = "racecheck";
  const AccessSite &first = *kind.first, &second = *kind.second;
  bool areBothWrites = first.kind == AccessKind::Write && second.kind == AccessKind::Write;
  bool isSameValue = kind.flaw == RaceFlaw::SameValue;
  Lifetime lifetime = lifetimeOf(&second);
  finding.kind = lifetime != Lifetime::None           ? kindOf(lifetime)
                 : isSameValue                        ? "race-same-value"
                 : kind.flaw == RaceFlaw::BarrierOnly ? "race-no-fence"
                 : areBothWrites                      ? "race-write-write"
                 : first.kind == AccessKind::Atomic && second.kind == AccessKind::Atomic
                     ? "race-atomic-scope"
                     : "race-read-write";
  finding.isInfo = !isError(kind.flaw);
  std::string what =
      lifetime != Lifetime::None           ? std::string(nameOf(first)) + " and " + textOf(lifetime)
      : &first == &second || areBothWrites ? "two " + std::string(nameOf(first)) + "s"
                                           : std::string(nameOf(first)) + " and " + nameOf(second);
  const char *name = first.variable ? first.variable : second.variable;
  finding.text = "Race between " + what + " of " + (race.isShared ? "shared" : "global") +
                 " memory" + (name ? " '" + std::string(name) + "'" : "") + " (" +
                 bytesText(race.length) + (isSameValue ? ", the same value" : "") + ")";
  finding.frames = framesOf(first);
  const LaunchRaces *blamed = launchOfNumber(race.first.launch);
  finding.kernel = (blamed ? *blamed : launch).kernel;
  finding.launch = (blamed ? *blamed : launch).origin;
  finding.hasThread = true;
  // How many are seen where blocks meet depends on the workers.
  finding.threads = race.isShared && kind.relation < Relation::Grid ? race.count : 1;
  finding.thread = (blamed ? *blamed : launch).threadOf(race.first.block, race.first.thread);
  const LaunchRaces *other = launchOfNumber(race.second.launch);
  std::string text = lifetime != Lifetime::None ? "the " + textOf(lifetime)
                                                : "the other " + std::string(nameOf(second));
  bool isCopy = other && other->kernel.empty();
  if (isCopy) {
    std::string api = callNameOf(other->origin);
    text += " by " + (api.empty() ? "a copy" : api);
  } else if (other) {
    Thread thread = other->threadOf(race.second.block, race.second.thread);
    text += " by thread " + tuple(thread.thread) + " in block " + tuple(thread.block);
    if (other != blamed)
      text += " of kernel " + other->kernel;
  }
  finding.notes.push_back({text, framesOf(second), isCopy ? other->origin : 0});
  bool isAtomic = first.kind == AccessKind::Atomic || second.kind == AccessKind::Atomic;
  bool areAtomic = first.kind == AccessKind::Atomic && second.kind == AccessKind::Atomic;
  bool isFamily = other && blamed &&
                  (birthWithin(*other, blamed->number) || birthWithin(*blamed, other->number));
  if (kind.flaw == RaceFlaw::NoFence || kind.flaw == RaceFlaw::BarrierOnly)
    finding.notes.push_back({kind.flaw == RaceFlaw::NoFence
                                 ? "no fence comes behind what would order the two"
                                 : "a barrier, but no fence comes behind what would order the two",
                             race.flag ? framesOf(*race.flag) : std::vector<Frame>()});
  else
    finding.notes.push_back({isFamily
                                 ? "one grid has launched the other, and nothing orders the two"
                                 : missing(kind.relation, isAtomic, areAtomic),
                             {}});
  return finding;
}

} // namespace

bool RaceKind::operator<(const RaceKind &other) const {
  return std::tuple(first, second, relation, flaw) <
         std::tuple(other.first, other.second, other.relation, other.flaw);
}

LaunchRaces::LaunchRaces(const Launch &given, uint32_t number)
    : launch(&given), number(number), kernel(device::kernelNameOf(&given)),
      origin(device::originOf(&given)) {
  std::copy_n(given.gridDim, 3, gridDim);
  std::copy_n(given.blockDim, 3, blockDim);
  for (int d = 0; d < 3; ++d)
    clusterDim[d] = std::max(given.clusterDim[d], 1u);
  width = device::lanesOf(&given);
  runsClusters = device::runsClusters(&given);
  hasOneOrder = !given.isCooperative && !given.hasClusters;
}

LaunchRaces::LaunchRaces(uint32_t origin, uint32_t number)
    : launch(nullptr), number(number), origin(origin), gridDim{1, 1, 1}, blockDim{1, 1, 1},
      clusterDim{1, 1, 1} {}

Thread LaunchRaces::threadOf(uint64_t block, uint32_t thread) const {
  auto at = [](uint64_t number, const uint32_t *dim) {
    return std::array<uint32_t, 3>{static_cast<uint32_t>(number % dim[0]),
                                   static_cast<uint32_t>(number / dim[0] % dim[1]),
                                   static_cast<uint32_t>(number / dim[0] / dim[1])};
  };
  return {at(block, gridDim), at(thread, blockDim)};
}

uint32_t LaunchRaces::clusterOf(uint32_t block) const {
  uint32_t cluster = 0, number[] = {block % gridDim[0], block / gridDim[0] % gridDim[1],
                                    block / gridDim[0] / gridDim[1]};
  for (int d = 2; d >= 0; --d)
    cluster = cluster * (gridDim[d] / clusterDim[d]) + number[d] / clusterDim[d];
  return cluster;
}

/// The lowest two that are of different blocks.
static void lower(RaceSide (&sides)[2], const RaceSide &side) {
  if (side.block == sides[0].block) {
    if (isBefore(side, sides[0]))
      sides[0] = side;
  } else if (isBefore(side, sides[0])) {
    sides[1] = sides[0];
    sides[0] = side;
  } else if (sides[1].block == sides[0].block || isBefore(side, sides[1])) {
    sides[1] = side;
  }
}

/// The pair to be told of.
static Race toTell(const LaunchRaces &launch, const RaceKind &kind, Race race) {
  if (kind.relation != Relation::Grid || !launch.hasOneOrder || launch.hasReleases)
    return race;
  const RaceSide &second = race.lowSecond[race.lowSecond[0].block == race.lowFirst.block];
  if (second.block != race.lowFirst.block) {
    race.first = race.lowFirst;
    race.second = second;
  }
  return race;
}

uint64_t LaunchRaces::add(RaceSide a, RaceSide b, RaceCause cause, bool isShared, uint64_t address,
                          uint64_t length) {
  if (isBlamed(b, a))
    std::swap(a, b);
  std::lock_guard lock(mutex);
  Race race = {a, b, a, {b, b}, address, length, isShared, cause.flag, 1};
  auto [at, isNew] = races.try_emplace({a.site, b.site, cause.relation, cause.flaw}, race);
  Race &known = at->second;
  if (!isNew) {
    race.count = known.count + 1;
    race.lowFirst = known.lowFirst;
    std::copy_n(known.lowSecond, 2, race.lowSecond);
    bool isLower =
        isBefore(a, known.first) || (!isBefore(known.first, a) && isBefore(b, known.second));
    if (isLower)
      known = race;
    else
      known.count = race.count;
  }
  if (cause.relation != Relation::Grid)
    return UINT64_MAX;
  for (const RaceSide &side : {a, b}) {
    bool isOfBoth = a.site == b.site;
    if ((isOfBoth || &side == &a || side.site == a.site) && isBefore(side, known.lowFirst))
      known.lowFirst = side;
    if (isOfBoth || side.site == b.site)
      lower(known.lowSecond, side);
  }
  const RaceSide(&low)[2] = known.lowSecond;
  if (low[0].block == low[1].block)
    return UINT64_MAX;
  return std::max({known.first.block, known.lowFirst.block, low[0].block, low[1].block});
}

LaunchRaces *launchOfNumber(uint32_t number) {
  Launches &all = launches();
  std::lock_guard lock(all.mutex);
  return number - all.first < all.all.size() ? all.all[number - all.first].get() : nullptr;
}

void beginLaunch(Launch *launch, CheckedLaunch &checked) {
  Launches &all = launches();
  std::lock_guard lock(all.mutex);
  // Of a graph, not enabled in the last run: it has never come to its end.
  if (auto *last = static_cast<LaunchRaces *>(checked.races)) {
    last->isOver = true;
    --all.live;
  }
  if (all.live++ == 0 && GlobalShadow::get().next() > MostHappenings / 4) {
    GlobalShadow::get().clear();
    all.all.clear();
    all.first = all.next;
  }
  auto races = std::make_unique<LaunchRaces>(*launch, all.next++);
  races->firstHappening = races->floor = GlobalShadow::get().next();
  checked.races = races.get();
  all.all.push_back(std::move(races));
}

void forgetLaunches() {
  Launches &all = launches();
  std::lock_guard lock(all.mutex);
  if (all.live)
    return;
  all.all.clear();
  all.first = all.next;
}

/// One that exchanges flags with others, or with the host, may be ordered with them.
static bool mayBeOrdered(const LaunchRaces &a, const LaunchRaces &b) {
  return a.reachesAll || b.reachesAll || a.hasReleases || b.hasReleases ||
         !areApart(a.work, b.work);
}

/// Below the first happening of those that nothing orders with a launch, all comes before it.
static uint32_t floorOf(const Launches &all, const LaunchRaces &launch, uint32_t next) {
  for (auto &other : all.all)
    if (other.get() != &launch &&
        (areApart(other->work, launch.work) || isWithin(launch.work, other->work)))
      next = std::min(next, other->firstHappening);
  return next;
}

void placeLaunch(LaunchRaces &launch, WorkPath work, const QueueClock *host) {
  launch.work = std::move(work);
  Launches &all = launches();
  std::lock_guard lock(all.mutex);
  auto isSeen = [&](const LaunchRaces &other) {
    return other.isOver && !other.work.empty() &&
           host->of(other.work[0].queue) >= other.work[0].number;
  };
  while (host && all.live == 1 &&
         isSeen(*all.all.front())) { // it comes before all that will follow
    all.all.pop_front();
    ++all.first;
  }
  launch.floor = floorOf(all, launch, launch.firstHappening);
}

/// Work that was asked for before is mostly over by now.
void beginBlocks(LaunchRaces &launch) {
  if (launch.hasBegun.load(std::memory_order_acquire))
    return;
  Launches &all = launches();
  std::lock_guard lock(all.mutex);
  if (launch.hasBegun.load(std::memory_order_relaxed))
    return;
  if (GlobalShadow::get().next() != launch.firstHappening)
    launch.floor = floorOf(all, launch, GlobalShadow::get().next());
  launch.hasBegun.store(true, std::memory_order_release);
}

const Birth *birthWithin(const LaunchRaces &launch, uint32_t other) {
  for (const LaunchRaces *one = &launch; one && one->isChild;
       one = launchOfNumber(one->birth.parent))
    if (one->birth.parent == other)
      return &one->birth;
  return nullptr;
}

bool isUnseenChild(const LaunchRaces &launch, uint32_t number) {
  const LaunchRaces *other = launchOfNumber(number);
  return other && birthWithin(*other, launch.number) && !hasSeenChild(launch, other->work);
}

bool isOrdered(const LaunchRaces &launch, uint32_t number) {
  const LaunchRaces *other = launchOfNumber(number);
  return !other || mayBeOrdered(launch, *other);
}

bool isWithoutRace(const CheckedLaunch &checked) {
  auto *races = static_cast<LaunchRaces *>(checked.races);
  if (!races)
    return false;
  std::lock_guard lock(races->mutex);
  return races->races.empty() && !races->mayRace;
}

void endLaunch(const Launch *launch) {
  void *&state = const_cast<CheckedLaunch *>(launch->check)->races;
  auto *races = static_cast<LaunchRaces *>(std::exchange(state, nullptr));
  if (!races)
    return;
  if (device::isCutOff(launch))
    races->remote.clear();
  endLaunch(*races);
}

LaunchRaces &beginCopy(WorkPath path, uint32_t origin) {
  Launches &all = launches();
  LaunchRaces *races;
  {
    std::lock_guard lock(all.mutex);
    ++all.live;
    races = all.all.emplace_back(std::make_unique<LaunchRaces>(origin, all.next++)).get();
    races->firstHappening = races->floor = GlobalShadow::get().next();
  }
  placeLaunch(*races, std::move(path), nullptr);
  return *races;
}

static void noteRaces(const LaunchRaces &races) {
  std::set<std::pair<std::string_view, uint32_t>> wrong; // lines
  for (auto &[kind, race] : races.races)
    if (isError(kind.flaw))
      wrong.insert(lineOf(*kind.first));
  for (auto &[kind, race] : races.races)
    if (isError(kind.flaw) || !wrong.contains(lineOf(*kind.first)))
      note(findingOf(races, kind, toTell(races, kind, race)));
}

void noteRacesUnderWay() {
  std::vector<LaunchRaces *> underWay; // who tells of them looks up others
  {
    Launches &all = launches();
    std::lock_guard lock(all.mutex);
    for (auto &races : all.all)
      if (!races->isOver)
        underWay.push_back(races.get());
  }
  for (LaunchRaces *races : underWay) {
    std::lock_guard own(races->mutex);
    noteRaces(*races);
  }
}

void endLaunch(LaunchRaces &ended) {
  LaunchRaces *races = &ended;
  if (!races->remote.empty())
    BlockRaces::endBlocksOf(*races);
  races->remote.clear();
  noteRaces(*races);
  races->released.clear();
  races->clusters.clear();
  Launches &all = launches();
  std::lock_guard lock(all.mutex);
  races->isOver = true;
  --all.live;
}

} // namespace heddle::check
