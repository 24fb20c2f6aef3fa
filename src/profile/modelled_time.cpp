// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/modelled_time.h"

#include "profile/count/counting.h"

#include <algorithm>

namespace heddle::profile {

WorkNumber ModelledTime::append(model::WorkKind kind, const void *queue, bool isDefault,
                                bool isLaunch) {
  std::lock_guard lock(mutex_);
  Piece piece = {};
  piece.work.kind = kind;
  piece.work.stream =
      streams_.try_emplace(queue, static_cast<uint32_t>(streams_.size())).first->second;
  piece.work.isDefaultStream = isDefault;
  piece.queue = queue;
  piece.isDone = !isLaunch;
  pieces_.push_back(std::move(piece));
  log_.push_back({Entry::Kind::Work, pieces_.size(), queue});
  return pieces_.size();
}

void ModelledTime::waitFor(WorkNumber work) {
  std::lock_guard lock(mutex_);
  log_.push_back({Entry::Kind::HostWaits, work});
}
void ModelledTime::queueWaits(const void *queue, WorkNumber work) {
  std::lock_guard lock(mutex_);
  log_.push_back({Entry::Kind::QueueWaits, work, queue});
}
void ModelledTime::hostSaw(const void *queue) {
  std::lock_guard lock(mutex_);
  log_.push_back({Entry::Kind::HostSawQueue, 0, queue});
}
void ModelledTime::hostSawAll() {
  std::lock_guard lock(mutex_);
  log_.push_back({Entry::Kind::HostSawAll});
}

void ModelledTime::setCopy(WorkNumber number, model::WorkKind kind, double seconds) {
  std::lock_guard lock(mutex_);
  Piece &of = piece(number);
  if (of.work.kind == model::WorkKind::Event)
    of.work.kind = kind;
  of.work.seconds += seconds;
}

void ModelledTime::launchIsOver(WorkNumber number, uint64_t launch) {
  std::lock_guard lock(mutex_);
  ofLaunch_[launch] = number;
  piece(number).isDone = true;
  ++piece(number).launches;
  changed_.notify_all();
}

void ModelledTime::setLaunch(const TimedLaunch &timed) {
  std::lock_guard lock(mutex_);
  auto at = ofLaunch_.find(timed.id);
  if (at == ofLaunch_.end())
    return;
  Piece &of = piece(at->second);
  of.work.kind = model::WorkKind::Kernel;
  of.work.seconds += timed.time.seconds;
  double fit = double(timed.time.occupancy.blocks) * gpu_.multiprocessors;
  of.work.share = fit > 0 ? std::min(1.0, double(timed.shape.blocks()) / fit) : 1;
  --of.launches;
  ofLaunch_.erase(at);
}

model::Span ModelledTime::spanOf(WorkNumber number) {
  deliverCounts();
  std::unique_lock lock(mutex_);
  // Launches in other streams may still run here.
  while (std::any_of(log_.begin(), log_.end(), [&](const Entry &entry) {
    return entry.kind == Entry::Kind::Work && !piece(entry.work).isDone;
  }))
    changed_.wait(lock);
  lock.unlock();
  deliverCounts();
  lock.lock();
  play();
  return piece(number).span;
}

/// Where the current works lie.
void ModelledTime::place() {
  if (std::exchange(arePlaced_, true))
    return;
  std::vector<model::Work> works;
  std::unordered_map<WorkNumber, size_t> placeOf;
  for (WorkNumber number : current_) {
    placeOf[number] = works.size();
    model::Work work = piece(number).work;
    std::erase_if(work.waits, [&](size_t &wait) { // those before the host's clock are over
      auto at = placeOf.find(wait);
      if (at == placeOf.end())
        return true;
      wait = at->second;
      return false;
    });
    works.push_back(std::move(work));
  }
  std::vector<model::Span> spans = model::runTimeline(gpu_, works);
  for (size_t i = 0; i < current_.size(); ++i)
    piece(current_[i]).span = spans[i];
}

/// What is over by then needs no place beside later work.
void ModelledTime::hostGoesTo(double seconds) {
  host_ = std::max(host_, seconds);
  bool areOver = std::all_of(current_.begin(), current_.end(),
                             [&](WorkNumber number) { return piece(number).span.end <= host_; });
  if (areOver)
    current_.clear();
}

void ModelledTime::play() {
  const model::LaunchCosts costs = model::launchCosts(gpu_);
  for (; !log_.empty(); log_.pop_front()) {
    const Entry entry = log_.front();
    switch (entry.kind) {
    case Entry::Kind::Work: {
      Piece &of = piece(entry.work);
      for (WorkNumber wait : std::exchange(waits_[entry.queue], {}))
        of.work.waits.push_back(wait);
      if (of.work.kind != model::WorkKind::Event)
        host_ += costs.hostSeconds;
      of.work.issued = host_;
      current_.push_back(entry.work);
      arePlaced_ = false;
      continue;
    }
    case Entry::Kind::QueueWaits:
      if (entry.work)
        waits_[entry.queue].push_back(entry.work);
      continue;
    default:
      break;
    }
    place();
    double end = host_;
    for (WorkNumber number : current_)
      if (entry.kind == Entry::Kind::HostSawAll || number == entry.work ||
          (entry.kind == Entry::Kind::HostSawQueue && piece(number).queue == entry.queue))
        end = std::max(end, piece(number).span.end);
    hostGoesTo(end);
  }
  place();
}

} // namespace heddle::profile
