// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// List scheduling, as assemblers do it: of the instructions whose operands are there the one goes next
// that the longest chain of latencies hangs on; loads count as long. What is taken comes from a window
// behind the first instruction that is left, so that a long block does not need all registers at once. Where many
// values live the one goes next that leaves fewest (Goodman and Hsu, "Code Scheduling and Register Allocation in
// Large Basic Blocks").
//
// Accesses stay in order if they may meet. Those of one address, which the block does not change in
// between, with other offsets do not.
#include "model/lowering.h"

#include <algorithm>
#include <unordered_map>

namespace heddle::model {
namespace {

constexpr uint32_t LoadLatency = 200, SharedLatency = 25;

bool isBarrier(const MachineInstruction &i) {
  switch (i.operation) {
  case Operation::Barrier:
  case Operation::Fence:
  case Operation::WarpBarrier:
  case Operation::Call:
  case Operation::AsyncWait:
  case Operation::Mbarrier:
    return true;
  default:
    return false;
  }
}

class Scheduler {
public:
  Scheduler(std::vector<MachineInstruction> &code, const KernelCode &kernel, uint32_t window,
            int mostLive)
      : code_(code), kernel_(kernel), window_(window), mostLive_(mostLive), after_(code.size()),
        waits_(code.size()), height_(code.size()) {}

  void run() {
    for (uint32_t i = 0; i < code_.size(); ++i)
      addEdges(i);
    for (size_t i = code_.size(); i-- > 0;) {
      uint32_t most = 0;
      for (uint32_t next : after_[i])
        most = std::max(most, height_[next]);
      height_[i] = most + weight(code_[i]);
    }
    place();
  }

private:
  void edge(uint32_t from, uint32_t to) {
    if (from == to)
      return;
    after_[from].push_back(to);
    ++waits_[to];
  }

  Space spaceOf(const MachineInstruction &i) const {
    return i.access == None ? Space::Generic : kernel_.accesses[i.access].space;
  }

  uint32_t weight(const MachineInstruction &i) const {
    if (i.pipe == Pipe::Texture)
      return LoadLatency;
    if (i.pipe != Pipe::Memory || i.results[0] == None)
      return i.latency;
    return spaceOf(i) == Space::Shared ? SharedLatency : LoadLatency;
  }

  /// Whether no store of the kernel is in the way of a load.
  bool isFree(const MachineInstruction &i) const {
    return i.operation == Operation::Texture ||
           (i.operation == Operation::Load && i.access != None &&
            (kernel_.accesses[i.access].flags & IsReadOnly ||
             kernel_.accesses[i.access].space == Space::Constant));
  }

  void addEdges(uint32_t i) {
    const MachineInstruction &in = code_[i];
    auto reads = [&](uint32_t reg) {
      if (reg == None)
        return;
      if (auto found = writer_.find(reg); found != writer_.end())
        edge(found->second, i);
      readers_[reg].push_back(i);
      ++needed_[reg];
    };
    for (uint32_t source : in.sources)
      reads(source);
    addOrder(i);
    for (uint32_t result : in.results) {
      if (result == None)
        continue;
      for (uint32_t reader : readers_[result])
        edge(reader, i);
      readers_[result].clear();
      if (auto found = writer_.find(result); found != writer_.end())
        edge(found->second, i);
      writer_[result] = i;
    }
  }

  void addOrder(uint32_t i) {
    const MachineInstruction &in = code_[i];
    if (barrier_ != None)
      edge(barrier_, i);
    const bool isEnd = in.operation == Operation::Branch || in.operation == Operation::Return ||
                       in.operation == Operation::Exit;
    if (isBarrier(in) || isEnd) {
      for (uint32_t other = barrier_ == None ? 0 : barrier_ + 1; other < i; ++other)
        edge(other, i);
      if (isBarrier(in))
        barrier_ = i;
      return;
    }
    if (in.access == None || isFree(in))
      return;
    const bool writes = in.operation != Operation::Load;
    std::vector<Place> &before = places_[spaceOf(in) == Space::Shared];
    const Place place = placeOf(i, writes);
    bool isAlone = true; // what comes behind waits for all that are left
    for (const Place &other : before)
      if ((writes || other.writes) && mayMeet(place, other))
        edge(other.instruction, i);
      else
        isAlone = false;
    if (writes && isAlone)
      before.clear();
    before.push_back(place);
  }

