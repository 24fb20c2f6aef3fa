// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/allocations.h"
#include "check/api_errors.h"
#include "check/check.h"
#include "check/findings.h"
#include "check/float.h"
#include "check/heap.h"
#include "check/host_access.h"
#include "check/host_stack.h"
#include "check/init/init.h"
#include "check/init/uses.h"
#include "check/memcheck.h"
#include "check/race/async.h"
#include "check/race/copies.h"
#include "check/race/host.h"
#include "check/race/launch.h"
#include "check/race/race.h"
#include "check/settings.h"
#include "check/sync.h"
#include "check/sync_steps.h"
#include "device/checks.h"
#include "device/service_guard.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace heddle::check {

namespace {

bool isOn = false;
int (*errorOfFault)(uint32_t);
void (*waitForWork)();

bool looksForRaces() { return settings().checks & CheckRaces; }

bool looksForWildAccesses() { return settings().checks & CheckMemory; }

/// Of an access, for the checks that look at all.
void accessesEach(Block *block, uint32_t warp, uint32_t lanes, const AccessSite *site,
                  uint8_t *const *pointers, uint64_t length, const void *values) {
  if (looksForWildAccesses())
    if (uint8_t *const *before = beforeMove(pointers[0], lanes))
      pointers = before;
  if (!lanes)
    return;
  if (tracksUses())
    useOfEach(lanes, *site, pointers, length);
  if (!looksForRaces())
    return;
  lookForCopiesUnderWay(block, warp, lanes, *site, pointers, length);
  raceOfEach(block, warp, lanes, site, pointers, length, values);
}
void accessesRun(Block *block, uint32_t warp, uint32_t lanes, const AccessSite *site,
                 uint8_t *first, int64_t stride, uint64_t length, const void *values) {
  uint32_t good = lanes;
  if (looksForWildAccesses())
    if (uint8_t *const *before = beforeMove(first, good))
      return accessesEach(block, warp, good, site, before, length, values);
  if (tracksUses())
    useOfRun(lanes, *site, first, stride, length);
  if (!looksForRaces())
    return;
  lookForCopiesUnderWay(block, warp, lanes, *site, first, stride, length);
  raceOfRun(block, warp, lanes, site, first, stride, length, values);
}

void ordered(Block *block, uint32_t program, uint32_t lanes, OrderEvent event, uint32_t detail,
             const void *more) {
  if (looksForRaces())
    orderThreads(block, program, lanes, event, detail, more);
}

/// Launches that are not over. Never destroyed.
struct Running {
  std::mutex mutex;
  std::condition_variable isOver;
  std::set<const Launch *> launches;
};
Running &running() {
  static Running &running = *new Running;
  return running;
}

/// A program that ends does not wait for its kernels; what they do wrong is to be told, too. A kernel
/// may wait for the host, so not for ever.
void waitForLaunches() {
  constexpr auto Patience = std::chrono::seconds(10);
  {
    std::unique_lock lock(running().mutex);
    running().isOver.wait_for(lock, Patience, [] { return running().launches.empty(); });
  }
  if (!hasUncheckedLaunches())
    return;
  struct Work { // no std::promise (driver/rooms.h says why)
    std::mutex mutex;
    std::condition_variable changed;
    bool isOver = false;
  };
  auto work = std::make_shared<Work>();
  std::thread([work] {
    waitForWork();
    std::lock_guard lock(work->mutex);
    work->isOver = true;
    work->changed.notify_all();
  }).detach();
  std::unique_lock lock(work->mutex);
  work->changed.wait_for(lock, Patience, [&] { return work->isOver; });
}

void launchBegins(Launch *launch, CheckedLaunch &checked) {
  {
    std::lock_guard lock(running().mutex);
    running().launches.insert(launch);
  }
  checked.findingsBefore = notedFindings();
  static constexpr uint8_t None[NoCheckedParam + 1] = {};
  if (tracksUses()) // all accesses are to be told
    checked.cannotRace = None;
  if (looksForRaces() && checked.checks & CheckRaces)
    beginLaunch(launch, checked);
}
void childBegins(CheckedLaunch &child, Block *by, uint32_t thread, bool isTail) {
  if (looksForRaces() && child.races && by->launch->check->races)
    noteBirth(*static_cast<LaunchRaces *>(child.races), by, thread, isTail);
}
bool hasFoundNothing(const CheckedLaunch &checked) {
  return notedFindings() == checked.findingsBefore &&
         (!(checked.checks & CheckRaces) || (looksForRaces() && isWithoutRace(checked)));
}
void noteOrderOfWork(const device::OrderStep &step) {
  if (looksForRaces())
    noteOrder(step);
}
void touched(const void *operation, const device::TouchedRows &rows) {
  if (looksForRaces())
    raceOfCopy(operation, rows);
}
void memoryBegins(const void *address, uint64_t bytes) {
  if (looksForRaces())
    GlobalShadow::get().forget(reinterpret_cast<uintptr_t>(address), bytes);
}
void heapEnds(Bounds heap) {
  if (looksForRaces())
    GlobalShadow::get().drop(heap.low);
}
void launchOver(const Launch *launch) {
  if (looksForRaces())
    endLaunch(launch);
  settleFindings();
  std::lock_guard lock(running().mutex);
  running().launches.erase(launch);
  if (running().launches.empty())
    running().isOver.notify_all();
}

using device::guarded;
device::Checker services = {
    {guarded<lookOutside>, guarded<moveWritten>, guarded<accessesRun>, guarded<accessesEach>,
     guarded<ordered>, guarded<atBarrier>, guarded<pastBarriers>, guarded<atWarpOperation>,
     guarded<atSyncStep>, guarded<reportNumbers>, guarded<findShadow>, guarded<reportUninitialized>,
     guarded<copyShadow>, guarded<allocateInKernel>, guarded<releaseInKernel>},
    launchBegins,
    childBegins,
    hasFoundNothing,
    noteOrderOfWork,
    touched,
    memoryBegins,
    heapEnds,
    launchOver,
    isGone,
    nullptr,
    nullptr,
    reportStuck,
    reportFault,
    waitsForEver,
    touchedHidden,
    touchedNothing,
    touchedByHost,
    nullptr};

} // namespace

