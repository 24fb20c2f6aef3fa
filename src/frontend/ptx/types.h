// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Type.h"

#include <optional>

namespace heddle::frontend::ptx {

enum class TypeKind { Unsigned, Signed, Bits, Float, Brain, Tensor, Predicate, Small };

/// A type of types.def.
struct PtxType {
  llvm::StringRef name;
  TypeKind kind;
  unsigned elementBits, elements;

  /// Of a register that holds it.
  unsigned bits() const { return elementBits * elements; }
  bool isSigned() const { return kind == TypeKind::Signed; }
  bool isInteger() const {
    return kind == TypeKind::Unsigned || kind == TypeKind::Signed || kind == TypeKind::Bits;
  }
  /// What arithmetic instructions compute with.
  bool isFloat() const { return kind == TypeKind::Float || kind == TypeKind::Brain; }
  bool isSmallFloat() const { return isFloat() && elementBits == 16; }
  bool isPacked() const { return elements > 1; }
  bool operator==(const PtxType &other) const { return name == other.name; }
  bool operator==(llvm::StringRef other) const { return name == other; }

  PtxType element() const;
  /// An integer or floating-point type; an integer for packed types, whose elements are taken out
  /// one by one (the warp compiler's vectors run across threads).
  llvm::Type *ir(llvm::LLVMContext &) const;
};

/// Of the name without its dot.
std::optional<PtxType> findType(llvm::StringRef name);

} // namespace heddle::frontend::ptx
