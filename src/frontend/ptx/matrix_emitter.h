// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/emitter.h"

namespace heddle::frontend::ptx {

/// Metadata on shuffles that instructions on matrices were made of, for who counts (jit/count).
inline constexpr llvm::StringLiteral MatrixNote = "heddle.matrix";

/// The value, of 32 or 64 bits, that lane `lane` of the warp has; all 32 take part.
llvm::Value *fromLane(Emitter &, llvm::Value *value, llvm::Value *lane);

/// mma.m8n8k4 of halves, behind its shape (mma_quads.cpp).
void emitQuadProduct(Emitter &);

/// The lane's number in its warp.
llvm::Value *laneNumber(Emitter &);

struct MatrixShape {
  unsigned m, n, k;
};
/// "m16n8k16".
std::optional<MatrixShape> parseShape(llvm::StringRef text);

/// D = A * B + C of one tile, of 8 or 16 rows and 8 columns, in the layouts of `mma` (mma.cpp).
struct TileProduct {
  MatrixShape shape;
  PtxType a, b; ///< of the elements
  bool isInteger = false, saturates = false;
  bool isNegative = false;         ///< of floats: C - A * B
  llvm::StringRef bitOperation;    ///< of single bits: "xor" or "and"
  llvm::Value *metadata = nullptr; ///< of a sparse A, else null
  unsigned selector = 0;           ///< which lanes have the metadata

  unsigned rows() const { return shape.m / 8; } ///< of D that a lane has elements of
  unsigned wordBits() const { return a == "f64" ? 64 : 32; }
  unsigned density() const { return metadata ? 2 : 1; } ///< words of B for each of A
  /// Of a row of A, as far as they are there.
  unsigned words() const { return shape.k * a.elementBits / wordBits() / density(); }
  /// Of what the metadata choose.
  unsigned unitBits() const { return a.elementBits >= 16 ? 16 : 8; }

  /// Of a sparse A, from two operands: the bits, and which lanes' bits count.
  void readMetadata(Emitter &, unsigned operand);
  /// The elements of D of a lane. `left` and `right` are its registers of A and B, `start` its
  /// elements of C as what is added up: floats, doubles or i32.
  llvm::SmallVector<llvm::Value *, 8> multiply(Emitter &, llvm::ArrayRef<llvm::Value *> left,
                                               llvm::ArrayRef<llvm::Value *> right,
                                               llvm::ArrayRef<llvm::Value *> start) const;
};

/// `count` elements of C in an operand of registers, halves as floats; none after an error.
llvm::SmallVector<llvm::Value *, 8> readSums(Emitter &, unsigned operand, const PtxType &type,
                                             unsigned count);
/// Elements of D, rounded once if they are to be halves.
void writeSums(Emitter &, unsigned operand, const PtxType &type,
               llvm::ArrayRef<llvm::Value *> sums);

} // namespace heddle::frontend::ptx