void start(const HostFacts &facts) {
  if (!settings().checks)
    return;
  setHostFacts(facts);
  services.isForeign = facts.isForeign;
  services.isSampled = facts.isSampled;
  errorOfFault = facts.errorOfFault;
  waitForWork = facts.waitForWork;
  setHostSymbolizer(facts.symbolize);
  if ((settings().checks & CheckInit) && startInit())
    services.shadowLaunch = shadowLaunch;
  services.findsOverruns = settings().checks & CheckMemory;
  device::setChecker(&services);
  if (settings().checks & CheckMemory)
    startHostAccesses();
  if (settings().seed)
    device::shuffleOrder(settings().seed);
  isOn = true;
}

/// Code that tells of all accesses is that of racecheck.
uint32_t checks() {
  if (!isOn)
    return 0;
  return settings().checks | (needsAllAccesses() ? CheckRaces : 0);
}

bool needsAllAccesses() { return tracksUses(); }

bool choosesKernel(const std::string &mangled, const std::string &shown) {
  return isChosen(settings(), mangled, shown);
}

bool choosesLaunch() {
  static std::atomic<uint64_t> launches = 0;
  uint64_t number = launches.fetch_add(1, std::memory_order_relaxed);
  return number >= settings().launchSkip && number - settings().launchSkip < settings().launchCount;
}

void registered(const void *base, uint64_t bytes, bool isVariable) {
  if (!isOn || !looksForRaces())
    return;
  GlobalShadow::get().keep({static_cast<const uint8_t *>(base), bytes});
  addHostMemory({static_cast<const uint8_t *>(base), bytes}, isVariable);
  device::noteHostMemory(isVariable);
}
void unregistered(const void *base) {
  if (!isOn || !looksForRaces())
    return;
  GlobalShadow::get().drop(base);
  dropHostMemory(base);
}

bool looksAtPools() { return isOn && looksForRaces(); }
void poolMemoryBegins(const void *base, uint64_t bytes) {
  if (looksAtPools())
    memoryBegins(base, bytes);
}

void callBegins(const char *function) {
  noteDriverCall(function);
  if (looksForRaces())
    endHostCode();
}

void callEnds() { noteDriverCall(nullptr); }

void tellInCall() {
  tellInitFindings();
  tellCopyRaces();
  tellHostRaces();
  lookAtHostAccesses();
  if (hasFindingsToTell())
    tellFindings();
  if (looksForRaces())
    watchHostCode();
}

void prepareEnd() {
  if (!isOn || device::isForkedCopy())
    return;
  if (looksForRaces())
    endHostCode(/*endsProgram=*/true);
  waitForLaunches();
  tellHostAccesses();
  tellCopyRaces();
  tellHostRaces();
  reportUnused();
  tellUnreadErrors(errorOfFault);
  tellInitFindings();
  settleFindings(); // as long as lines of host code can be looked up
  tellFindings();
  prepareLeaks();
}

void finish() {
  if (!isOn || device::isForkedCopy())
    return;
  reportLeaks();
  summarize();
}

/// First what needs no lock but the findings' own: `heddle check` has it even if the rest cannot be
/// had (driver/program_end.h).
void finishEarly() {
  if (!isOn || device::isForkedCopy())
    return;
  settleFindings();
  tellHostAccesses();
  tellCopyRaces();
  tellHostRaces();
  if (looksForRaces())
    noteRacesUnderWay();
  tellUnreadErrors(errorOfFault);
  tellInitFindings();
  reportLeaks();
  summarize();
}

} // namespace heddle::check
