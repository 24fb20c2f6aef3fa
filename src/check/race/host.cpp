// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code that accesses memory which a kernel or a copy accesses, and that has not waited for it.
//
// What host code does comes before all work that is asked for later. So it is enough to compare an
// access with the records of what was asked for before and was not waited for. When a call of the API
// ends and there is such work, it is brought to its end, and host code is watched until the next
// call (device/cpu/memory/watched.cpp). The shadow does not change meanwhile. Work that may wait for
// the host is let alone, and nothing is looked at until it is over.
//
// A kernel that fences for the whole system, or whose atomic accesses of system scope or volatile
// ones are what the host accesses, may be in an order with it.
#include "check/race/host.h"

#include "check/findings.h"
#include "check/host_stack.h"
#include "check/memcheck.h"
#include "check/race/launch.h"
#include "check/reports.h"
#include "check/sites.h"

#include <algorithm>
#include <atomic>

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

namespace heddle::check {

namespace {

constexpr size_t MostTouches = 64, MostFrames = 48, PageBytes = 4096;

/// Host code's side, and the other one.
struct Touch {
  const void *address;
  bool isWrite;
  int count;
  void *frames[MostFrames];
  RaceSide other;
  std::atomic<bool> isReady;
};

Touch touches[MostTouches];
std::atomic<size_t> noted = 0, told = 0;
std::atomic<bool> isEnding = false;

struct HostMemory {
  std::mutex mutex;
  std::vector<std::pair<const void *, Bounds>> all; ///< by where it begins: its pages
};
HostMemory &hostMemory() {
  static HostMemory &memory = *new HostMemory;
  return memory;
}

/// What the handler of faults needs itself must not lie there: of memory of malloc only pages that
/// are whole. Variables of a program lie beside variables of the program.
Bounds pagesOf(Bounds bounds, bool isVariable) {
  auto first = reinterpret_cast<uintptr_t>(bounds.low), last = first + bounds.bytes;
  (isVariable ? last : first) += PageBytes - 1;
  first &= ~(PageBytes - 1), last &= ~(PageBytes - 1);
  return {reinterpret_cast<const uint8_t *>(first), first < last ? last - first : 0};
}

std::vector<Bounds> hostPages() {
  HostMemory &memory = hostMemory();
  std::lock_guard lock(memory.mutex);
  std::vector<Bounds> pages;
  auto isIn = [&](Bounds one) { // another variable of the same page
    return std::ranges::any_of(pages, [&](Bounds page) {
      return one.low < page.low + page.bytes && page.low < one.low + one.bytes;
    });
  };
  for (auto &[base, one] : memory.all)
    if (!isIn(one))
      pages.push_back(one);
  return pages;
}

bool isOfStack(Bounds bounds) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return true;
  void *low = nullptr;
  size_t bytes = 0;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  return bounds.low < static_cast<uint8_t *>(low) + bytes && bounds.low + bounds.bytes > low;
}

/// Nothing puts it in an order with what the host does now.
bool isUnseen(const Happening &happening) {
  const LaunchRaces *launch = launchOfNumber(happening.launch);
  return launch && !launch->reachesAll && !launch->hasReleases && !isSeenByHost(launch->work);
}

/// All records of words that are not in an order with the host's accesses.
template <typename F> void eachUnseen(uintptr_t low, uintptr_t high, F &&look) {
  uint32_t lastLaunch = 0;
  bool isLastUnseen = false;
  GlobalShadow &shadow = GlobalShadow::get();
  for (uintptr_t at = low; at < high;) {
    Words words = shadow.at(at);
    // Of a page of the program's only some variables are looked at.
    size_t count = words.first ? std::min<size_t>(words.count, (high - at + 3) / 4) : 1;
    for (size_t word = 0; words.first && word < count; ++word)
      for (unsigned i = 0; i < 3; ++i) {
        Record record = readRecord(words.slot(i) + word);
        uint32_t number = happeningOf(record);
        if (!number || number >= shadow.next())
          continue;
        const Happening &happening = shadow.happening(number);
        if (happening.launch != lastLaunch) {
          lastLaunch = happening.launch;
          isLastUnseen = isUnseen(happening);
        }
        if (isLastUnseen && look(happening, record))
          return;
      }
    at += count * 4;
  }
}

bool isAnyUnseen(uintptr_t low, uintptr_t high) {
  bool isAny = false;
  eachUnseen(low, high, [&](const Happening &, Record) { return isAny = true; });
  return isAny;
}

/// May be meant for host code that polls.
bool isForHost(const AccessSite &site) {
  return isStrong(site) && (site.isVolatile || site.scope == AccessScope::System);
}

void noteTouch(const void *address, const void *code, bool isWrite, const RaceSide &other) {
  size_t number = noted.fetch_add(1);
  if (number >= MostTouches)
    return;
  Touch &touch = touches[number];
  touch.address = address;
  touch.isWrite = isWrite;
  touch.other = other;
  touch.count = framesFrom(code, touch.frames, MostFrames);
  touch.isReady.store(true, std::memory_order_release);
}

const char *nameOf(AccessKind kind) {
  return kind == AccessKind::Read    ? "read"
         : kind == AccessKind::Write ? "write"
                                     : "atomic operation";
}

Note otherNote(const RaceSide &side) {
  const LaunchRaces *launch = launchOfNumber(side.launch);
  std::string text = std::string("the other ") + nameOf(side.site->kind);
  if (launch && launch->kernel.empty()) {
    std::string api = callNameOf(launch->origin);
    return {text + " by " + (api.empty() ? "a copy" : api), {}, launch->origin};
  }
  if (launch) {
    Thread thread = launch->threadOf(side.block, side.thread);
    text += " by thread " + tupleText(thread.thread) + " in block " + tupleText(thread.block) +
            " of kernel " + launch->kernel;
  }
  return {text, framesOf(*side.site)};
}

void tell(const Touch &touch) {
  uint32_t stack = hostStackAt(touch.frames, static_cast<size_t>(touch.count));
  if (!stack)
    return;
  bool areWrites = touch.isWrite && touch.other.site->kind == AccessKind::Write;
  Finding finding;
  finding.frames = framesOfStack(stack);
  finding.tool = "racecheck";
  finding.kind = areWrites ? "race-write-write" : "race-read-write";
  const LaunchRaces *launch = launchOfNumber(touch.other.launch);
  finding.text = std::string("Race between ") +
                 (areWrites ? "two writes"
                            : std::string(touch.isWrite ? "write" : "read") + " and " +
                                  nameOf(touch.other.site->kind)) +
                 " of memory, here by host code";
  finding.notes.push_back(otherNote(touch.other));
  finding.notes.push_back({"the host has not waited for it", {}});
  describeObject(touch.address, nullptr, finding.notes);
  if (launch && !launch->kernel.empty())
    finding.notes.push_back({"the kernel was launched", {}, launch->origin});
  note(std::move(finding));
}

} // namespace

