// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lies in a CUtensorMap, which programs may only pass on: a tensor in global memory and the
// box of it that one copy moves (PTX ISA, "Tensors"). The driver API writes it
// (driver/entry/tensor_maps.cpp), the device reads it (device/cpu/memory/tensor_copy.cpp). And a
// copy as the device library asks for it (src/devlib/bulk_copies.cpp). Dimensions are in CUDA's
// order, the innermost first. All sides have the same layout: 64-bit and little-endian.
#pragma once

namespace heddle {

enum class TensorType : unsigned char {
  UInt8,
  UInt16,
  UInt32,
  Int32,
  UInt64,
  Int64,
  Float16,
  Float32,
  Float64,
  BFloat16,
  Float32Flushed, ///< FLOAT32_FTZ, but an H200 flushes nothing that it moves
  TFloat32,       ///< rounded to 10 bits of mantissa
  TFloat32Flushed,
};

enum class TensorSwizzle : unsigned char { None, Bytes32, Bytes64, Bytes128 };

struct TensorMap {
  static constexpr unsigned Mark = 0x6e736e74, MostRank = 5;

  unsigned mark; ///< Mark
  unsigned char rank;
  unsigned char isIm2col;
  TensorType type;
  TensorSwizzle swizzle;
  unsigned char fillsWithNan;    ///< what lies outside of the tensor, in place of zeros
  unsigned char steps[MostRank]; ///< element strides
  unsigned short box[MostRank];  ///< elements, steps included; of im2col: channels, pixels
  unsigned long long address;
  unsigned long long strides[MostRank];           ///< bytes; of the innermost the element's size
  unsigned last[MostRank];                        ///< greatest index
  short lower[MostRank - 2], upper[MostRank - 2]; ///< im2col: the corners of the pixels' box
};
static_assert(sizeof(TensorMap) <= 128, "a CUtensorMap has 128 bytes");

/// What a copy does with the elements of the box.
enum class TensorAction : unsigned { Load, Store, Add, Min, Max, Inc, Dec, And, Or, Xor };

/// One copy between global memory and a block's shared memory, by one thread.
struct TensorCopy {
  const TensorMap *map;
  void *shared; ///< where the box lies, in the shared memory of any block of the cluster
  int coordinates[TensorMap::MostRank];
  unsigned short offsets[TensorMap::MostRank - 2]; ///< im2col
  TensorAction action;
  unsigned rank;       ///< that the instruction names
  unsigned isIm2col;   ///< as it names
  unsigned isPrefetch; ///< nothing moves
};

/// TensorCopy::isPrefetch where a check has told of the copy: nothing moves, as if it had.
inline constexpr unsigned DroppedCopy = 2;

/// The one function of the compiler's that copies: (TensorCopy *) -> bytes of the box.
inline constexpr char TensorCopyName[] = "__heddle_tensor_copy";

} // namespace heddle
