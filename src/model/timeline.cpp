// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices with one hardware queue (before 3.5) have a queue for each engine, in the order of issue: what
// waits at its head holds up what is behind it. With Hyper-Q streams wait for themselves alone. In 2.x
// and 3.0 kernels that are issued one after the other may run side by side, and the end of each is only
// told when the last of them has ended; an event between them ends the group ("CUDA Fortran for
// Scientists and Engineers", on asynchronous copies). Copies both ways at a time slow each other down;
// kernels share the device, the earlier takes what it can use.
#include "model/timeline.h"

#include <algorithm>
#include <limits>

namespace heddle::model {
namespace {

constexpr double Never = std::numeric_limits<double>::infinity(), Least = 1e-12;
/// A kernel begins beside others if there is this much of the device left.
constexpr double LeastShare = 0.02;

enum class State : uint8_t { Waiting, Running, Done };

class Timeline {
public:
  Timeline(std::span<const Gpu *const> devices, const std::vector<Work> &work)
      : devices_(devices), work_(work), spans_(work.size()), state_(work.size()),
        left_(work.size()), ends_(work.size()) {
    for (size_t i = 0; i < work.size(); ++i)
      left_[i] = work[i].seconds;
    findGroups();
    findPredecessors();
  }

  std::vector<Span> run() {
    for (size_t done = 0; done < work_.size();) {
      startAll();
      const double next = nextTime();
      if (next == Never)
        break; // waits for what comes later: the program's mistake
      progress(next);
      done += finish();
    }
    return std::move(spans_);
  }

private:
  const Gpu &gpuOf(size_t i) const { return *devices_[work_[i].device]; }
  bool hasOneQueue(size_t i) const { return gpuOf(i).queues() == 1; }

  /// Which engine: kernels, one or two of copies. Without one, copies and kernels take turns.
  unsigned engineOf(size_t i) const {
    const WorkKind kind = work_[i].kind;
    const int engines = gpuOf(i).copyEngines;
    if (kind == WorkKind::Event)
      return 3;
    if (kind == WorkKind::Kernel || kind == WorkKind::OnDevice || engines == 0)
      return 0;
    return kind != WorkKind::ToDevice && engines > 1 ? 2 : 1;
  }
  bool shareEngine(size_t i, size_t j) const {
    return work_[i].device == work_[j].device && engineOf(i) == engineOf(j);
  }

  /// Kernels that are told of together.
  void findGroups() {
    groupEnd_.resize(work_.size());
    size_t last = 0;
    for (size_t i = work_.size(); i-- > 0;) {
      const bool isKernel = work_[i].kind == WorkKind::Kernel;
      const bool isGrouped = hasOneQueue(i) && gpuOf(i).concurrentKernels() > 1;
      const bool goesOn = isGrouped && isKernel && i + 1 < work_.size() &&
                          work_[i + 1].kind == WorkKind::Kernel &&
                          work_[i + 1].device == work_[i].device;
      last = goesOn ? last : i;
      groupEnd_[i] = last;
    }
  }

  void findPredecessors() {
    before_.resize(work_.size());
    std::vector<std::pair<uint32_t, size_t>> lastOf; // by stream
    std::vector<size_t> barriers(devices_.size(), work_.size());
    for (size_t i = 0; i < work_.size(); ++i) {
      const Work &work = work_[i];
      before_[i] = work.waits;
      if (work.isDefaultStream) {
        std::erase_if(lastOf, [&](const auto &last) {
          if (work_[last.second].device != work.device)
            return false;
          before_[i].push_back(last.second);
          return true;
        });
      } else {
        auto found = std::ranges::find(lastOf, work.stream, &std::pair<uint32_t, size_t>::first);
        if (found != lastOf.end())
          before_[i].push_back(found->second), lastOf.erase(found);
        lastOf.push_back({work.stream, i});
      }
      size_t &barrier = barriers[work.device];
      if (barrier < work_.size())
        before_[i].push_back(barrier);
      if (work.isDefaultStream)
        barrier = i;
    }
  }

  /// Whether what `i` waits for is done, and told of.
  bool isFree(size_t i) const {
    for (size_t other : before_[i]) {
      if (state_[other] != State::Done)
        return false;
      // A kernel of the same group may follow another at once; a copy waits until the group is told.
      if (work_[i].kind != WorkKind::Kernel)
        for (size_t k = other; k <= groupEnd_[other]; ++k)
          if (k < i && state_[k] != State::Done)
            return false;
    }
    return work_[i].issued <= now_ + Least;
  }

