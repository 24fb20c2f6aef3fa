// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers that are objects, come in pieces, or have a number of threads.
//
// mbarriers. What the 64 bits of one are is said in include/heddle/device_mbarrier.h. Here each has
// a copy of them, which changes with it: where both differ, something else was written there. One
// that is not known was never initialised. More arrivals than are missing at once are an error (one
// by one they would begin the next phase); so is a barrier that begins anew while its phase is under
// way, for who has arrived waits for ever.
//
// A loop that waits for a phase and for nothing else goes on only if a thread that shares the
// barrier does something: one of the cluster, or the block. If each of these waits so, or at a
// barrier, none will. (Copies that are asynchronous on a GPU are done at once here.) So it is with
// memory that is no barrier, as long as it looks like one whose phase is not over.
//
// Pieces. A thread that arrives twice, or waits and has not arrived, would wait for itself.
#include "check/sync_steps.h"

#include "base/abi/async_step.h"
#include "base/abi/kernel_abi.h"
#include "check/findings.h"
#include "check/race/async.h"
#include "check/settings.h"
#include "check/sync_places.h"
#include "check/tensor.h"
#include "device/checks.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace heddle::check {

namespace {

constexpr uint64_t Parity = uint64_t(1) << 63, Count = 0xfffff, Bytes = uint64_t(0x7fffff) << 40;

struct Mbarrier {
  uint64_t word;
  const SyncSite *begun, *ended; ///< where; `ended` is null while it lives
  uint64_t missing() const { return word & Count; }
  uint64_t expected() const { return word >> 20 & Count; }
  uint64_t bytes() const { return word & Bytes; }
};

/// Of a warp.
struct Steps {
  uint32_t arrived[2] = {};      ///< lanes, at the block's and the cluster's barrier in two pieces
  const SyncSite *at = nullptr;  ///< of a loop that waits for an mbarrier
  uint32_t lanes = 0, polls = 0; ///< lanes that it waits for, when WarpState::polls was so
  uintptr_t barrier = 0;         ///< the first lane's
};

/// Blocks that share mbarriers, as long as they run.
struct Cluster {
  uint64_t launch = 0;
  uint32_t index[3] = {};
  std::unordered_map<uintptr_t, Mbarrier> barriers;
  std::unordered_map<const Block *, std::vector<Steps>> steps;
  uint32_t vainLooks = 0; ///< in a row, of all
};

/// By where the first block's shared memory is. Never destroyed.
struct Running {
  std::mutex mutex;
  std::unordered_map<const uint8_t *, Cluster> clusters;
  std::unordered_map<const Launch *, Finding> forever; ///< until it is told
};

Running &running() {
  static Running &all = *new Running;
  return all;
}

/// With the lock.
Cluster &clusterOf(const Block *block) {
  const Launch &launch = *block->launch;
  bool isOne = !block->clusterShared[0];
  Cluster &all = running().clusters[isOne ? block->shared : block->clusterShared[0]];
  uint32_t index[3];
  for (int d = 0; d < 3; ++d)
    index[d] = block->blockIdx[d] / (isOne ? 1 : launch.clusterDim[d]);
  if (all.launch != launch.launchId || !std::equal(index, index + 3, all.index)) {
    all = {};
    all.launch = launch.launchId;
    std::copy(index, index + 3, all.index);
  }
  return all;
}

Steps &stepsOf(Cluster &cluster, const Block *block, uint32_t warp) {
  std::vector<Steps> &all = cluster.steps[block];
  if (all.size() <= warp)
    all.resize(warp + 1);
  return all[warp];
}

bool isShared(const Block *block, const uint8_t *at) {
  auto isIn = [&](const uint8_t *shared) {
    return shared && static_cast<uint64_t>(at - shared) < block->launch->sharedBytes;
  };
  return isIn(block->shared) ||
         std::any_of(std::begin(block->clusterShared), std::end(block->clusterShared), isIn);
}

std::string counted(uint64_t number, const char *one, const char *many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

/// "missing: 3 of 32 arrivals, and 64 bytes of copies".
std::string stateText(const Mbarrier &barrier) {
  std::string text = "missing: ";
  auto bytes = static_cast<int64_t>(barrier.word << 1) >> 41;
  if (barrier.missing() || bytes <= 0)
    text += std::to_string(barrier.missing()) + " of " +
            counted(barrier.expected(), "arrival", "arrivals") + (bytes > 0 ? ", and " : "");
  if (bytes > 0)
    text += counted(static_cast<uint64_t>(bytes), "byte", "bytes") + " of copies";
  if (bytes < 0)
    text += "; " + std::to_string(-bytes) + " bytes more than were announced have come";
  return text;
}

/// The steps of one warp at mbarriers: what all lanes do wrong in one way is one finding.
class MbarrierSteps {
public:
  MbarrierSteps(Block *block, uint32_t warp, const SyncSite &site, const uint64_t *numbers)
      : block_(block), warp_(warp), site_(site), numbers_(numbers), cluster_(clusterOf(block)) {}

  void begin(uint32_t lane, uint8_t *at) {
    uint64_t expected = number(0, lane);
    if (expected == 0 || expected > Count)
      add(lane, "mbarrier-bad-count", " with a count that an mbarrier does not have",
          "the count is " + std::to_string(expected) + "; 1 to 1048575 are allowed", nullptr);
    Mbarrier *before = find(at);
    if (before && !before->ended && before->word == wordAt(at) &&
        (before->missing() != before->expected() || before->bytes()))
      add(lane, "mbarrier-in-use", " of an mbarrier whose phase is under way", stateText(*before),
          before);
    expected &= Count;
    cluster_.barriers[key(at)] = {expected << 20 | expected, &site_, nullptr};
  }

  void end(uint32_t lane, uint8_t *at) {
    if (Mbarrier *barrier = valid(lane, at))
      barrier->ended = &site_;
  }

  /// Whether the lane has to wait.
  bool look(uint32_t lane, uint8_t *at) {
    Mbarrier *barrier = valid(lane, at);
    uint64_t word = barrier ? barrier->word : wordAt(at);
    return !((word ^ number(0, lane)) & Parity);
  }

  void change(uint32_t lane, uint8_t *at) {
    Mbarrier *barrier = valid(lane, at);
    if (!barrier)
      return;
    uint64_t arrivals = number(0, lane), drops = number(1, lane);
    if (arrivals > barrier->missing() || drops > barrier->expected())
      add(lane, "mbarrier-too-many-arrivals", " for more arrivals than the mbarrier waits for",
          counted(arrivals, "arrival", "arrivals") + "; " + stateText(*barrier), barrier);
    barrier->word = next(barrier->word, arrivals, drops, number(2, lane));
    changed_.push_back(barrier);
  }

  void tell() {
    for (auto &[kind, wrong] : wrongs_) {
      Finding finding = syncFinding(block_, warp_, wrong.lanes, site_);
      finding.kind = kind;
      finding.text = nameOf(site_) + wrong.text;
      finding.notes = std::move(wrong.notes);
      note(std::move(finding));
    }
  }

private:
  struct Wrong {
    uint32_t lanes = 0;
    std::string text;
    std::vector<Note> notes; ///< of the first lane
  };

  static uintptr_t key(const uint8_t *at) { return reinterpret_cast<uintptr_t>(at); }
  static uint64_t wordAt(const uint8_t *at) {
    return *reinterpret_cast<const volatile uint64_t *>(at);
  }
  uint64_t number(uint32_t kind, uint32_t lane) const {
    return numbers_[kind * MostCheckedLanes + lane];
  }
  Mbarrier *find(const uint8_t *at) {
    auto found = cluster_.barriers.find(key(at));
    return found == cluster_.barriers.end() ? nullptr : &found->second;
  }

  /// As compiled code changes it (simt/widen/calls/mbarrier_changes.cpp).
  static uint64_t next(uint64_t before, uint64_t arrivals, uint64_t drops, uint64_t bytes) {
    uint64_t expected = (before >> 20 & Count) - drops, missing = (before & Count) - arrivals;
    uint64_t outstanding = ((before & ~Parity) + (bytes << 40)) & Bytes;
    bool isOver = !(missing | outstanding);
    uint64_t left = (isOver ? expected : missing) & Count;
    return ((before ^ (isOver ? Parity : 0)) & Parity) | outstanding | expected << 20 | left;
  }

  bool isChanged(const Mbarrier *barrier) const {
    return std::find(changed_.begin(), changed_.end(), barrier) != changed_.end();
  }

  Mbarrier *valid(uint32_t lane, uint8_t *at) {
    Mbarrier *barrier = find(at);
    if (!barrier) {
      add(lane, "mbarrier-not-initialized", " of an mbarrier that was not initialised", "",
          nullptr);
    } else if (barrier->ended) {
      add(lane, "mbarrier-invalidated", " of an mbarrier that was invalidated", "", barrier);
      return nullptr;
    } else if (!isChanged(barrier) && barrier->word != wordAt(at)) {
      add(lane, "mbarrier-overwritten", " of an mbarrier that something else has overwritten", "",
          barrier);
      return nullptr;
    }
    return barrier;
  }

  void add(uint32_t lane, const char *kind, const char *text, const std::string &more,
           const Mbarrier *barrier) {
    Wrong &wrong = wrongs_[kind];
    wrong.lanes |= 1u << lane;
    if (!wrong.text.empty())
      return;
    wrong.text = text;
    if (!more.empty())
      wrong.notes.push_back({more, {}});
    if (barrier)
      wrong.notes.push_back({"it was initialised here", framesOf(*barrier->begun)});
    if (barrier && barrier->ended)
      wrong.notes.push_back({"and invalidated here", framesOf(*barrier->ended)});
  }

  Block *block_;
  uint32_t warp_;
  const SyncSite &site_;
  const uint64_t *numbers_;
  Cluster &cluster_;
  std::vector<const Mbarrier *> changed_; ///< by lanes before
  std::unordered_map<std::string, Wrong> wrongs_;
};

void atMbarrier(Block *block, uint32_t warp, uint32_t lanes, SyncStep step, uint8_t *const *objects,
                const uint64_t *numbers, const SyncSite &site) {
  MbarrierSteps steps(block, warp, site, numbers);
  uint32_t waiting = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    uint8_t *at = objects[lane];
    if (!isShared(block, at))
      continue;
    if (step == SyncStep::MbarrierBegins)
      steps.begin(lane, at);
    else if (step == SyncStep::MbarrierEnds)
      steps.end(lane, at);
    else if (step == SyncStep::MbarrierChanges)
      steps.change(lane, at);
    else if (steps.look(lane, at))
      waiting |= 1u << lane;
  }
  if (step == SyncStep::MbarrierWaits) {
    Steps &own = stepsOf(clusterOf(block), block, warp);
    own.at = waiting ? &site : nullptr;
    own.lanes = waiting;
    own.polls = block->warps[warp].polls;
    if (waiting)
      own.barrier = reinterpret_cast<uintptr_t>(objects[__builtin_ctz(waiting)]);
  }
  steps.tell();
}

void atPiece(Block *block, uint32_t warp, uint32_t lanes, bool waits, const SyncSite &site) {
  uint32_t &arrived =
      stepsOf(clusterOf(block), block, warp).arrived[site.kind == SyncKind::ClusterBarrier];
  uint32_t wrong = waits ? lanes & ~arrived : lanes & arrived;
  arrived = waits ? arrived & ~lanes : arrived | lanes;
  if (!wrong)
    return;
  Finding finding = syncFinding(block, warp, wrong, site);
  finding.kind = waits ? "wait-without-arrival" : "arrival-without-wait";
  finding.text = nameOf(site) + (waits ? " that threads wait for and have not arrived at"
                                       : " that threads arrive at again before they have waited");
  note(std::move(finding));
}

void atCount(Block *block, uint32_t warp, uint32_t lanes, uint64_t threads, const SyncSite &site) {
  Finding finding = syncFinding(block, warp, lanes, site);
  finding.kind = "barrier-bad-count";
  finding.text = nameOf(site) + " for a number of threads that is no multiple of 32";
  finding.notes.push_back({"the number is " + std::to_string(threads), {}});
  note(std::move(finding));
}

/// The warps of a block that live wait for mbarriers, or at barriers. What was looked at is
/// forgotten: they have to look again.
bool waitsInLoops(Cluster &cluster, const Block *block, Finding &finding) {
  const uint32_t *dim = block->launch->blockDim;
  uint32_t lanes = device::lanesOf(block->launch);
  bool all = true;
  for (uint32_t w = 0; w * lanes < dim[0] * dim[1] * dim[2]; ++w) {
    const WarpState &state = block->warps[w];
    Steps &own = stepsOf(cluster, block, w);
    const SyncSite *at = std::exchange(own.at, nullptr);
    if (!state.frame)
      continue;
    if (state.wait != WaitKind::Yield) {
      all &= state.wait != WaitKind::None && state.wait != WaitKind::Meet;
      continue;
    }
    all &= at && own.polls == state.polls;
    if (!at || !finding.text.empty())
      continue;
    finding = syncFinding(block, w, own.lanes, *at);
    finding.kind = "deadlock";
    finding.text = "Deadlock: a wait for an mbarrier that no thread can end";
    auto barrier = cluster.barriers.find(own.barrier);
    if (barrier == cluster.barriers.end()) {
      finding.notes.push_back({"it was not initialised", {}});
      continue;
    }
    if (!barrier->second.ended)
      finding.notes.push_back({stateText(barrier->second), {}});
    finding.notes.push_back({"it was initialised here", framesOf(*barrier->second.begun)});
    if (barrier->second.ended)
      finding.notes.push_back({"and invalidated here", framesOf(*barrier->second.ended)});
  }
  return all;
}

} // namespace

