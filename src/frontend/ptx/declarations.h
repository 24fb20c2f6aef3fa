// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/cursor.h"
#include "frontend/ptx/types.h"

#include <vector>

namespace heddle::frontend::ptx {

/// Part of what a variable begins with (PTX ISA, "Initializers").
struct InitialValue {
  enum Kind { Integer, Float, Address, String, List };
  Kind kind = Integer;
  const char *at = nullptr;
  uint64_t bits = 0;     ///< of a number; of a float those of a double; of an address its offset
  bool isSingle = false; ///< a float written as 32 bits
  llvm::StringRef name;  ///< of an address, or the string with its quotes
  uint64_t mask = ~uint64_t(0); ///< of an address: the byte of it that is meant
  std::vector<InitialValue> elements;
};

/// What a sampler is (PTX ISA, "Texture, Sampler and Surface Types"), with the ISA's numbers.
struct Sampler {
  unsigned address[3] = {0, 0, 0}; ///< wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border
  bool isLinear = false, isUnnormalized = false;
};

/// A variable, parameter or register, or several registers of one name.
struct Variable {
  llvm::StringRef name;   ///< "_": none
  llvm::StringRef space;  ///< "reg", "param", "global", "const", "shared", "local"
  llvm::StringRef opaque; ///< "texref", "samplerref", "surfref"; else empty
  PtxType type{};
  unsigned vector = 1;
  uint64_t align = 0;         ///< 0: that of the type
  std::vector<uint64_t> dims; ///< 0: as many as there are initial values, or none
  uint64_t copies = 0;        ///< r<4>; 0: no range
  bool isManaged = false, isPointer = false;
  std::vector<InitialValue> init; ///< one or none
  Sampler sampler;                ///< of a samplerref

  bool isArray() const { return !dims.empty(); }
  uint64_t elementBytes() const;
  /// Of the whole, with the dimensions as they stand.
  uint64_t bytes() const;
  uint64_t alignment() const;
};

/// What a function takes and gives.
struct Signature {
  std::vector<Variable> results, params;
  bool isNoReturn = false;
};

/// True for ".reg", ".param", ".shared", ... with or without a type behind it.
bool beginsVariable(const Token &);
/// Reads `.global .align 4 .u32 a[2] = {1, 2}, b;` with its end and appends what it declares.
llvm::Error readVariables(Cursor &, std::vector<Variable> &);
/// Reads `(.param .u32 a, .param .align 8 .b8 b[16])`.
llvm::Error readParameters(Cursor &, std::vector<Variable> &);

/// Of local memory and of a function's parameters, in bytes (CUDA guide, "Compute Capabilities").
constexpr uint64_t MostLocalBytes = 512 * 1024;
/// What parameters take one behind the other, each at its alignment.
uint64_t bytesOf(llvm::ArrayRef<Variable>);
/// An error if a function that is no kernel takes or gives more than local memory can have.
llvm::Error checkSize(const Signature &);

} // namespace heddle::frontend::ptx
