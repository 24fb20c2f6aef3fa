// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that compiled code takes for outside of their object, or cannot tell. A lane that is
// outside is reported and goes on in memory of ours that does no harm, so that one run shows many
// errors, and what it would have destroyed stays as it was: it reads zeros, and what it writes is
// lost. The other lanes of a run go there with it, so what they read is brought there before, and
// what they write is taken back behind the access (`moveWritten`).
#include "check/memcheck.h"

#include "base/abi/kernel_abi.h"
#include "check/allocations.h"
#include "check/findings.h"
#include "check/heap.h"
#include "check/settings.h"
#include "check/sites.h"

#include <cstring>

namespace heddle::check {

namespace {

HostFacts facts;

/// Where lanes of a worker go that may not go where they want.
struct Harmless {
  alignas(64) uint8_t bytes[16384];
  std::vector<uint8_t> more; ///< for long copies
  AccessedMemory run;        ///< as it was before the last run was moved
  uint32_t good = 0;
  bool isRun = false; ///< what was looked at last is such a run
};
/// The calling worker's. Workers live as long as the process.
Harmless &harmless() {
  static thread_local Harmless *own = nullptr; // a word: the loader keeps little room
  if (!own)
    own = new Harmless;
  return *own;
}

enum class Verdict : uint8_t { Good, Outside, Freed, Foreign, Misaligned };

/// In what was freed, and is nothing else yet.
bool isFreed(const Launch *launch, const device::MemoryPlace &place, const uint8_t *address) {
  using Kind = device::MemoryPlace::Kind;
  Kind kind = place.kind;
  if (kind == Kind::Global)
    return isGone(place.bounds.low, device::callOf(launch));
  HeapBlock block;
  if (kind == Kind::Heap || kind == Kind::Free)
    if (findHeapBlock(address, block) && static_cast<uint64_t>(address - block.base) < block.bytes)
      return block.isFreed;
  const void *base;
  AllocationNote freed;
  return kind == Kind::Free && findFreedAllocation(address, base, freed);
}

Verdict judge(Block *block, const AccessSite &site, const AccessedMemory &memory,
              const uint8_t *address) {
  if (reinterpret_cast<uintptr_t>(address) & ((uintptr_t(1) << site.align) - 1))
    return Verdict::Misaligned;
  if (memory.bounds.bytes)
    return Verdict::Outside;
  using Kind = device::MemoryPlace::Kind;
  device::MemoryPlace place = device::placeOf(block, address);
  if (place.kind == Kind::Thread || (place.kind == Kind::None && facts.mayUse(address)))
    return Verdict::Good;
  if (isFreed(block->launch, place, address))
    return Verdict::Freed;
  if (place.kind == Kind::Global && facts.isForeign(device::deviceOfBlock(block), address))
    return Verdict::Foreign;
  if (place.kind == Kind::None || place.kind == Kind::Free)
    return Verdict::Outside;
  auto offset = static_cast<uint64_t>(address - place.bounds.low);
  bool isInside = offset < place.bounds.bytes && memory.length <= place.bounds.bytes - offset;
  return isInside ? Verdict::Good : Verdict::Outside;
}

/// "4 bytes behind", of an access of `length` bytes that is outside of [low, low + bytes).
std::string distance(const uint8_t *address, uint64_t length, const Bounds &bounds) {
  if (address < bounds.low)
    return std::to_string(bounds.low - address) + " bytes before";
  uint64_t offset = static_cast<uint64_t>(address - bounds.low);
  if (offset >= bounds.bytes)
    return std::to_string(offset - bounds.bytes) + " bytes behind";
  return std::to_string(offset + length - bounds.bytes) + " bytes over the end of";
}

void describe(Finding &finding, Verdict verdict, const AccessSite &site, const Block *block,
              const AccessedMemory &memory, const uint8_t *address) {
  std::string text = "address " + hexadecimal(address);
  if (verdict == Verdict::Misaligned) {
    const uint64_t align = uint64_t(1) << site.align;
    text += " is no multiple of " + std::to_string(align);
    if (align > memory.length) // of a float4, fields are read
      text += ", the alignment of the object that it is a part of";
    finding.notes.push_back({text, {}});
    return;
  }
  const Bounds &bounds = memory.bounds;
  std::string object = site.variable ? "'" + std::string(site.variable) + "'" : "";
  if (object.empty())
    object = site.space == AccessSpace::Local    ? "a local variable"
             : site.space == AccessSpace::Shared ? "shared memory"
             : site.space == AccessSpace::Param  ? "a parameter"
                                                 : "an allocation";
  object += " of " + std::to_string(bounds.bytes) + " bytes";
  if (bounds.low && bounds.bytes)
    text += " is " + distance(address, memory.length, bounds) + " " + object;
  else if (bounds.bytes)
    text += " is outside of " + object;
  else if (verdict == Verdict::Freed)
    text += " is in freed memory";
  else if (verdict == Verdict::Foreign)
    text += " belongs to another device, and peer access was not enabled";
  else
    text += " is in no memory that the kernel may use";
  finding.notes.push_back({text, {}});
  bool isAllocation = !site.variable && site.space != AccessSpace::Local &&
                      site.space != AccessSpace::Shared && site.space != AccessSpace::Param;
  HeapBlock heap;
  if (isAllocation && !bounds.bytes && device::placeOf(block, address).isOfHeap &&
      findHeapBlock(address, heap)) {
    if (verdict == Verdict::Outside)
      finding.notes.push_back(
          {"it is " + distance(address, memory.length, {heap.base, heap.bytes}) + " " +
               std::to_string(heap.bytes) + " bytes of the heap of malloc in kernels",
           {},
           0});
    return describeHeapBlock(heap, finding.notes);
  }
  if (isAllocation)
    facts.describe(address, bounds.bytes ? bounds.low : nullptr, finding.notes);
}

void report(Block *block, uint32_t warp, uint32_t lane, Verdict verdict, const AccessSite &site,
            const AccessedMemory &memory) {
  Finding finding;
  finding.tool = "memcheck";
  bool isMisaligned = verdict == Verdict::Misaligned, isFreed = verdict == Verdict::Freed;
  finding.kind = isMisaligned                  ? "misaligned-access"
                 : isFreed                     ? "use-after-free"
                 : verdict == Verdict::Foreign ? "peer-access"
                                               : "out-of-bounds-access";
  finding.text = (isMisaligned ? "Misaligned "
                  : isFreed    ? "Use after free: "
                               : "Invalid ") +
                 describeAccess(site, memory.length);
  placeFinding(finding, block, warp, lane, site);
  describe(finding, verdict, site, block, memory, memory.pointers[lane]);
  note(std::move(finding));
}

uint8_t *harmlessMemory(uint64_t bytes) {
  if (bytes <= sizeof(harmless().bytes))
    return harmless().bytes;
  if (harmless().more.size() < bytes)
    harmless().more.resize(bytes);
  return harmless().more.data();
}

/// Moves all lanes of a run by as much. What good lanes read comes with them.
void moveRun(AccessedMemory &memory, uint32_t lanes, uint32_t bad) {
  harmless().run = memory;
  harmless().good = lanes & ~bad;
  harmless().isRun = true;
  uint64_t span = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    span = std::max(
        span, static_cast<uint64_t>(memory.pointers[__builtin_ctz(rest)] - memory.pointers[0]));
  uint8_t *to = harmlessMemory(span + memory.length);
  std::memset(to, 0, span + memory.length);
  for (uint32_t rest = harmless().good; rest; rest &= rest - 1) {
    uint8_t *from = memory.pointers[__builtin_ctz(rest)];
    std::memcpy(to + (from - memory.pointers[0]), from, memory.length);
  }
  memory.pointers[0] = to;
  memory.isMoved = true;
}

} // namespace

void setHostFacts(const HostFacts &given) { facts = given; }

void describeObject(const void *address, const void *object, std::vector<Note> &notes) {
  facts.describe(address, object, notes);
}

bool reportFault(const device::FaultedLaunch &fault) {
  if (!(settings().checks & CheckMemory))
    return false;
  const void *base;
  AllocationNote freed;
  bool isFreed = fault.address && findFreedAllocation(fault.address, base, freed);
  Finding finding;
  finding.tool = "memcheck";
  finding.kind = isFreed ? "use-after-free" : fault.kind;
  finding.text = fault.text;
  if (fault.address)
    finding.text.insert(0, isFreed ? "Use after free: " : "Invalid ");
  else if (!finding.text.empty())
    finding.text[0] = static_cast<char>(std::toupper(finding.text[0]));
  finding.kernel = device::kernelNameOf(fault.launch);
  finding.launch = device::originOf(fault.launch);
  if (fault.where.line)
    finding.frames.push_back({fault.where.function, fault.where.file, fault.where.line});
  if (fault.hasThread)
    placeFinding(finding, *fault.launch, fault.block, fault.thread);
  finding.threads = fault.count;
  if (fault.address) {
    finding.notes.push_back({"address " + hexadecimal(fault.address), {}});
    facts.describe(fault.address, nullptr, finding.notes);
  }
  finding.notes.push_back({"the launch is cancelled and the context is lost", {}});
  note(std::move(finding));
  settleFindings(); // before the calls that fail of it
  return true;
}

void lookOutside(Block *block, uint32_t warp, uint32_t lanes, const AccessSite *site,
                 AccessedMemory *memory) {
  uint32_t bad = 0;
  for (uint32_t rest = lanes & memory->suspects; rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    Verdict verdict = judge(block, *site, *memory, memory->pointers[lane]);
    if (verdict == Verdict::Good)
      continue;
    bad |= 1u << lane;
    report(block, warp, lane, verdict, *site, *memory);
  }
  if (!bad)
    return;
  if (memory->isRun)
    return moveRun(*memory, lanes, bad);
  harmless().isRun = false;
  uint8_t *to = harmlessMemory(memory->length);
  std::memset(to, 0, memory->length);
  for (uint32_t rest = bad; rest; rest &= rest - 1)
    memory->pointers[__builtin_ctz(rest)] = to;
  if (!(lanes & 1)) // of an address that all lanes share, the code takes the first one's
    memory->pointers[0] = to;
}

uint8_t *const *beforeMove(const uint8_t *first, uint32_t &lanes) {
  if (!harmless().isRun || first != harmlessMemory(0))
    return nullptr;
  lanes &= harmless().good;
  return harmless().run.pointers;
}

void moveWritten(Block *) {
  const AccessedMemory &run = harmless().run;
  uint8_t *from = harmlessMemory(0);
  for (uint32_t rest = harmless().good; rest; rest &= rest - 1) {
    uint8_t *to = run.pointers[__builtin_ctz(rest)];
    std::memcpy(to, from + (to - run.pointers[0]), run.length);
  }
}

} // namespace heddle::check
