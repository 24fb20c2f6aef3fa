// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HEDDLE_TIMING=model: when work of the program would begin and end on the GPUs that its devices stand
// for. Of a program that is predicted: on each of the boards that are asked for, in place of its devices.
//
// A log takes down, in the program's order, what it gives to queues and what it waits for. When somebody
// asks for a time, the log is played: the host's clock goes on by what a call costs, and to the end of what
// it waits for; work begins when its stream, the events that it waits for and the device's engines
// let it (model/timeline.h). All devices are on one timeline: they have one host. Nothing of it depends on the processor's own times, so that the same run
// has the same digits.
#pragma once

#include "model/timeline.h"
#include "profile/timing.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>

namespace heddle::profile {

/// A piece of work: numbers from 1 on.
using WorkNumber = uint64_t;

class ModelledTime {
public:
  /// By device; null: it stands for no GPU, and its work takes no time.
  explicit ModelledTime(std::vector<const model::Gpu *> gpus) : gpus_(std::move(gpus)) {}
  /// The same work on several boards: its devices are the first of them, and `spansOn` tells of each.
  ModelledTime(size_t devices, std::vector<const model::Gpu *> boards)
      : gpus_(devices, boards.front()), boards_(std::move(boards)) {}
  const model::Gpu *gpu(uint32_t device) const {
    return device < gpus_.size() ? gpus_[device] : nullptr;
  }

  /// Work comes to the end of a queue. Brief: called under the engine's lock.
  WorkNumber append(model::WorkKind, const void *queue, bool isDefault, bool isLaunch,
                    uint32_t device = 0);
  /// Work that belongs to other work, which is over when all its parts are: a node of a graph, what a
  /// kernel launches. It runs behind the other's own, and in the order of its queue.
  WorkNumber appendPart(WorkNumber whole, model::WorkKind, const void *queue);
  /// The next part of a queue waits for another part.
  void partWaits(const void *queue, WorkNumber);
  /// ... that the host waits for at once.
  void waitFor(WorkNumber);
  /// Later work of the queue waits for what the number stands for.
  void queueWaits(const void *queue, WorkNumber);
  /// The host has waited for a queue, or for all.
  void hostSaw(const void *queue);
  void hostSawAll();

  /// What a copy or fill is, when it has been done here. `secondsOn`: a board, in place of all devices; null:
  /// what they stand for.
  void setCopy(WorkNumber, model::WorkKind,
               const std::function<double(const model::Gpu *board)> &secondsOn);
  /// A launch that belongs to the work is over here; its time comes with its counts.
  void launchIsOver(WorkNumber, uint64_t launch);
  /// By GPU: that of the launch's device counts.
  void setLaunch(const std::vector<TimedLaunch> &);

  /// Seconds since the process began, on the GPU.
  model::Span spanOf(WorkNumber);

  size_t boards() const { return boards_.size(); }
  /// The spans of works if all devices were the board. Without value if work still runs here.
  std::optional<std::vector<model::Span>> spansOn(size_t board, std::span<const WorkNumber> works);

private:
  struct Entry {
    enum class Kind : uint8_t { Work, QueueWaits, HostWaits, HostSawQueue, HostSawAll } kind;
    WorkNumber work = 0;
    const void *queue = nullptr;
  };
  struct Cost { ///< of a piece, on a board
    double seconds = 0, share = 1;
  };
  struct Piece {
    model::Work work;
    std::vector<Cost> onBoards;
    const void *queue;
    unsigned launches = 0; ///< whose times are still to come
    bool isDone = false;   ///< a launch was, or the work needs none
    bool isIssued = false; ///< the log has been played beyond it
    std::vector<WorkNumber> parts;
    WorkNumber closing = 0; ///< is over when all parts are
    model::Span span;
  };
  Piece &piece(WorkNumber number) { return pieces_[number - 1]; }
  WorkNumber add(const model::Work &, const void *queue);
  const model::Gpu &gpuOf(const Piece &) const;
  void play();
  void issue(WorkNumber);
  void place();
  void hostGoesTo(double seconds);

  const std::vector<const model::Gpu *> gpus_, boards_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> pieces_;
  std::deque<Entry> log_;
  std::unordered_map<uint64_t, WorkNumber> ofLaunch_;
  std::unordered_map<const void *, uint32_t> streams_;
  std::unordered_map<const void *, std::vector<WorkNumber>> waits_; ///< of a queue's next work
  std::unordered_map<const void *, std::vector<WorkNumber>> partWaits_;
  // While the log is played:
  double host_ = 0;                 ///< the host's clock
  std::vector<WorkNumber> current_; ///< works that are not all before the host's clock
  bool arePlaced_ = true;           ///< the current ones
};

} // namespace heddle::profile
