// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a function of a library is given, for `heddle check`.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace heddle::library {

/// What work does with rows of elements. Some: with a part of them.
enum class Use : uint8_t { Reads, Writes, Some };
/// Rows of elements: matrices and vectors.
struct MemoryRows {
  const void *first; ///< the lowest address
  int64_t rowBytes, pitch, rows;
  Use use = Use::Reads;
};
inline MemoryRows written(MemoryRows rows) {
  rows.use = Use::Writes;
  return rows;
}
inline MemoryRows usedInPart(MemoryRows rows) {
  rows.use = Use::Some;
  return rows;
}

/// False if memcheck is on and the device cannot access one of them: then it has been reported.
bool mayAccess(std::span<const MemoryRows>);
inline bool mayAccess(std::initializer_list<MemoryRows> all) {
  return mayAccess(std::span(all.begin(), all.size()));
}
/// Whether anything is checked.
bool isLookedAt();

/// What is to be told of work when it runs (stream_work.h): none where nothing is checked.
std::vector<MemoryRows> toTell(std::span<const MemoryRows>);
inline std::vector<MemoryRows> toTell(std::initializer_list<MemoryRows> all) {
  return toTell(std::span(all.begin(), all.size()));
}

/// A matrix of columns, as BLAS has it.
inline MemoryRows columnsOf(const void *first, int64_t rows, int64_t columns, int64_t leading,
                            int64_t elementBytes) {
  return {first, rows * elementBytes, leading * elementBytes, columns};
}
/// A vector with a distance between elements, which may be negative.
template <typename T> MemoryRows elementsOf(const T *first, int64_t n, int64_t distance) {
  int64_t step = distance < 0 ? -distance : distance;
  return {first, sizeof(T), step * int64_t(sizeof(T)), n};
}

} // namespace heddle::library
