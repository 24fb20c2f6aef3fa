// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/sync_places.h"

#include "base/abi/kernel_abi.h"
#include "check/sites.h"
#include "device/checks.h"

namespace heddle::check {

/// Its place alone.
static AccessSite placeOf(const SyncSite &site) {
  AccessSite place = {};
  place.frames = site.frames;
  place.frameCount = site.frameCount;
  return place;
}

Finding syncFinding(const Block *block, uint32_t warp, uint32_t lanes, const SyncSite &site) {
  Finding finding;
  finding.tool = "synccheck";
  placeFinding(finding, block, warp, static_cast<uint32_t>(__builtin_ctz(lanes)), placeOf(site));
  finding.threads = static_cast<uint32_t>(__builtin_popcount(lanes));
  return finding;
}

std::vector<Frame> framesOf(const SyncSite &site) { return framesOf(placeOf(site)); }

std::string nameOf(const SyncSite &site) {
  switch (site.kind) {
  case SyncKind::BlockBarrier:
    return "Barrier of the block";
  case SyncKind::GridBarrier:
    return "Barrier of the grid";
  case SyncKind::ClusterBarrier:
    return "Barrier of the cluster";
  case SyncKind::WarpOperation:
  case SyncKind::Shuffle:
  case SyncKind::Place:
    return site.name ? std::string("'") + site.name + "'" : "Operation of a warp";
  case SyncKind::AsyncCopy:
    return "Asynchronous copy";
  case SyncKind::Mbarrier:
    return site.name ? std::string("'") + site.name + "'" : "Operation of an mbarrier";
  }
  return "";
}

std::string threadText(const Block *block, uint32_t thread) {
  const uint32_t *dim = block->launch->blockDim;
  return "(" + std::to_string(thread % dim[0]) + "," + std::to_string(thread / dim[0] % dim[1]) +
         "," + std::to_string(thread / (dim[0] * dim[1])) + ")";
}

static uint32_t firstThread(const Block *block, uint32_t warp, uint32_t lanes) {
  return warp * device::lanesOf(block->launch) + static_cast<uint32_t>(__builtin_ctz(lanes));
}

std::string threadsText(const Block *block, uint32_t warp, uint32_t lanes) {
  auto count = static_cast<uint32_t>(__builtin_popcount(lanes));
  uint32_t first = firstThread(block, warp, lanes);
  std::string text = threadText(block, first);
  if (count == 1)
    return "thread " + text;
  if (lanes >> __builtin_ctz(lanes) == (count == 32 ? ~0u : (1u << count) - 1))
    return "threads " + text + " to " + threadText(block, first + count - 1);
  return std::to_string(count) + " threads from " + text + " on";
}

} // namespace heddle::check
