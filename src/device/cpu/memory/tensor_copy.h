// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/tensor_map.h"

#include <cstdint>
#include <functional>

namespace heddle::device::cpu {

/// What is wrong with a copy, as a text; null if nothing is. The map's first bytes must be
/// readable.
const char *findTensorCopyError(const TensorCopy &);

/// Bytes of a map's box in shared memory.
uint64_t tensorBoxBytes(const TensorMap &);

/// Does a copy without an error. `sharedOffset` is where the box lies in the block's shared memory:
/// a multiple of 128, by whose bits swizzles go. Additions and the like are atomic for each element
/// (PTX ISA, "cp.reduce.async.bulk.tensor").
void copyTensor(const TensorCopy &, uint64_t sharedOffset);

/// Up to 16 bytes that lie together in shared memory, of which some lie in the tensor, too.
struct TensorPiece {
  uint8_t *shared;
  uint32_t bytes;
  uint8_t *global;        ///< null: all is filled
  uint32_t first, inside; ///< bytes of the piece that lie there
};
void forEachTensorPiece(const TensorCopy &, uint64_t sharedOffset,
                        const std::function<void(const TensorPiece &)> &);

} // namespace heddle::device::cpu
