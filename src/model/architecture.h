// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all GPUs of a compute capability have in common: the limits that a program sees
// (architectures.def) and how its multiprocessors work (parameters.def).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::model {

/// Limits of a compute capability; the fields are explained in architectures.def.
struct Architecture {
  int major, minor;
  int warpsPerSm, blocksPerSm, threadsPerBlock, blockZ, gridX, gridZ;
  int registersPerSm, registersPerBlock, registersPerThread, registerUnit, registerPerWarp,
      warpUnit;
  int sharedPerSm, sharedPerBlock, sharedOptin, sharedReserved, sharedUnit;
  int fp64Ratio, maxCluster;
};

struct TextureLimits {
  int t1d, t1dMipmap, t1dLinear, t2dWidth, t2dHeight, t2dMipmap, t2dLinearWidth, t2dLinearPitch;
  int t2dGather, t3d, t3dAlternateXY, t3dAlternateZ, cubemap, layered, layers, cubemapLayers;
  int s1d, s2dWidth, s2dHeight, s3dWidth, s3dHeight, s3dDepth;
  int sLayeredWidth, sLayeredHeight, sLayers, sCubemap;
};

/// The table's line of a compute capability; null if there is none.
const Architecture *findArchitecture(int major, int minor);
/// Of an architecture of the table.
const TextureLimits &textureLimitsOf(const Architecture &);
/// In the order of the table.
std::span<const Architecture *const> architectures();

/// How the multiprocessors of a generation work; parameters.def explains the fields and has their
/// sources. Times are in cycles of the multiprocessor's clock unless the name says otherwise.
struct Parameters {
#define HEDDLE_PARAMETER(NAME, ...) double NAME;
#include "model/parameters.def"
};

/// Of the generation that a compute capability belongs to; a later one counts as the last that is
/// known.
const Parameters &parametersOf(int major, int minor);
/// Whether the generation itself is in the table.
bool hasParameters(int major, int minor);

} // namespace heddle::model