void addHostMemory(Bounds bounds, bool isVariable) {
  Bounds pages = pagesOf(bounds, isVariable);
  if (!pages.bytes || isOfStack(pages))
    return;
  std::lock_guard lock(hostMemory().mutex);
  hostMemory().all.push_back({bounds.low, pages});
}

void dropHostMemory(const void *base) {
  std::lock_guard lock(hostMemory().mutex);
  std::erase_if(hostMemory().all, [&](auto &one) { return one.first == base; });
}

void watchHostCode() {
  static const bool hasMpi = dlsym(RTLD_DEFAULT, "MPI_Init") || dlsym(RTLD_DEFAULT, "mpi_init_");
  if (!device::hasHostMemory() || isEnding)
    return;
  if (hasHostSeenAll())
    return forgetLaunches();
  if (hasMpi || noted >= MostTouches)
    return;
  if (device::settle())
    device::watchHost(hostPages());
}

void endHostCode(bool endsProgram) {
  if (endsProgram)
    isEnding = true;
  device::unwatchHost();
}

device::HostTouch touchedByHost(const void *address, const void *code, bool isWrite) {
  constexpr uintptr_t PieceBytes = 64 << 10;
  auto at = reinterpret_cast<uintptr_t>(address);
  bool isRace = false;
  eachUnseen(
      at & ~uintptr_t(3), (at & ~uintptr_t(3)) + 4, [&](const Happening &other, Record record) {
        isRace = other.bytes >> (at & 3) & 1 && (isWrite || other.site->kind != AccessKind::Read) &&
                 !isForHost(*other.site);
        if (isRace)
          noteTouch(address, code, isWrite,
                    {other.site, other.launch, other.block, threadOf(record)});
        return isRace;
      });
  if (isRace)
    return noted >= MostTouches ? device::HostTouch::EndsAll : device::HostTouch::EndsPage;
  uintptr_t page = at & ~(PageBytes - 1), piece = at & ~(PieceBytes - 1);
  if (isAnyUnseen(page, page + PageBytes))
    return device::HostTouch::GoesOn;
  return isAnyUnseen(piece, piece + PieceBytes) ? device::HostTouch::EndsPage
                                                : device::HostTouch::EndsPiece;
}

void tellHostRaces() {
  static std::atomic_flag busy = ATOMIC_FLAG_INIT;
  if (told >= std::min(noted.load(), MostTouches) || busy.test_and_set())
    return;
  while (told < MostTouches && touches[told].isReady.load(std::memory_order_acquire))
    tell(touches[told++]);
  busy.clear();
}

} // namespace heddle::check
