// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/init/init.h"

#include "base/abi/kernel_abi.h"
#include "base/messages/messages.h"
#include "check/allocations.h"
#include "check/findings.h"
#include "check/host_stack.h"
#include "check/init/shadow.h"
#include "check/init/uses.h"
#include "check/memcheck.h"
#include "check/reports.h"
#include "check/settings.h"
#include "check/sites.h"
#include "device/checks.h"

#include <atomic>
#include <cstring>
#include <mutex>

#include <dlfcn.h>

namespace heddle::check {

namespace {

std::atomic<bool> isOn = false;

/// Findings in host code, told of in the next call of the API: they may arise on any thread.
struct Waiting {
  std::mutex mutex;
  std::vector<Finding> findings;
  std::atomic<bool> any = false;
};
Waiting &waiting() {
  static Waiting &waiting = *new Waiting; // never destroyed: programs go on behind main
  return waiting;
}

/// `stack`: where.
void tellLater(Finding finding, uint32_t stack) {
  finding.launch = stack; // looked up later
  std::lock_guard lock(waiting().mutex);
  waiting().findings.push_back(std::move(finding));
  waiting().any = true;
}

/// Messages of other processes are written where they are to arrive, which nobody tells of.
bool hasMessages() {
  static const bool has = dlsym(RTLD_DEFAULT, "MPI_Init") || dlsym(RTLD_DEFAULT, "mpi_init_");
  return has;
}

/// The kind of memory, where the code does not know it.
AccessSpace spaceOf(Block *block, const AccessSite &site, const void *address) {
  using Kind = device::MemoryPlace::Kind;
  if (site.space != AccessSpace::Generic || !address)
    return site.space;
  switch (device::placeOf(block, address).kind) {
  case Kind::Global:
  case Kind::Heap:
    return AccessSpace::Global;
  case Kind::Shared:
    return AccessSpace::Shared;
  default:
    return AccessSpace::Generic;
  }
}

void describe(Finding &finding, const AccessSite &site, const uint8_t *address) {
  char text[64];
  snprintf(text, sizeof(text), "nothing has written to address 0x%zx",
           reinterpret_cast<size_t>(address));
  std::string what = text;
  if (site.variable)
    what += " of '" + std::string(site.variable) + "'";
  Bounds allocation = device::allocationAt(address);
  if (allocation.bytes)
    what += ", byte " + std::to_string(address - allocation.low) + " of an allocation of " +
            counted(allocation.bytes, "byte");
  finding.notes.push_back({what, {}});
  if (allocation.bytes)
    describeObject(address, allocation.low, finding.notes);
}

} // namespace

bool startInit() {
  isOn = InitShadow::get().isReserved();
  if (!isOn)
    tellf("heddle: initcheck: there is no room for shadow memory\n");
  return isOn;
}

bool looksForUnwritten() { return isOn.load(std::memory_order_relaxed); }

void initBegins(const void *base, uint64_t bytes) {
  if (!looksForUnwritten() || !base || hasMessages())
    return;
  InitShadow::get().begin(base, bytes);
  if (tracksUses()) // what was there before nobody has to read
    Uses::get().end(base, bytes);
}

/// --track-unused-memory: an allocation ends, or the program.
static void lookForUnused(const void *base) {
  AllocationNote note;
  if (!settings().findsUnused || !InitShadow::get().isTracked(base) ||
      !findAllocationNote(base, note))
    return;
  auto tell = [&](const char *kind, const char *what, uint64_t bytes) {
    if (!bytes)
      return;
    Finding finding;
    finding.tool = "initcheck";
    finding.kind = kind;
    finding.text = what + counted(bytes, "byte") + " of " + std::to_string(note.bytes) + " of " +
                   note.what + " memory";
    tellLater(std::move(finding), note.allocated);
  };
  tell("unused-memory", "Nothing has written to ", InitShadow::get().unwritten(base, note.bytes));
  tell("unread-memory", "Nothing has read what kernels have written to ",
       Uses::get().end(base, note.bytes));
}

static void lookForUnreadCopies() {
  for (const Uses::Copies &copies : Uses::get().unreadCopies()) {
    Finding finding;
    finding.tool = "initcheck";
    finding.kind = "unread-copy";
    finding.text = "Nothing has read " + counted(copies.unread, "byte") + " of " +
                   std::to_string(copies.bytes) + " that were written to device memory";
    tellLater(std::move(finding), copies.stack);
  }
}

void initEnds(const void *base, bool isFreed) {
  if (!looksForUnwritten())
    return;
  if (isFreed)
    lookForUnused(base);
  else if (tracksUses())
    Uses::get().stop();
  InitShadow::get().end(base);
}

/// Only of memory whose end is told of.
static void noteWriter(uint32_t stack, const void *p, uint64_t bytes) {
  if (tracksUses())
    Uses::get().writtenBy(InitShadow::get().isIn(p) ? stack : 0, p, bytes);
}

void initWritten(const void *p, uint64_t bytes, uint32_t stack) {
  if (!looksForUnwritten())
    return;
  InitShadow::get().write(p, bytes);
  noteWriter(stack, p, bytes);
}

void initCopied(void *to, const void *from, uint64_t bytes, uint32_t stack) {
  if (!looksForUnwritten())
    return;
  InitShadow::get().copy(to, from, bytes);
  if (tracksUses())
    Uses::get().read(from, bytes);
  noteWriter(stack, to, bytes);
}

void initUnchecked() {
  if (looksForUnwritten() && tracksUses())
    Uses::get().stop();
}

void initUnknown() {
  if (looksForUnwritten())
    InitShadow::get().endAll();
  initUnchecked();
}

static std::atomic<int64_t> pending = 0;
void initPending(int change) { pending += change; }
bool initMayChange() { return pending != 0; }
bool initMustLook(const void *p) { return InitShadow::get().mustTrack(p); }

uint64_t initUnwritten(const void *p, uint64_t bytes) {
  return looksForUnwritten() ? InitShadow::get().unwritten(p, bytes) : 0;
}

uint64_t readByLibrary(const void *p, uint64_t bytes) {
  if (!looksForUnwritten())
    return 0;
  if (tracksUses())
    Uses::get().read(p, bytes);
  return initUnwritten(p, bytes);
}

static void reportUnwritten(const char *kind, const std::string &text, const void *from,
                            uint32_t stack) {
  Finding finding;
  finding.tool = "initcheck";
  finding.kind = kind;
  finding.text = text;
  Bounds allocation = device::allocationAt(from);
  if (allocation.bytes)
    describeObject(from, allocation.low, finding.notes);
  tellLater(std::move(finding), stack);
}

void reportUnwrittenCopy(const void *from, uint64_t bytes, uint32_t stack) {
  reportUnwritten("uninitialized-copy",
                  "Copy to the host of " + counted(bytes, "byte") + " that nothing has written",
                  from, stack);
}

void reportUnwrittenRead(const void *from, uint64_t bytes, uint32_t stack) {
  reportUnwritten("uninitialized-read",
                  "Read of " + counted(bytes, "byte") + " that nothing has written", from, stack);
}

void tellInitFindings() {
  if (!waiting().any)
    return;
  std::vector<Finding> findings;
  {
    std::lock_guard lock(waiting().mutex);
    findings.swap(waiting().findings);
    waiting().any = false;
  }
  for (Finding &finding : findings) {
    std::string api = callNameOf(finding.launch);
    if (!api.empty())
      finding.text += (finding.kind == "unread-copy"          ? ", by "
                       : finding.kind == "uninitialized-copy" ? ", in "
                       : finding.kind == "uninitialized-read" ? ", by "
                                                              : ", allocated by ") +
                      api;
    finding.frames = framesOfStack(finding.launch);
    finding.launch = 0;
    note(std::move(finding));
  }
}

void reportUnused() {
  if (!looksForUnwritten() || !tracksUses())
    return;
  for (const InitShadow::Range &range : InitShadow::get().allocations())
    lookForUnused(range.base);
  lookForUnreadCopies();
}

void shadowLaunch(ShadowedMemory &shadow, const uint64_t *pointers, size_t count,
                  uint64_t *tracked) {
  InitShadow &all = InitShadow::get();
  shadow = all.layout();
  // What runs before it may make memory unwritten: a pool's allocation, a copy by a kernel.
  bool mayChange = initMayChange() || device::liveCheckedLaunches() > 1;
  for (size_t i = 0; i < count; ++i) {
    const auto *pointer = reinterpret_cast<const uint8_t *>(pointers[i]);
    bool isTracked = mayChange ? all.contains(pointer) : all.mustTrack(pointer);
    tracked[i] = isTracked ? shadow.bytes : 0;
  }
  shadow.tracked = tracked;
}

/// Of one address: its shadow, or null.
static uint8_t *shadowAt(const Block *block, uint8_t *address) {
  InitShadow &all = InitShadow::get();
  if (all.contains(address))
    return all.shadowOf(address);
  device::ShadowOfHeap place = device::sharedShadowOf(block, address);
  if (!place.shadow)
    place = device::heapShadowOf(block, address);
  return place.bytes >= MostShadowed || !place.shadow ? place.shadow : nullptr;
}

void findShadow(Block *block, uint32_t lanes, uint8_t **pointers, uint32_t isRun, uint8_t *other) {
  if (isRun) {
    auto first = static_cast<uint32_t>(__builtin_ctz(lanes));
    uint8_t *shadow = shadowAt(block, pointers[first]);
    pointers[0] = shadow ? shadow - (pointers[first] - pointers[0]) : other;
    return;
  }
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    uint8_t *&pointer = pointers[__builtin_ctz(rest)];
    uint8_t *shadow = shadowAt(block, pointer);
    pointer = shadow ? shadow : other;
  }
}

