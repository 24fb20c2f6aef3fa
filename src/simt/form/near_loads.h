// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/near_lanes.h"

#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// Operations of a load whose lanes probably lie close together (near_lanes.h), a register: a test,
/// a load, a permutation.
inline constexpr double CostOfNear = 8;

/// Machines with such registers have permutations for it.
inline bool areNear(const llvm::Instruction &access, NearLanes &near, const Options &options) {
  const auto *load = llvm::dyn_cast<llvm::LoadInst>(&access);
  return load && options.registers.bits >= 256 && options.isOptimised() &&
         options.isEnabled("near-gathers") &&
         near.of(*load->getPointerOperand(),
                 int64_t(load->getDataLayout().getTypeStoreSize(load->getType())));
}

} // namespace heddle::simt