  /// Where an access is: its bytes behind what an instruction made, or what the block begins with.
  struct Place {
    uint32_t instruction, base, maker;
    int64_t first, end;
    bool writes;
  };

  Place placeOf(uint32_t i, bool writes) const {
    const MachineInstruction &in = code_[i];
    // Others than loads and stores have more to order than their bytes.
    const bool isPlain = in.operation == Operation::Load || in.operation == Operation::Store;
    const uint32_t base = isPlain ? in.base : None;
    const auto writer = writer_.find(base);
    return {i,
            base,
            writer == writer_.end() ? None : writer->second,
            in.offset,
            in.offset + int64_t(kernel_.accesses[in.access].bytes),
            writes};
  }

  static bool mayMeet(const Place &a, const Place &b) {
    return a.base == None || a.base != b.base || a.maker != b.maker ||
           (a.first < b.end && b.first < a.end);
  }

  void place() {
    std::vector<MachineInstruction> placed;
    placed.reserve(code_.size());
    std::vector<uint8_t> isPlaced(code_.size());
    std::vector<uint32_t> ready;
    uint32_t first = 0, seen = 0;
    auto admit = [&] {
      for (; seen < code_.size() && seen < first + window_; ++seen)
        if (waits_[seen] == 0)
          ready.push_back(seen);
    };
    for (admit(); placed.size() < code_.size(); admit()) {
      const bool isTight = live_ >= mostLive_;
      const auto best = std::ranges::max_element(ready, [&](uint32_t a, uint32_t b) {
        if (isTight)
          if (const int more = growth(code_[a]), other = growth(code_[b]); more != other)
            return more > other;
        return !isTight && height_[a] != height_[b] ? height_[a] < height_[b] : a > b;
      });
      const uint32_t now = *best;
      countLive(code_[now]);
      ready.erase(best);
      isPlaced[now] = 1;
      placed.push_back(code_[now]);
      for (uint32_t next : after_[now])
        if (--waits_[next] == 0 && next < seen)
          ready.push_back(next);
      while (first < code_.size() && isPlaced[first])
        ++first;
    }
    code_ = std::move(placed);
  }

  /// How many more values live behind an instruction.
  int growth(const MachineInstruction &in) const {
    int more = 0;
    for (uint32_t source : in.sources)
      if (source != None && isMade_.contains(source))
        if (auto found = needed_.find(source); found != needed_.end() && found->second == 1)
          --more;
    for (uint32_t result : in.results)
      if (result != None && !isMade_.contains(result))
        if (auto found = needed_.find(result); found != needed_.end() && found->second > 0)
          ++more;
    return more;
  }

  /// Values that were made in the block and that something in it still needs.
  void countLive(const MachineInstruction &in) {
    for (uint32_t source : in.sources)
      if (source != None)
        if (auto found = needed_.find(source); found != needed_.end() && --found->second == 0)
          live_ -= isMade_.contains(source) ? 1 : 0;
    for (uint32_t result : in.results)
      if (result != None && needed_.count(result) && needed_[result] > 0 &&
          !isMade_.contains(result))
        isMade_[result] = true, ++live_;
  }

  std::vector<MachineInstruction> &code_;
  const KernelCode &kernel_;
  const uint32_t window_;
  const int mostLive_;
  std::vector<std::vector<uint32_t>> after_;
  std::vector<uint32_t> waits_, height_;
  std::unordered_map<uint32_t, uint32_t> writer_, needed_;
  std::unordered_map<uint32_t, bool> isMade_;
  int live_ = 0;
  std::unordered_map<uint32_t, std::vector<uint32_t>> readers_;
  std::vector<Place> places_[2];
  uint32_t barrier_ = None;
};

} // namespace

void schedule(std::vector<MachineInstruction> &code, const KernelCode &kernel, uint32_t window,
              int mostLive) {
  if (code.size() > 2)
    Scheduler(code, kernel, window, mostLive).run();
}

} // namespace heddle::model