  /// Nothing of its engine that was issued earlier still waits.
  bool isHead(size_t i) const {
    if (!hasOneQueue(i) || work_[i].kind == WorkKind::Event)
      return true;
    for (size_t j = 0; j < i; ++j)
      if (state_[j] == State::Waiting && shareEngine(i, j))
        return false;
    return true;
  }

  bool hasRoom(size_t i) const {
    const unsigned engine = engineOf(i);
    double used = 0;
    int kernels = 0;
    for (size_t j = 0; j < work_.size(); ++j) {
      if (state_[j] != State::Running || !shareEngine(i, j))
        continue;
      const bool areKernels =
          work_[i].kind == WorkKind::Kernel && work_[j].kind == WorkKind::Kernel;
      if (engine != 3 && !areKernels)
        return false;
      used += work_[j].share, ++kernels;
    }
    return work_[i].kind != WorkKind::Kernel || kernels == 0 ||
           (kernels < gpuOf(i).concurrentKernels() && used < 1 - LeastShare);
  }

  void startAll() {
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (size_t i = 0; i < work_.size(); ++i) {
        if (state_[i] != State::Waiting || !isFree(i) || !isHead(i) || !hasRoom(i))
          continue;
        spans_[i].begin = now_;
        state_[i] = State::Running;
        isChanged = true;
        if (left_[i] <= Least) {
          state_[i] = State::Done;
          spans_[i].end = now_;
          ++finishedAtOnce_;
        }
      }
    }
    setRates();
  }

  void setRates() {
    rates_.assign(work_.size(), 0);
    struct Use {
      bool isUp = false, isDown = false;
      double free = 1;
    };
    std::vector<Use> uses(devices_.size());
    for (size_t i = 0; i < work_.size(); ++i)
      if (state_[i] == State::Running) {
        uses[work_[i].device].isUp |= work_[i].kind == WorkKind::ToDevice;
        uses[work_[i].device].isDown |= work_[i].kind == WorkKind::ToHost;
      }
    for (size_t i = 0; i < work_.size(); ++i) {
      if (state_[i] != State::Running)
        continue;
      Use &use = uses[work_[i].device];
      const bool isHostCopy =
          work_[i].kind == WorkKind::ToDevice || work_[i].kind == WorkKind::ToHost;
      rates_[i] = isHostCopy && use.isUp && use.isDown ? duplexShare(gpuOf(i)) : 1;
      if (work_[i].kind == WorkKind::Kernel) {
        const double share = std::clamp(work_[i].share, LeastShare, 1.0);
        const double got = std::min(share, use.free);
        use.free -= got;
        rates_[i] = got / share;
      }
    }
  }

  double nextTime() const {
    double next = finishedAtOnce_ ? now_ : Never;
    for (size_t i = 0; i < work_.size(); ++i) {
      if (state_[i] == State::Running && rates_[i] > 0)
        next = std::min(next, now_ + left_[i] / rates_[i]);
      if (state_[i] == State::Waiting && work_[i].issued > now_ + Least)
        next = std::min(next, work_[i].issued);
    }
    return next;
  }

  void progress(double next) {
    for (size_t i = 0; i < work_.size(); ++i)
      if (state_[i] == State::Running)
        left_[i] -= (next - now_) * rates_[i];
    now_ = next;
  }

  size_t finish() {
    size_t done = finishedAtOnce_;
    finishedAtOnce_ = 0;
    for (size_t i = 0; i < work_.size(); ++i)
      if (state_[i] == State::Running && left_[i] <= Least) {
        state_[i] = State::Done;
        spans_[i].end = now_;
        ++done;
      }
    return done;
  }

  const std::span<const Gpu *const> devices_;
  const std::vector<Work> &work_;
  std::vector<Span> spans_;
  std::vector<State> state_;
  std::vector<double> left_, ends_, rates_;
  std::vector<size_t> groupEnd_;
  std::vector<std::vector<size_t>> before_;
  double now_ = 0;
  size_t finishedAtOnce_ = 0;
};

} // namespace

std::vector<Span> runTimeline(std::span<const Gpu *const> devices, const std::vector<Work> &work) {
  return Timeline(devices, work).run();
}

} // namespace heddle::model
