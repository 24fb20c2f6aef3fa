// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In most kernels the blocks do the same, at addresses that move by so much with each step of
// blockIdx.x, y and z. Method: of the samples that took the same way as most, one is the base; up to
// three others whose distances to it are independent give each access's three moves; a further one
// tells whether they are right. A block that is no sample is then the base, moved. Where moves are
// wrong (a gather, a table) the access is the nearest sample's.
#include "model/sampled_traces.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace heddle::model {
namespace {

using Vector = std::array<double, 3>;

Vector placeOf(uint64_t block, const LaunchShape &shape) {
  const uint64_t x = shape.grid[0], y = shape.grid[1];
  return {double(block % x), double(block / x % y), double(block / x / y)};
}

Vector difference(const Vector &a, const Vector &b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

bool hasSameWay(const BlockTrace &a, const BlockTrace &b) {
  if (a.warps.size() != b.warps.size())
    return false;
  for (size_t w = 0; w < a.warps.size(); ++w) {
    const WarpTrace &one = a.warps[w], &other = b.warps[w];
    if (one.events.size() != other.events.size() || one.addresses.size() != other.addresses.size())
      return false;
    for (size_t e = 0; e < one.events.size(); ++e) {
      const WarpEvent &x = one.events[e], &y = other.events[e];
      if (x.kind != y.kind || x.number != y.number || x.lanes != y.lanes || x.stride != y.stride)
        return false;
    }
  }
  return true;
}

/// Solves rows of differences for one access's moves: Gauss, at most three rows, in a fixed order.
class Moves {
public:
  /// Whether the row is independent of those before it.
  bool addRow(const Vector &row) {
    Vector reduced = row;
    for (size_t r = 0; r < count_; ++r)
      subtract(reduced, rows_[r], reduced[pivots_[r]] / rows_[r][pivots_[r]]);
    size_t pivot = 3;
    for (size_t c = 3; c-- > 0;)
      if (std::abs(reduced[c]) > 1e-9)
        pivot = c;
    if (count_ == 3 || pivot == 3)
      return false;
    rows_[count_] = reduced, original_[count_] = row, pivots_[count_++] = pivot;
    return true;
  }
  size_t count() const { return count_; }

  /// The moves that give `distances` (of the rows, in the order in which they were added).
  Vector solve(const std::array<double, 3> &distances) const {
    std::array<Vector, 3> rows = original_;
    std::array<double, 3> right = distances;
    for (size_t r = 0; r < count_; ++r)
      for (size_t o = 0; o < count_; ++o) {
        if (o == r)
          continue;
        const double factor = rows[o][pivots_[r]] / rows[r][pivots_[r]];
        subtract(rows[o], rows[r], factor);
        right[o] -= right[r] * factor;
      }
    Vector moves{};
    for (size_t r = 0; r < count_; ++r)
      moves[pivots_[r]] = std::round(right[r] / rows[r][pivots_[r]]);
    return moves;
  }

private:
  static void subtract(Vector &from, const Vector &what, double factor) {
    for (size_t c = 0; c < 3; ++c)
      from[c] -= what[c] * factor;
  }
  std::array<Vector, 3> rows_{}, original_{};
  std::array<size_t, 3> pivots_{};
  size_t count_ = 0;
};

double along(const Vector &moves, const Vector &steps) {
  return moves[0] * steps[0] + moves[1] * steps[1] + moves[2] * steps[2];
}

class Sampler {
public:
  Sampler(std::vector<BlockTrace> samples, const LaunchShape &shape)
      : samples_(std::move(samples)), shape_(shape) {
    chooseBase();
    fit();
  }

  double regular() const { return all_ ? double(regular_) / double(all_) : 1; }

  BlockTrace operator()(uint64_t block) const {
    const BlockTrace &nearest = nearestOf(block);
    if (nearest.block == block)
      return nearest;
    BlockTrace trace = samples_[base_];
    trace.block = block;
    const bool isLike = hasSameWay(nearest, samples_[base_]);
    const Vector steps = difference(placeOf(block, shape_), placeOf(samples_[base_].block, shape_));
    for (size_t w = 0; w < trace.warps.size(); ++w)
      for (size_t a = 0; a < trace.warps[w].addresses.size(); ++a) {
        uint64_t &address = trace.warps[w].addresses[a];
        const Move &move = moves_[w][a];
        if (move.isRight)
          address += static_cast<uint64_t>(std::llround(along(move.moves, steps)));
        else if (isLike)
          address = nearest.warps[w].addresses[a];
      }
    return trace;
  }

private:
  struct Move {
    Vector moves;
    bool isRight;
  };

  /// One that most others are like.
  void chooseBase() {
    size_t most = 0;
    const size_t tried = std::min<size_t>(samples_.size(), 8);
    for (size_t s = 0; s < tried; ++s) {
      size_t alike = 0;
      for (const BlockTrace &other : samples_)
        alike += hasSameWay(samples_[s], other);
      if (alike > most)
        most = alike, base_ = s;
    }
  }

  void fit() {
    const BlockTrace &base = samples_[base_];
    const Vector at = placeOf(base.block, shape_);
    std::vector<const BlockTrace *> rows, checks;
    Moves system;
    for (const BlockTrace &other : samples_)
      if (&other != &base && hasSameWay(base, other))
        (system.addRow(difference(placeOf(other.block, shape_), at)) ? rows : checks)
            .push_back(&other);
    moves_.resize(base.warps.size());
    for (size_t w = 0; w < base.warps.size(); ++w)
      for (size_t a = 0; a < base.warps[w].addresses.size(); ++a) {
        const auto distance = [&](const BlockTrace &other) {
          return double(
              static_cast<int64_t>(other.warps[w].addresses[a] - base.warps[w].addresses[a]));
        };
        std::array<double, 3> distances{};
        for (size_t r = 0; r < rows.size(); ++r)
          distances[r] = distance(*rows[r]);
        Move move{system.solve(distances), true};
        for (const std::vector<const BlockTrace *> *list : {&rows, &checks})
          for (const BlockTrace *other : *list)
            move.isRight &= along(move.moves, difference(placeOf(other->block, shape_), at)) ==
                            distance(*other);
        ++all_, regular_ += move.isRight;
        moves_[w].push_back(move);
      }
  }

  const BlockTrace &nearestOf(uint64_t block) const {
    return *std::ranges::min_element(samples_, {}, [&](const BlockTrace &sample) {
      return sample.block > block ? sample.block - block : block - sample.block;
    });
  }

  std::vector<BlockTrace> samples_;
  LaunchShape shape_;
  size_t base_ = 0;
  std::vector<std::vector<Move>> moves_; ///< by warp and address
  uint64_t all_ = 0, regular_ = 0;
};

} // namespace

SampledTraces tracesOf(std::vector<BlockTrace> samples, const LaunchShape &shape) {
  auto sampler = std::make_shared<const Sampler>(std::move(samples), shape);
  return {[sampler](uint64_t block) { return (*sampler)(block); }, sampler->regular()};
}

} // namespace heddle::model
