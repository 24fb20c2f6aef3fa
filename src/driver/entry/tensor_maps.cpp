// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps (CUDA driver API, "Tensor Map Object Management"). What may be encoded is what the
// manual lists for each parameter; anything else is CUDA_ERROR_INVALID_VALUE. What compute
// capability 9.0 does not have (types of 4 and 6 bits, swizzles by atoms) is that, too. Interleaved
// layouts are refused with CUDA_ERROR_NOT_SUPPORTED: how their slices of channels lie in memory is
// not documented.
#include "driver/functions.h"

#include "base/abi/tensor_map.h"
#include "base/messages/messages.h"

#include <cstdio>
#include <cstring>
#include <iterator>

namespace heddle::driver {

namespace {

struct Type {
  TensorType type;
  uint32_t bytes;
  bool isFloat;
};

/// By CUtensorMapDataType.
constexpr Type Types[] = {
    {TensorType::UInt8, 1, false},          {TensorType::UInt16, 2, false},
    {TensorType::UInt32, 4, false},         {TensorType::Int32, 4, false},
    {TensorType::UInt64, 8, false},         {TensorType::Int64, 8, false},
    {TensorType::Float16, 2, true},         {TensorType::Float32, 4, true},
    {TensorType::Float64, 8, true},         {TensorType::BFloat16, 2, true},
    {TensorType::Float32Flushed, 4, true},  {TensorType::TFloat32, 4, true},
    {TensorType::TFloat32Flushed, 4, true},
};

constexpr uint64_t Wide = 32, Narrow = 16; ///< bytes that addresses and strides are multiples of

/// The parameters that both kinds of maps have.
struct Common {
  CUtensorMap *map;
  CUtensorMapDataType type;
  cuuint32_t rank;
  void *address;
  const cuuint64_t *sizes, *strides;
  const cuuint32_t *steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;

