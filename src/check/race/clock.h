// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread knows of others: which of their accesses come before what it does now. Each block
// has a time that goes up with each event that orders accesses; a clock says for blocks of a launch
// before which time accesses of their threads are known.
//
// A clock is a tree over the numbers of blocks, whose nodes never change and are shared. Where a
// thousand blocks pass on what they know from one to the next, each adds a path, and a join looks
// only at what differs.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::check {

/// Before which times accesses of the threads of one block are known.
struct Known {
  static constexpr uint32_t OfWarp = 1024; ///< this and a warp's number: all of its lanes
  uint32_t all = 0;
  std::vector<std::pair<uint32_t, uint32_t>> some; ///< (thread or warp, time), by the first

  uint32_t of(uint32_t thread) const;
  void raise(uint32_t who, uint32_t time);
  void join(const Known &);
  bool operator==(const Known &) const = default;
};

class Clock {
public:
  struct Node;
  explicit operator bool() const { return root_ != nullptr; }
  /// Null: nothing is known of that block.
  const Known *find(uint32_t block) const;
  void join(const Clock &);
  void join(uint32_t block, const Known &);
  void clear() { root_.reset(); }
  /// Knows of no block but this one, or of none at all.
  bool isOnlyOf(uint32_t block) const;

private:
  std::shared_ptr<const Node> root_;
};

} // namespace heddle::check
