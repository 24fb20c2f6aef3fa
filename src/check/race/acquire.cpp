// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who reads a flag, or takes a lock, knows what was released there when a fence comes behind that
// reaches as far as the other thread is away, or if the read itself acquires (PTX ISA, "Memory
// consistency model", acquire patterns). Until then it has only seen it:
//
//     while (atomicCAS(&lock, 0, 1) != 0);        seen
//     __threadfence();                            known
//
// An atomic or volatile access needs no fence there: it goes to memory, behind the flag's, and never
// gets an old value from the first cache (ScoR's labels; conflicts.cpp). In PTX's model it does, and a
// volatile one of who has taken a lock does here, too (locks.cpp).
//
// Barriers hand on what was seen: a fence of any thread behind them makes that known to it. Without a
// fence the two accesses race, but a barrier of the block, which NVIDIA's samples take for enough,
// makes that no error (RaceFlaw::BarrierOnly).
#include "check/race/block.h"

namespace heddle::check {

void BlockRaces::see(uint32_t w, uint32_t lanes, const AccessSite &site, const Clock &clock,
                     unsigned reach, uintptr_t address) {
  if (!clock)
    return;
  learnOtherwise(w, lanes, address);
  if (site.order & OrderAcquire && (reach == 0 || site.scope != AccessScope::Block))
    return learn(w, lanes, clock);
  hasClocks = true;
  std::unique_ptr<WarpSeen> &seen = warps[w].seen;
  if (!seen)
    seen = std::make_unique<WarpSeen>();
  forEachLane(lanes, [&](uint32_t lane) {
    seen->clocks[reach][lane].join(clock);
    seen->sites[lane] = &site;
  });
}

/// Behind a fence.
void BlockRaces::learnSeen(uint32_t w, uint32_t lanes, AccessScope scope) {
  WarpSeen *seen = warps[w].seen.get();
  for (unsigned reach = 0; reach < (scope == AccessScope::Block ? 1u : 2u); ++reach) {
    learn(w, lanes, seenBefore[reach]);
    if (seen)
      forEachLane(lanes, [&](uint32_t lane) {
        learn(w, 1u << lane, seen->clocks[reach][lane]);
        seen->clocks[reach][lane].clear();
      });
  }
}

/// Lanes meet.
void BlockRaces::shareSeen(uint32_t w, uint32_t lanes) {
  WarpSeen &seen = *warps[w].seen;
  const AccessSite *site = nullptr;
  for (auto &clocks : seen.clocks) {
    Clock all;
    forEachLane(lanes, [&](uint32_t lane) {
      all.join(clocks[lane]);
      if (!site && seen.sites[lane])
        site = seen.sites[lane];
    });
    forEachLane(lanes, [&](uint32_t lane) { clocks[lane] = all; });
  }
  forEachLane(lanes, [&](uint32_t lane) { seen.sites[lane] = site; });
}

/// The block meets.
void BlockRaces::endSeen() {
  for (uint32_t w = 0; w < (threads + 31) / 32; ++w) {
    if (!warps[w].seen)
      continue;
    for (uint32_t lane = 0; lane < WarpLanes; ++lane) {
      for (unsigned reach = 0; reach < 2; ++reach)
        seenBefore[reach].join(warps[w].seen->clocks[reach][lane]);
      if (const AccessSite *site = warps[w].seen->sites[lane])
        seenBeforeAt = site;
    }
    warps[w].seen.reset();
  }
}

std::pair<SeenBy, const AccessSite *> BlockRaces::sees(uint32_t thread, uint32_t block,
                                                       uint32_t other, uint32_t before) const {
  auto says = [&](const Clock &clock) {
    const Known *known = clock.find(block);
    return known && before < known->of(other);
  };
  uint32_t lane = thread % WarpLanes;
  if (const WarpSeen *seen = warps[thread / WarpLanes].seen.get())
    if (says(seen->clocks[0][lane]) || says(seen->clocks[1][lane]))
      return {SeenBy::Thread, seen->sites[lane]};
  if (says(seenBefore[0]) || says(seenBefore[1]))
    return {SeenBy::Block, seenBeforeAt};
  return {SeenBy::Nobody, nullptr};
}

} // namespace heddle::check
