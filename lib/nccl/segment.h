// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ranks of a communicator have in common if they are in several processes: a segment of
// shared memory, found by the unique identifier. It has a place for each rank, where the process
// says that it has come, and a channel for each pair of ranks, a ring of bytes with one writer and
// one reader.
//
// Who waits for others sleeps on a number of its own place, the bell, which whoever changes
// something for it raises (futex(2)). It wakes from time to time to see whether the others'
// processes still live.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace heddle::nccl {

class Segment {
public:
  static constexpr int MaxRanks = 256;

  /// The segment of a name, made by the first who asks. Null if the system has no shared memory for
  /// it.
  static std::shared_ptr<Segment> open(const std::string &name, int size);
  Segment(const Segment &) = delete;
  ~Segment();

  /// False if the others are of another number of ranks.
  bool agrees() const;
  /// Says that this process has the rank. False if somebody has it.
  bool join(int rank);
  /// Whether all ranks have come; waits for a while if not.
  bool complete() const;
  void waitForOthers() const;
  /// The name is not needed any more once all have come.
  void forgetName();

  uint32_t bell(int rank) const;
  void ring(int rank);
  /// Sleeps until the bell is not `seen` any more, or for a while.
  void sleep(int rank, uint32_t seen) const;

  /// Ends what all ranks do.
  void abort();
  bool isAborted() const;
  /// Whether the process of a rank lives.
  bool lives(int rank) const;

  /// Both return how many bytes have gone through, which may be 0.
  size_t write(int from, int to, const void *data, size_t bytes);
  size_t read(int from, int to, void *data, size_t bytes);

private:
  struct Header;
  struct Channel;
  Segment(std::string name, int size, void *memory, size_t bytes);
  Channel &channel(int from, int to) const;

  const std::string name_;
  const int size_;
  Header *const header_;
  const size_t bytes_;
};

} // namespace heddle::nccl
