// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/launch_proof.h"

#include <vector>

namespace heddle::simt {

/// What becomes a LaunchProof. No flags: nothing is proven.
struct LaunchProofParts {
  std::vector<ProofNode> nodes;
  std::vector<ProvenAccess> accesses;
  std::vector<ProvenUse> uses;
  std::vector<ProvenDim> dims;
  std::vector<ProvenLimit> limits;
  std::vector<ProvenFactor> factors;
  std::vector<ProvenPlace> places;
  std::vector<uint32_t> alike;
  std::vector<ProvenFit> fits;
  std::vector<PartOfDims> parts;
  uint32_t flags = 0;
};

} // namespace heddle::simt
