// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor copies (cp.async.bulk.tensor): what a box accesses in global and in shared memory, as if
// the thread did so itself. (Shadows of initcheck are copied where the copy is done:
// device/cpu/engine/services.cpp.)
#include "check/tensor.h"

#include "base/abi/kernel_abi.h"
#include "base/abi/tensor_map.h"
#include "check/allocations.h"
#include "check/init/init.h"
#include "check/memcheck.h"
#include "check/race/async.h"
#include "check/race/race.h"
#include "check/settings.h"
#include "device/checks.h"
#include "device/cpu/memory/tensor_copy.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace heddle::check {

namespace {

using device::cpu::TensorPiece;

/// What a copy is as an access. Never destroyed.
const AccessSite &siteOf(const SyncSite *site, AccessKind kind, AccessSpace space) {
  struct Sites {
    std::mutex mutex;
    std::map<std::tuple<const SyncSite *, AccessKind, AccessSpace>, AccessSite> all;
  };
  static Sites &sites = *new Sites;
  std::lock_guard lock(sites.mutex);
  auto [at, isNew] = sites.all.try_emplace({site, kind, space}, AccessSite{});
  AccessSite &access = at->second;
  if (isNew) {
    access.frames = site->frames;
    access.frameCount = site->frameCount;
    access.kind = kind;
    access.space = space;
    access.order = kind == AccessKind::Atomic ? OrderStrong : 0;
    access.scope = AccessScope::Device;
  }
  return access;
}

/// The shared memory of the cluster's block that an address lies in.
Bounds sharedAt(const Block &block, const void *address) {
  uint64_t bytes = block.launch->sharedBytes;
  auto holds = [&](const uint8_t *base) {
    return base && static_cast<uint64_t>(static_cast<const uint8_t *>(address) - base) < bytes;
  };
  if (holds(block.shared))
    return {block.shared, bytes};
  auto at = std::ranges::find_if(block.clusterShared, holds);
  return at == std::end(block.clusterShared) ? Bounds{nullptr, 0} : Bounds{*at, bytes};
}

/// One thread's.
class Copy {
public:
  Copy(Block *block, uint32_t warp, uint32_t lane, TensorCopy &copy, Bounds shared,
       const SyncSite *site)
      : block_(block), warp_(warp), lane_(lane), copy_(copy), shared_(shared),
        global_(siteOf(site, ofGlobal(copy), AccessSpace::Global)),
        local_(siteOf(site,
                      copy.action == TensorAction::Load ? AccessKind::Write : AccessKind::Read,
                      AccessSpace::Shared)) {}

  /// Accesses outside of memory are told of, and then nothing moves.
  void lookAtBounds() {
    Bounds memory = device::allocationAt(reinterpret_cast<const void *>(copy_.map->address));
    if (memory.bytes && isGone(memory.low, device::callOf(block_->launch)))
      memory = {nullptr, 0};
    forEachPiece([&](const TensorPiece &piece) {
      if (!copy_.isPrefetch && piece.global && !isInside(memory, piece.global, piece.inside))
        tellOutside(global_, memory, piece.global, piece.inside);
      if (!copy_.isPrefetch && !isInside(shared_, piece.shared, piece.bytes))
        tellOutside(local_, shared_, piece.shared, piece.bytes);
    });
  }

  void lookForRaces(uintptr_t barrier, uint32_t thread, const SyncSite *site) {
    uint8_t *low = nullptr;
    uint64_t bytes = 0; // of pieces that lie behind each other
    auto access = [&] {
      if (bytes)
        raceOfRun(block_, warp_, 1u << lane_, &global_, low, 0, bytes, nullptr);
    };
    std::vector<Bounds> words;
    forEachPiece([&](const TensorPiece &piece) {
      raceOfRun(block_, warp_, 1u << lane_, &local_, piece.shared, 0, piece.bytes, nullptr);
      words.push_back({piece.shared, piece.bytes});
      if (piece.global && piece.global != low + bytes) {
        access();
        low = piece.global, bytes = 0;
      }
      bytes += piece.inside;
    });
    access();
    beginBulkCopy(block_, thread, site, barrier, words);
  }

private:
  static AccessKind ofGlobal(const TensorCopy &copy) {
    return copy.action == TensorAction::Load    ? AccessKind::Read
           : copy.action == TensorAction::Store ? AccessKind::Write
                                                : AccessKind::Atomic;
  }
  static bool isInside(const Bounds &bounds, const uint8_t *at, uint64_t bytes) {
    auto offset = static_cast<uint64_t>(at - bounds.low);
    return bounds.bytes && offset < bounds.bytes && bytes <= bounds.bytes - offset;
  }
  template <typename F> void forEachPiece(F &&look) {
    auto offset = static_cast<uint64_t>(static_cast<const uint8_t *>(copy_.shared) - shared_.low);
    device::cpu::forEachTensorPiece(copy_, offset, look);
  }

  void tellOutside(const AccessSite &site, Bounds bounds, uint8_t *at, uint64_t bytes) {
    AccessedMemory memory = {};
    memory.pointers[lane_] = at;
    memory.bounds = bounds;
    memory.length = bytes;
    memory.suspects = 1u << lane_;
    lookOutside(block_, warp_, 1u << lane_, &site, &memory);
    if (memory.pointers[lane_] != at)
      copy_.isPrefetch = DroppedCopy;
  }

  Block *block_;
  uint32_t warp_, lane_;
  TensorCopy &copy_;
  Bounds shared_;
  const AccessSite &global_, &local_;
};

} // namespace

void atTensorCopy(Block *block, uint32_t warp, uint32_t lanes, uint8_t *const *copies,
                  const uint64_t *barriers, const SyncSite *site) {
  uint32_t checks = block->launch->check->checks & settings().checks;
  initUnchecked(); // what they read nobody tells of
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    auto &copy = *reinterpret_cast<TensorCopy *>(copies[lane]);
    Bounds shared = sharedAt(*block, copy.shared);
    if (copy.isPrefetch || !shared.bytes || device::cpu::findTensorCopyError(copy))
      continue; // which the copy itself tells of
    Copy looked(block, warp, lane, copy, shared, site);
    if (checks & CheckMemory)
      looked.lookAtBounds();
    if (!copy.isPrefetch && checks & CheckRaces)
      looked.lookForRaces(barriers[lane], warp * device::lanesOf(block->launch) + lane, site);
  }
}

} // namespace heddle::check
