// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/modelled_time.h"

#include "profile/count/counting.h"

#include <algorithm>

namespace heddle::profile {

WorkNumber ModelledTime::add(const model::Work &work, const void *queue) {
  Piece piece = {};
  piece.work = work;
  piece.onBoards.resize(boards_.size());
  piece.work.stream =
      streams_.try_emplace(queue, static_cast<uint32_t>(streams_.size())).first->second;
  piece.queue = queue;
  piece.isDone = true;
  pieces_.push_back(std::move(piece));
  return pieces_.size();
}

WorkNumber ModelledTime::append(model::WorkKind kind, const void *queue, bool isDefault,
                                bool isLaunch, uint32_t device) {
  std::lock_guard lock(mutex_);
  model::Work work = {kind};
  work.isDefaultStream = isDefault;
  work.device = device;
  WorkNumber number = add(work, queue);
  piece(number).isDone = !isLaunch;
  log_.push_back({Entry::Kind::Work, number, queue});
  return number;
}

WorkNumber ModelledTime::appendPart(WorkNumber whole, model::WorkKind kind, const void *queue) {
  std::lock_guard lock(mutex_);
  model::Work work = {kind};
  work.device = piece(whole).work.device;
  work.waits = std::exchange(partWaits_[queue], {});
  WorkNumber number = add(work, queue);
  if (piece(whole).isIssued) // a time was asked for in its midst
    log_.push_back({Entry::Kind::Work, number, queue});
  else
    piece(whole).parts.push_back(number);
  return number;
}

void ModelledTime::partWaits(const void *queue, WorkNumber number) {
  std::lock_guard lock(mutex_);
  partWaits_[queue].push_back(number);
}

const model::Gpu &ModelledTime::gpuOf(const Piece &piece) const {
  return *gpus_[piece.work.device];
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

void ModelledTime::setCopy(WorkNumber number, model::WorkKind kind,
                           const std::function<double(const model::Gpu *)> &secondsOn) {
  std::lock_guard lock(mutex_);
  Piece &of = piece(number);
  if (of.work.kind == model::WorkKind::Event)
    of.work.kind = kind;
  of.work.seconds += secondsOn(nullptr);
  for (size_t b = 0; b < boards_.size(); ++b)
    of.onBoards[b].seconds += secondsOn(boards_[b]);
}

void ModelledTime::launchIsOver(WorkNumber number, uint64_t launch) {
  std::lock_guard lock(mutex_);
  ofLaunch_[launch] = number;
  piece(number).isDone = true;
  ++piece(number).launches;
  changed_.notify_all();
}

void ModelledTime::setLaunch(const std::vector<TimedLaunch> &times) {
  std::lock_guard lock(mutex_);
  auto at = times.empty() ? ofLaunch_.end() : ofLaunch_.find(times.front().id);
  if (at == ofLaunch_.end())
    return;
  Piece &of = piece(at->second);
  ofLaunch_.erase(at);
  --of.launches;
  auto add = [&](const model::Gpu &gpu, double &seconds, double &share) {
    auto timed = std::ranges::find(times, &gpu, &TimedLaunch::gpu);
    if (timed == times.end())
      return;
    of.work.kind = model::WorkKind::Kernel;
    seconds += timed->time.seconds;
    const double fit = double(timed->time.occupancy.blocks) * gpu.multiprocessors;
    share = fit > 0 ? std::min(1.0, double(timed->shape.blocks()) / fit) : 1;
  };
  add(gpuOf(of), of.work.seconds, of.work.share);
  for (size_t b = 0; b < boards_.size(); ++b)
    add(*boards_[b], of.onBoards[b].seconds, of.onBoards[b].share);
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
  const Piece &of = piece(number);
  return {of.span.begin, of.closing ? piece(of.closing).span.end : of.span.end};
}

std::optional<std::vector<model::Span>> ModelledTime::spansOn(size_t board,
                                                              std::span<const WorkNumber> works) {
  std::unique_lock lock(mutex_);
  for (const Piece &piece : pieces_)
    if (!piece.isDone)
      return std::nullopt;
  ModelledTime played(std::vector(gpus_.size(), boards_[board]));
  played.pieces_ = pieces_, played.log_ = log_, played.waits_ = waits_;
  for (Piece &piece : played.pieces_)
    piece.work.seconds = piece.onBoards[board].seconds,
    piece.work.share = piece.onBoards[board].share;
  lock.unlock();
  std::vector<model::Span> spans;
  for (WorkNumber work : works)
    spans.push_back(played.spanOf(work));
  return spans;
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
  std::vector<model::Span> spans = model::runTimeline(gpus_, works);
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

/// A work with its parts, and what is over behind them.
void ModelledTime::issue(WorkNumber number) {
  Piece &of = piece(number); // stays where it is when others come
  of.isIssued = true;
  of.work.issued = host_;
  current_.push_back(number);
  if (of.parts.empty())
    return;
  model::Work closing = {model::WorkKind::Event};
  closing.device = of.work.device;
  closing.isDefaultStream = of.work.isDefaultStream;
  closing.issued = host_;
  for (WorkNumber part : of.parts) {
    piece(part).work.waits.push_back(number);
    issue(part);
    closing.waits.push_back(piece(part).closing ? piece(part).closing : part);
  }
  of.closing = add(closing, of.queue);
  current_.push_back(of.closing);
}

void ModelledTime::play() {
  for (; !log_.empty(); log_.pop_front()) {
    const Entry entry = log_.front();
    switch (entry.kind) {
    case Entry::Kind::Work: {
      Piece &of = piece(entry.work);
      for (WorkNumber wait : std::exchange(waits_[entry.queue], {}))
        of.work.waits.push_back(wait);
      if (of.work.kind != model::WorkKind::Event || !of.parts.empty())
        host_ += model::launchCosts(gpuOf(of)).hostSeconds;
      issue(entry.work);
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
      if (entry.kind == Entry::Kind::HostSawAll || (entry.work && number == entry.work) ||
          (entry.work && number == piece(entry.work).closing) ||
          (entry.kind == Entry::Kind::HostSawQueue && piece(number).queue == entry.queue))
        end = std::max(end, piece(number).span.end);
    hostGoesTo(end);
  }
  place();
}

} // namespace heddle::profile
