// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/architecture.h"

#include <array>
#include <iterator>

namespace heddle::model {
namespace {

#define HEDDLE_ARCHITECTURE(...)
#define HEDDLE_TEXTURES(name, ...) constexpr TextureLimits limits##name = {__VA_ARGS__};
#include "model/architectures.def"
#undef HEDDLE_ARCHITECTURE
#undef HEDDLE_TEXTURES

struct Row {
  Architecture architecture;
  const TextureLimits *textures;
};

constexpr Row rows[] = {
#define HEDDLE_ARCHITECTURE(major, minor, warps, blocks, threads, blockZ, gridX, gridZ, regsSm,    \
                            regsBlock, regsThread, regUnit, regPerWarp, warpUnit, shSm, shBlock,   \
                            shOptin, shReserved, shUnit, fp64, cluster, textures)                  \
  {{major, minor,   warps,     blocks,     threads, blockZ,     gridX,                             \
    gridZ, regsSm,  regsBlock, regsThread, regUnit, regPerWarp, warpUnit,                          \
    shSm,  shBlock, shOptin,   shReserved, shUnit,  fp64,       cluster},                          \
   &limits##textures},
#define HEDDLE_TEXTURES(...)
#include "model/architectures.def"
#undef HEDDLE_ARCHITECTURE
#undef HEDDLE_TEXTURES
};

enum Generation {
  G80,
  GT200,
  GF100,
  GF104,
  GK104,
  GK110,
  GM20x,
  GP100,
  GP10x,
  GV100,
  TU10x,
  GA100,
  GA10x,
  AD10x,
  GH100,
  Generations
};

/// Columns of parameters.def.
struct Column {
  Parameters parameters[Generations];
};

constexpr Column makeColumns() {
  Column all{};
#define HEDDLE_PARAMETER(NAME, ...)                                                                \
  {                                                                                                \
    constexpr double values[Generations] = {__VA_ARGS__};                                          \
    for (int g = 0; g < Generations; ++g)                                                          \
      all.parameters[g].NAME = values[g];                                                          \
  }
#include "model/parameters.def"
  return all;
}

constexpr Column columns = makeColumns();

constexpr Generation generationOf(int major, int minor) {
  switch (major) {
  case 1:
    return minor < 2 ? G80 : GT200;
  case 2:
    return minor < 1 ? GF100 : GF104;
  case 3:
    return minor < 5 ? GK104 : GK110;
  case 5:
    return GM20x;
  case 6:
    return minor == 0 ? GP100 : GP10x;
  case 7:
    return minor < 5 ? GV100 : TU10x;
  case 8:
    return minor == 0 ? GA100 : minor < 9 ? GA10x : AD10x;
  default:
    return GH100;
  }
}

} // namespace

const Architecture *findArchitecture(int major, int minor) {
  for (const Row &row : rows)
    if (row.architecture.major == major && row.architecture.minor == minor)
      return &row.architecture;
  return nullptr;
}

const TextureLimits &textureLimitsOf(const Architecture &architecture) {
  for (const Row &row : rows)
    if (row.architecture.major == architecture.major &&
        row.architecture.minor == architecture.minor)
      return *row.textures;
  return *std::end(rows)[-1].textures;
}

std::span<const Architecture *const> architectures() {
  static const auto all = [] {
    std::array<const Architecture *, std::size(rows)> list;
    for (size_t i = 0; i < std::size(rows); ++i)
      list[i] = &rows[i].architecture;
    return list;
  }();
  return all;
}

const Parameters &parametersOf(int major, int minor) {
  return columns.parameters[generationOf(major, minor)];
}

bool hasParameters(int major, int minor) {
  return findArchitecture(major, minor) && major * 10 + minor <= 90;
}

} // namespace heddle::model