void atSyncStep(Block *block, uint32_t warp, uint32_t lanes, SyncStep step, uint8_t *const *objects,
                const uint64_t *numbers, const SyncSite *site) {
  if (site->kind == SyncKind::AsyncCopy) {
    bool isTensor = lanes && numbers[MostCheckedLanes + __builtin_ctz(lanes)] ==
                                 static_cast<uint64_t>(AsyncStep::Tensor);
    if (isTensor)
      atTensorCopy(block, warp, lanes, objects, numbers, site);
    else if (settings().checks & CheckRaces && block->launch->check->checks & CheckRaces)
      atAsyncCopy(block, warp, lanes, step, objects, numbers, site);
    return;
  }
  std::lock_guard lock(running().mutex);
  switch (step) {
  case SyncStep::PieceArrives:
  case SyncStep::PieceWaits:
    return atPiece(block, warp, lanes, step == SyncStep::PieceWaits, *site);
  case SyncStep::CountedBarrier:
    return atCount(block, warp, lanes, numbers[__builtin_ctz(lanes)], *site);
  default:
    return atMbarrier(block, warp, lanes, step, objects, numbers, *site);
  }
}

bool waitsForEver(const Block *const *blocks, size_t count) {
  constexpr uint32_t LooksInVain = 3;
  std::lock_guard lock(running().mutex);
  Cluster &cluster = clusterOf(blocks[0]);
  Finding finding;
  bool all = true;
  for (size_t i = 0; i < count; ++i)
    all &= waitsInLoops(cluster, blocks[i], finding);
  cluster.vainLooks = all && !finding.text.empty() ? cluster.vainLooks + 1 : 0;
  if (cluster.vainLooks < LooksInVain)
    return false;
  running().forever[blocks[0]->launch] = std::move(finding);
  return true;
}

Finding foreverOf(const Launch *launch) {
  std::lock_guard lock(running().mutex);
  auto found = running().forever.extract(launch);
  return found ? std::move(found.mapped()) : Finding();
}

} // namespace heddle::check