void reportUninitialized(Block *block, uint32_t warp, uint32_t lanes, const AccessSite *site,
                         uint8_t *const *pointers) {
  auto first = static_cast<uint32_t>(__builtin_ctz(lanes));
  if (site->kind == AccessKind::Write) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
      InitShadow::get().spread(pointers[__builtin_ctz(rest)]);
    return;
  }
  AccessSite told = *site;
  told.space = spaceOf(block, *site, pointers[first]);
  Finding finding;
  finding.tool = "initcheck";
  finding.kind = "uninitialized-read";
  finding.text = "Uninitialized " + describeAccess(told, site->bytes);
  placeFinding(finding, block, warp, first, *site);
  finding.threads = static_cast<uint64_t>(__builtin_popcount(lanes));
  if (pointers[first])
    describe(finding, *site, pointers[first]);
  note(std::move(finding));
}

void copyShadow(Block *block, uint8_t *to, const uint8_t *from, uint64_t bytes) {
  if (!bytes)
    return;
  InitShadow &all = InitShadow::get();
  if (from && all.contains(to) && all.contains(from))
    return all.copy(to, from, bytes);
  uint8_t *shadow = shadowAt(block, to);
  if (!shadow)
    return;
  const uint8_t *source = from ? shadowAt(block, const_cast<uint8_t *>(from)) : nullptr;
  if (!source) {
    std::memset(shadow, 0, bytes);
    return;
  }
  std::memmove(shadow, source, bytes);
  all.spread(to);
}

} // namespace heddle::check
