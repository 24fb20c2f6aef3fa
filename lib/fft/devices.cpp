// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fft/devices.h"

#include <algorithm>
#include <cstring>

namespace heddle::fft {

namespace {

/// Calls piece(place in the array, device, place in its share, bytes) for all contiguous pieces.
template <typename Piece>
void forPieces(const Boxes &boxes, bool natural, int devices, Piece piece) {
  size_t row = size_t(boxes.inner) * boxes.bytes, slice = size_t(boxes.middle) * row;
  for (int device = 0; device < devices; ++device) {
    Share share = shareOf(boxes, natural, device, devices);
    if (natural) {
      piece(size_t(share.begin) * slice, device, size_t(0), size_t(share.count) * slice);
      continue;
    }
    size_t part = size_t(share.count) * row;
    for (int64_t x = 0; x < boxes.outer; ++x)
      piece(size_t(x) * slice + size_t(share.begin) * row, device, size_t(x) * part, part);
  }
}

} // namespace

Boxes boxesOf(const Problem &problem) {
  bool input = problem.kind == Kind::ComplexToReal; // the side that is complex
  Boxes boxes{1, 1, 1, elementBytes(problem, input)};
  int64_t sizes[MaxRank] = {1, 1, 1};
  for (int d = 0; d < problem.rank; ++d)
    sizes[d] = d == problem.rank - 1 ? rowElements(problem, input) : problem.n[d];
  if (problem.batch > 1 || problem.rank == 1) {
    boxes.outer = problem.batch > 1 ? problem.batch : sizes[0];
    boxes.inner = problem.batch > 1 ? sizes[0] * sizes[1] * sizes[2] : 1;
    return boxes;
  }
  boxes.outer = sizes[0], boxes.middle = sizes[1], boxes.inner = sizes[2];
  return boxes;
}

bool isNatural(cufftXtSubFormat format) {
  return format == CUFFT_XT_FORMAT_INPUT || format == CUFFT_XT_FORMAT_INPLACE;
}

Share shareOf(const Boxes &boxes, bool natural, int device, int devices) {
  int64_t size = natural ? boxes.outer : boxes.middle;
  int64_t least = size / devices, more = size % devices; // the first ones take one more
  return {device * least + std::min<int64_t>(device, more), least + (device < more)};
}

size_t shareBytes(const Boxes &boxes, bool natural, Share share) {
  int64_t rest = boxes.inner * (natural ? boxes.middle : boxes.outer);
  return size_t(share.count * rest) * boxes.bytes;
}

void gather(const Boxes &boxes, bool natural, const std::vector<void *> &shares, void *array) {
  forPieces(boxes, natural, int(shares.size()), [&](size_t at, int device, size_t from, size_t n) {
    std::memcpy(static_cast<char *>(array) + at,
                static_cast<const char *>(shares[size_t(device)]) + from, n);
  });
}

void scatter(const Boxes &boxes, bool natural, const std::vector<void *> &shares,
             const void *array) {
  forPieces(boxes, natural, int(shares.size()), [&](size_t at, int device, size_t to, size_t n) {
    std::memcpy(static_cast<char *>(shares[size_t(device)]) + to,
                static_cast<const char *>(array) + at, n);
  });
}

} // namespace heddle::fft
