// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations between processes, in bytes that go through a segment's channels (segment.h).
//
// A collective is two steps in which every rank sends to every other at once: the ranks' numbers
// for the slice of each rank, which adds them in the order of the ranks, and the sums. What only
// copies has the second step alone. So the results have the same bits as between the devices of one
// process.
#pragma once

#include "nccl/meeting.h"
#include "nccl/segment.h"

#include <deque>
#include <memory>
#include <vector>

namespace heddle::nccl {

/// One rank's side.
class Exchange {
public:
  Exchange(std::shared_ptr<Segment> segment, int rank, int size)
      : segment_(std::move(segment)), rank_(rank), size_(size) {}

  /// Does the calls of a group that go to one communicator: collectives in their order, then all
  /// sends and receives at once. Returns what went wrong.
  ncclResult_t run(const std::vector<Call> &calls);

  /// Every rank's 8 bytes, by rank.
  ncclResult_t gather(uint64_t mine, std::vector<uint64_t> &all);

private:
  /// What a message is, so that ranks that do not agree find out.
  struct Header {
    uint64_t what, bytes;
    char factor[8];
  };
  struct Message {
    Header header; ///< of a receiver what it expects
    bool sends;
    int peer;
    char *payload;
    size_t bytes, done = 0; ///< of header and payload
    char *factor = nullptr; ///< where a receiver wants the header's
    Header arrived{};
  };
  enum Progress { Nothing, Some, Wrong };

  void send(int peer, uint64_t what, const void *data, size_t bytes, const Call *call = nullptr);
  void receive(int peer, uint64_t what, void *data, size_t bytes, char *factor = nullptr);
  ncclResult_t finishMessages();
  Progress advance(Message &message);
  Progress advanceAll();
  ncclResult_t sendAndReceive(const std::vector<const Call *> &calls);
  ncclResult_t collective(const Call &call);
  ncclResult_t reduce(const Call &call);
  ncclResult_t copy(const Call &call);

  std::shared_ptr<Segment> segment_;
  int rank_, size_;
  std::vector<std::deque<Message>> sends_, receives_; ///< by peer, while they go
};

} // namespace heddle::nccl
