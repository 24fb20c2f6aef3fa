// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor copies (PTX ISA, "Tensors", "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor").
//
// A box is a list of rows: elements along the innermost dimension, which lie side by side in global
// memory. In shared memory row follows row without gaps; with a swizzle each row has the swizzle's
// width. A row goes through a buffer: from global memory what lies inside of the tensor and the
// fill value besides, to shared memory by pieces of 16 bytes, which a swizzle puts elsewhere. Rows
// are a multiple of 16 bytes long, as the maps' encoding demands, and begin where such a piece
// does. This, what a store may not do, and that loads flush no number to zero, is not in the
// manual: it is what an H200 does (tests/run/tensor_copies.cu).
//
// Which rows there are is the difference between the two kinds of maps.
//  - Tiled: all combinations of indices of the outer dimensions within the box. With an element
//    stride of s every s-th is taken, and the box shrinks (CUDA driver API,
//    cuTensorMapEncodeTiled: ceil(boxDim / elementStride) of them).
//  - im2col: as many pixels as the map says, from the one that the coordinates name. They go along
//    W, then H, then D within the box between the map's corners, by the traversal strides, then
//    to the next image. The row of a pixel lies at its place plus the instruction's offsets, which
//    are those of a filter's tap; its place may lie outside of the image.
#include "device/cpu/memory/tensor_copy.h"

#include "device/cpu/memory/tensor_reduce.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace heddle::device::cpu {

namespace {

constexpr uint32_t MostRowBytes = 256 * 8, Piece = 16;

/// Bits of each element outside of the tensor: zero, or a quiet NaN of all ones.
uint64_t fillBits(const TensorMap &map) {
  if (!map.fillsWithNan)
    return 0;
  uint32_t bits = uint32_t(map.strides[0]) * 8;
  return (bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1) >> 1;
}

/// One row of a box; `address` is that of index 0 of the innermost dimension.
struct Row {
  uint8_t *address;
  bool isInside;
};

/// The rows of a box in the order in which they lie in shared memory.
class Rows {
public:
  explicit Rows(const TensorCopy &copy) : copy_(copy), map_(*copy.map) {
    for (uint32_t d = 0; d < map_.rank; ++d)
      at_[d] = copy.coordinates[d];
  }

  uint64_t count() const {
    if (map_.isIm2col)
      return map_.box[1];
    uint64_t rows = 1;
    for (uint32_t d = 1; d < map_.rank; ++d)
      rows *= steps(d);
    return rows;
  }

  Row row() const {
    Row row = {reinterpret_cast<uint8_t *>(map_.address), true};
    for (uint32_t d = 1; d < map_.rank; ++d) {
      int64_t index = at_[d];
      if (map_.isIm2col && d + 1 < map_.rank)
        index += copy_.offsets[d - 1];
      row.isInside &= index >= 0 && index <= int64_t(map_.last[d]);
      row.address += index * int64_t(map_.strides[d]);
    }
    return row;
  }

  void next() { map_.isIm2col ? nextPixel() : nextTiled(); }

private:
  uint32_t steps(uint32_t d) const { return (map_.box[d] + map_.steps[d] - 1u) / map_.steps[d]; }

  void nextTiled() {
    for (uint32_t d = 1; d < map_.rank; ++d) {
      at_[d] += map_.steps[d];
      if (++taken_[d] < steps(d))
        return;
      taken_[d] = 0;
      at_[d] = copy_.coordinates[d];
    }
  }

  /// Behind the end of a dimension's box the walk goes on at its lower corner.
  void nextPixel() {
    for (uint32_t d = 1; d + 1 < map_.rank; ++d) {
      at_[d] += map_.steps[d];
      if (at_[d] <= int64_t(map_.last[d]) + map_.upper[d - 1])
        return;
      at_[d] = map_.lower[d - 1];
    }
    ++at_[map_.rank - 1];
  }

  const TensorCopy &copy_;
  const TensorMap &map_;
  int64_t at_[TensorMap::MostRank] = {};
  uint32_t taken_[TensorMap::MostRank] = {};
};

/// Where the 16 bytes at an offset in shared memory lie with a swizzle: their place within a line
/// of 128 bytes is changed by the line's number, so that equal places of several rows lie in
/// different banks (PTX ISA, "Swizzling Modes").
uint64_t swizzled(uint64_t offset, TensorSwizzle swizzle) {
  uint64_t line = offset / 128;
  switch (swizzle) {
  case TensorSwizzle::Bytes32:
    return offset ^ ((line & 1) << 4);
  case TensorSwizzle::Bytes64:
    return offset ^ ((line & 3) << 4);
  case TensorSwizzle::Bytes128:
    return offset ^ ((line & 7) << 4);
  default:
    return offset;
  }
}

class Box {
public:
  Box(const TensorCopy &copy, uint64_t sharedOffset)
      : copy_(copy), map_(*copy.map), base_(static_cast<uint8_t *>(copy.shared) - sharedOffset),
        offset_(sharedOffset), size_(uint32_t(map_.strides[0])), bytes_(map_.box[0] * size_),
        pitch_(map_.swizzle == TensorSwizzle::None ? bytes_ : Piece << uint32_t(map_.swizzle)) {
    int64_t start = copy.coordinates[0], end = start + map_.box[0];
    first_ = uint32_t(std::clamp<int64_t>(-start, 0, map_.box[0]));
    int64_t inside = std::min<int64_t>(end, int64_t(map_.last[0]) + 1) - start;
    last_ = uint32_t(std::max<int64_t>(inside, first_));
  }

  void run() {
    forEachRow([&](uint8_t *inner) {
      if (copy_.action == TensorAction::Load)
        load(inner);
      else if (inner)
        store(inner);
    });
  }