  bool isInterleaved() const { return interleave != CU_TENSOR_MAP_INTERLEAVE_NONE; }
  uint64_t unit() const { return interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? Wide : Narrow; }
};

bool isAligned(const void *p, uint64_t bytes) {
  return reinterpret_cast<uintptr_t>(p) % bytes == 0;
}

template <class E> bool isOneOf(E value, E last) {
  return static_cast<unsigned>(value) <= static_cast<unsigned>(last);
}

bool areModesRight(const Common &c) {
  return isOneOf(c.interleave, CU_TENSOR_MAP_INTERLEAVE_32B) &&
         isOneOf(c.swizzle, CU_TENSOR_MAP_SWIZZLE_128B) &&
         isOneOf(c.promotion, CU_TENSOR_MAP_L2_PROMOTION_L2_256B) &&
         isOneOf(c.fill, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA) &&
         (c.interleave != CU_TENSOR_MAP_INTERLEAVE_32B || c.swizzle == CU_TENSOR_MAP_SWIZZLE_32B) &&
         (c.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE || Types[c.type].isFloat);
}

bool isTensorRight(const Common &c) {
  constexpr uint64_t MostSize = uint64_t(1) << 32, StrideEnd = uint64_t(1) << 40;
  if (!isAligned(c.address, c.unit()) || !c.sizes || !c.steps || (c.rank > 1 && !c.strides))
    return false;
  for (cuuint32_t d = 0; d < c.rank; ++d) {
    bool isStride = d == 0 || (c.strides[d - 1] % c.unit() == 0 && c.strides[d - 1] < StrideEnd);
    if (c.sizes[d] == 0 || c.sizes[d] > MostSize || !isStride || c.steps[d] == 0 || c.steps[d] > 8)
      return false;
  }
  return true;
}

/// Of what lies side by side in shared memory.
bool isInnerRight(const Common &c, uint64_t elements) {
  uint64_t bytes = elements * Types[c.type].bytes;
  if (c.isInterleaved())
    return true;
  bool fits = c.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE || bytes <= uint64_t(16) << c.swizzle;
  return bytes % 16 == 0 && fits;
}

bool isCommonRight(const Common &c, cuuint32_t leastRank) {
  if (!c.map || !isAligned(c.map, 64) || static_cast<size_t>(c.type) >= std::size(Types))
    return false;
  bool isRank = c.rank >= (c.isInterleaved() ? 3 : leastRank) && c.rank <= TensorMap::MostRank;
  return isRank && areModesRight(c) && isTensorRight(c);
}

TensorMap encodeCommon(const Common &c) {
  TensorMap map = {};
  map.mark = TensorMap::Mark;
  map.rank = static_cast<unsigned char>(c.rank);
  map.type = Types[c.type].type;
  map.swizzle = static_cast<TensorSwizzle>(c.swizzle);
  map.fillsWithNan = c.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  map.address = reinterpret_cast<uint64_t>(c.address);
  for (cuuint32_t d = 0; d < c.rank; ++d) {
    map.steps[d] = d == 0 ? 1 : static_cast<unsigned char>(c.steps[d]);
    map.strides[d] = d == 0 ? Types[c.type].bytes : c.strides[d - 1];
    map.last[d] = static_cast<unsigned>(c.sizes[d] - 1);
  }
  return map;
}

/// The last step of an encoding whose parameters are right.
CUresult finish(const Common &c, const TensorMap &map, const char *function) {
  if (c.isInterleaved()) {
    tellf("heddle: %s: interleaved layouts are not supported\n", function);
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  std::memset(c.map, 0, sizeof(*c.map));
  std::memcpy(c.map, &map, sizeof(map));
  return CUDA_SUCCESS;
}

/// An offset of a corner has 16 bits for all dimensions together (cuTensorMapEncodeIm2col,
/// pixelBoxLowerCorner): 16, 8 or 5 each. The box must not be empty.
bool areCornersRight(const Common &c, const int *lower, const int *upper) {
  int end = 1 << (16 / (c.rank - 2) - 1);
  for (cuuint32_t d = 0; d < c.rank - 2; ++d) {
    auto isOffset = [&](int offset) { return offset >= -end && offset < end; };
    int64_t lastPixel = static_cast<int64_t>(c.sizes[d + 1]) - 1 + upper[d];
    if (!isOffset(lower[d]) || !isOffset(upper[d]) || lastPixel < lower[d])
      return false;
  }
  return true;
}

} // namespace

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *sizes, const cuuint64_t *strides,
                                const cuuint32_t *box, const cuuint32_t *steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  Common common = {map,   type,       rank,    address,   sizes, strides,
                   steps, interleave, swizzle, promotion, fill};
  if (!isCommonRight(common, 1) || !box || !isInnerRight(common, box[0]))
    return CUDA_ERROR_INVALID_VALUE;
  TensorMap encoded = encodeCommon(common);
  for (cuuint32_t d = 0; d < rank; ++d) {
    if (box[d] == 0 || box[d] > 256)
      return CUDA_ERROR_INVALID_VALUE;
    encoded.box[d] = static_cast<unsigned short>(box[d]);
  }
  return finish(common, encoded, "cuTensorMapEncodeTiled");
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                 void *address, const cuuint64_t *sizes, const cuuint64_t *strides,
                                 const int *lower, const int *upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t *steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  Common common = {map,   type,       rank,    address,   sizes, strides,
                   steps, interleave, swizzle, promotion, fill};
  if (!isCommonRight(common, 3) || !lower || !upper || channels == 0 || channels > 256 ||
      pixels == 0 || pixels > 1024 || !isInnerRight(common, channels) ||
      !areCornersRight(common, lower, upper))
    return CUDA_ERROR_INVALID_VALUE;
  TensorMap encoded = encodeCommon(common);
  encoded.isIm2col = true;
  encoded.box[0] = static_cast<unsigned short>(channels);
  encoded.box[1] = static_cast<unsigned short>(pixels);
  for (cuuint32_t d = 0; d < rank - 2; ++d) {
    encoded.lower[d] = static_cast<short>(lower[d]);
    encoded.upper[d] = static_cast<short>(upper[d]);
  }
  return finish(common, encoded, "cuTensorMapEncodeIm2col");
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
  if (!map || !isAligned(map, 64) || !address || !isAligned(address, Narrow))
    return CUDA_ERROR_INVALID_VALUE;
  TensorMap encoded;
  std::memcpy(&encoded, map, sizeof(encoded));
  if (encoded.mark != TensorMap::Mark)
    return CUDA_ERROR_INVALID_VALUE;
  encoded.address = reinterpret_cast<uint64_t>(address);
  std::memcpy(map, &encoded, sizeof(encoded));
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
