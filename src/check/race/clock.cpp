// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/race/clock.h"

#include <algorithm>
#include <array>

namespace heddle::check {

namespace {

constexpr unsigned Bits = 4, Fan = 1 << Bits;

auto placeOf(std::vector<std::pair<uint32_t, uint32_t>> &list, uint32_t who) {
  return std::lower_bound(list.begin(), list.end(), std::pair(who, 0u));
}

} // namespace

uint32_t Known::of(uint32_t thread) const {
  uint32_t time = all;
  for (uint32_t who : {thread, OfWarp + thread / 32}) {
    auto at = std::lower_bound(some.begin(), some.end(), std::pair(who, 0u));
    if (at != some.end() && at->first == who)
      time = std::max(time, at->second);
  }
  return time;
}

void Known::raise(uint32_t who, uint32_t time) {
  if (time <= all)
    return;
  auto at = placeOf(some, who);
  if (at != some.end() && at->first == who)
    at->second = std::max(at->second, time);
  else
    some.insert(at, {who, time});
}

void Known::join(const Known &other) {
  all = std::max(all, other.all);
  for (auto &[who, time] : other.some)
    raise(who, time);
  std::erase_if(some, [&](auto &one) { return one.second <= all; });
}

/// Level 0 holds what is known of one block, level n a child for each of so many numbers.
struct Clock::Node {
  unsigned level = 0;
  Known known;
  std::array<std::shared_ptr<const Node>, Fan> children;
};

using Tree = std::shared_ptr<const Clock::Node>;

namespace {

bool reaches(const Clock::Node &node, uint32_t block) {
  return node.level * Bits >= 32 || block >> (node.level * Bits) == 0;
}

unsigned childOf(unsigned level, uint32_t block) {
  return block >> ((level - 1) * Bits) & (Fan - 1);
}

Tree lift(const Tree &tree, unsigned level) {
  Tree result = tree;
  while (result->level < level) {
    auto above = std::make_shared<Clock::Node>();
    above->level = result->level + 1;
    above->children[0] = result;
    result = above;
  }
  return result;
}

/// Of one level. One of the two where nothing is new.
Tree joined(const Tree &a, const Tree &b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  std::shared_ptr<Clock::Node> fresh;
  if (a->level == 0) {
    Known known = a->known;
    known.join(b->known);
    if (known == a->known)
      return a;
    if (known == b->known)
      return b;
    fresh = std::make_shared<Clock::Node>();
    fresh->known = std::move(known);
    return fresh;
  }
  std::array<Tree, Fan> children;
  bool isA = true, isB = true;
  for (unsigned i = 0; i < Fan; ++i) {
    children[i] = joined(a->children[i], b->children[i]);
    isA &= children[i] == a->children[i];
    isB &= children[i] == b->children[i];
  }
  if (isA || isB)
    return isA ? a : b;
  fresh = std::make_shared<Clock::Node>();
  fresh->level = a->level;
  fresh->children = std::move(children);
  return fresh;
}

} // namespace

const Known *Clock::find(uint32_t block) const {
  const Node *node = root_.get();
  if (!node || !reaches(*node, block))
    return nullptr;
  while (node && node->level)
    node = node->children[childOf(node->level, block)].get();
  return node ? &node->known : nullptr;
}

void Clock::join(const Clock &other) {
  if (!other.root_ || root_ == other.root_)
    return;
  if (!root_) {
    root_ = other.root_;
    return;
  }
  unsigned level = std::max(root_->level, other.root_->level);
  root_ = joined(lift(root_, level), lift(other.root_, level));
}

void Clock::join(uint32_t block, const Known &known) {
  auto leaf = std::make_shared<Node>();
  leaf->known = known;
  Tree path = leaf;
  while (!reaches(*path, block) || path->level == 0) {
    auto above = std::make_shared<Node>();
    above->level = path->level + 1;
    above->children[childOf(above->level, block)] = path;
    path = above;
  }
  Clock one;
  one.root_ = path;
  join(one);
}

bool Clock::isOnlyOf(uint32_t block) const {
  const Node *node = root_.get();
  while (node && node->level) {
    unsigned count = 0;
    for (const Tree &child : node->children)
      count += child != nullptr;
    if (count > 1 || !reaches(*node, block))
      return false;
    node = node->children[childOf(node->level, block)].get();
    if (!node)
      return false;
  }
  return true;
}

} // namespace heddle::check