  void forEachPiece(const std::function<void(const TensorPiece &)> &look) {
    uint32_t from = first_ * size_, to = last_ * size_;
    forEachRow([&](uint8_t *inner) {
      for (uint32_t at = 0; at < bytes_; at += Piece) {
        uint32_t low = std::clamp(from, at, at + Piece), high = std::clamp(to, at, at + Piece);
        bool isInside = inner && low < high;
        look({base_ + swizzled(offset_ + at, map_.swizzle), std::min(Piece, bytes_ - at),
              isInside ? inner + (low - from) : nullptr, isInside ? low - at : 0,
              isInside ? high - low : 0});
      }
    });
  }

private:
  /// `visit`: of each row, the first element that lies inside; null: there is none.
  template <typename F> void forEachRow(F &&visit) {
    Rows rows(copy_);
    for (uint64_t i = 0, count = rows.count(); i < count; ++i, rows.next()) {
      Row row = rows.row();
      visit(!row.isInside || first_ >= last_ ? nullptr : inner(row));
      offset_ += pitch_;
    }
  }
  /// The first element of a row that lies inside.
  uint8_t *inner(const Row &row) const {
    return row.address + (copy_.coordinates[0] + int64_t(first_)) * int64_t(size_);
  }
  uint32_t innerBytes() const { return (last_ - first_) * size_; }

  void load(const uint8_t *from) {
    if (!from || innerBytes() < bytes_)
      fill();
    if (from) {
      std::memcpy(buffer_ + first_ * size_, from, innerBytes());
      if (map_.type == TensorType::TFloat32 || map_.type == TensorType::TFloat32Flushed)
        round();
    }
    for (uint32_t at = 0; at < bytes_; at += Piece)
      std::memcpy(base_ + swizzled(offset_ + at, map_.swizzle), buffer_ + at, Piece);
  }

  void store(uint8_t *to) {
    for (uint32_t at = 0; at < bytes_; at += Piece)
      std::memcpy(buffer_ + at, base_ + swizzled(offset_ + at, map_.swizzle), Piece);
    if (copy_.action == TensorAction::Store)
      std::memcpy(to, buffer_ + first_ * size_, innerBytes());
    else
      reduceElements(map_.type, copy_.action, to, buffer_ + first_ * size_, last_ - first_);
  }

  void fill() {
    uint64_t bits = fillBits(map_);
    for (uint32_t at = 0; at < bytes_; at += size_)
      std::memcpy(buffer_ + at, &bits, size_);
  }

  /// To the nearest, ties to even; NaNs become the one that has no sign.
  void round() {
    for (uint32_t at = first_ * 4; at < last_ * 4; at += 4) {
      uint32_t bits;
      std::memcpy(&bits, buffer_ + at, 4);
      uint32_t magnitude = bits & 0x7fffffff;
      if (magnitude < 0x7f800000)
        bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
      else if (magnitude > 0x7f800000)
        bits = 0x7fffe000;
      std::memcpy(buffer_ + at, &bits, 4);
    }
  }

  const TensorCopy &copy_;
  const TensorMap &map_;
  uint8_t *base_; ///< of the block's shared memory
  uint64_t offset_;
  uint32_t size_, bytes_; ///< of an element, of a row
  uint32_t pitch_;        ///< from row to row
  uint32_t first_, last_; ///< the elements of a row that lie inside of the tensor
  alignas(16) uint8_t buffer_[MostRowBytes];
};

/// A box before the tensor's first elements, or pixels with a border around the image.
bool mayBeginOutside(const TensorCopy &copy) {
  const TensorMap &map = *copy.map;
  if (!map.isIm2col)
    return std::any_of(copy.coordinates, copy.coordinates + map.rank,
                       [](int at) { return at < 0; });
  for (uint32_t d = 0; d + 2 < map.rank; ++d)
    if (map.lower[d] < 0 || map.upper[d] > 0)
      return true;
  return false;
}

} // namespace

const char *findTensorCopyError(const TensorCopy &copy) {
  const TensorMap &map = *copy.map;
  if (map.mark != TensorMap::Mark)
    return "a tensor copy whose operand is no tensor map";
  if (map.rank != copy.rank)
    return "a tensor copy of another number of dimensions than its tensor map has";
  if (map.isIm2col != copy.isIm2col)
    return map.isIm2col ? "a tensor copy in tile mode with a tensor map for im2col"
                        : "a tensor copy in im2col mode with a tiled tensor map";
  if (!canReduce(map.type, copy.action))
    return "a reduction that elements of the tensor map's type do not have";
  if (copy.coordinates[0] * int64_t(map.strides[0]) % Piece != 0)
    return "a tensor copy whose innermost coordinate is no multiple of 16 bytes";
  if (copy.action != TensorAction::Load && mayBeginOutside(copy))
    return "a tensor copy to global memory that begins before the tensor or leaves its pixels";
  return nullptr;
}

uint64_t tensorBoxBytes(const TensorMap &map) {
  uint64_t bytes = map.strides[0] * map.box[0];
  if (map.isIm2col)
    return bytes * map.box[1];
  for (uint32_t d = 1; d < map.rank; ++d)
    bytes *= (map.box[d] + map.steps[d] - 1u) / map.steps[d];
  return bytes;
}

void copyTensor(const TensorCopy &copy, uint64_t sharedOffset) { Box(copy, sharedOffset).run(); }

void forEachTensorPiece(const TensorCopy &copy, uint64_t sharedOffset,
                        const std::function<void(const TensorPiece &)> &look) {
  Box(copy, sharedOffset).forEachPiece(look);
}

} // namespace heddle::device::cpu
