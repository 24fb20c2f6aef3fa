// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Instructions.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::simt {

/// Elements at signed indices of 32 bits from one address.
struct WordPlaces {
  llvm::Value *base = nullptr, *indices = nullptr; ///< null if an address is no such element
  uint64_t scale = 0;                              ///< bytes
};

/// Of one address, or of those of lanes.
WordPlaces wordPlacesOf(const llvm::Value &address);

/// Whether the machine has AVX2's gather of words for an address like this one, which LLVM makes
/// none of where gathers are not known to be fast: 32-bit elements at signed indices of 32 bits.
bool hasWordGather(const llvm::Value &address, const llvm::Type &element,
                   const llvm::TargetMachine &);

/// AMD's processors take longer for a gather of all lanes than for loads in turn.
bool hasSlowGathers(const llvm::TargetMachine &);

} // namespace heddle::simt
