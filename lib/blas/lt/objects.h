// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the opaque objects of cuBLASLt hold: a layout of a matrix, a product, a preference.
#pragma once

#include <cublasLt.h>

#include <cstring>
#include <new>

namespace heddle::blas {

struct Layout {
  cudaDataType type;
  int32_t order = CUBLASLT_ORDER_COL;
  uint64_t rows, columns;
  int64_t ld;
  int32_t batchCount = 1;
  int64_t batchStride = 0;
  int64_t planeOffset = 0;
};

struct Matmul {
  int32_t computeType, scaleType;
  int32_t pointerMode = CUBLASLT_POINTER_MODE_HOST;
  int32_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_N, transc = CUBLAS_OP_N;
  int32_t fillMode = CUBLAS_FILL_MODE_FULL;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void *bias = nullptr;
  int64_t biasStride = 0;
  void *aux = nullptr;
  int64_t auxLd = 0, auxStride = 0, alphaStride = 0;
  int32_t smCountTarget = 0;
  const void *scaleA = nullptr, *scaleB = nullptr, *scaleC = nullptr, *scaleD = nullptr;
  void *amaxD = nullptr;
  int32_t auxType = -1, biasType = -1;
  int8_t fastAccumulation = 0;
  int32_t scaleModeA = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F, scaleModeB = scaleModeA,
          scaleModeC = scaleModeA, scaleModeD = scaleModeA, auxScaleMode = scaleModeA,
          outScaleModeD = scaleModeA;
  void *outScaleD = nullptr;

  /// Factors of blocks of a matrix, which need a device of compute capability 10.
  bool scalesBlocks() const {
    return scaleModeA || scaleModeB || scaleModeC || scaleModeD || auxScaleMode || outScaleModeD ||
           outScaleD;
  }
};

struct Transform {
  int32_t scaleType;
  int32_t pointerMode = CUBLASLT_POINTER_MODE_HOST;
  int32_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_N;
};

/// How to run the one algorithm that there is. Nothing but the numbers is kept.
struct Algorithm {
  int32_t id = 0;
  uint32_t tile = CUBLASLT_MATMUL_TILE_UNDEFINED;
  int32_t splits = 0;
  uint32_t reduction = CUBLASLT_REDUCTION_SCHEME_NONE, swizzling = 0, option = 0,
           stages = CUBLASLT_MATMUL_STAGES_UNDEFINED;
  uint16_t innerShape = 0, clusterShape = 0;
};

struct Preference {
  uint32_t searchMode = 0;
  uint64_t workspaceBytes = 0;
  uint32_t reductionMask = ~0u, alignmentA = 256, alignmentB = 256, alignmentC = 256,
           alignmentD = 256;
  float wavesCount = 0;
  uint64_t implementationMask = ~uint64_t(0);
};

static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t));
static_assert(sizeof(Matmul) <= sizeof(cublasLtMatmulDescOpaque_t));
static_assert(sizeof(Transform) <= sizeof(cublasLtMatrixTransformDescOpaque_t));
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(Preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t));

/// The object in an opaque one.
template <typename T, typename Opaque> T &inside(Opaque *opaque) {
  return *reinterpret_cast<T *>(opaque);
}

/// Where an attribute is; nothing for a number that is none.
struct Place {
  void *address = nullptr;
  size_t size = 0;
};
template <typename T> Place at(T &member) { return {&member, sizeof member}; }

/// Writes the attribute at a place, from bytes of its documented size.
inline cublasStatus_t setBytes(Place place, const void *buf, size_t size) {
  if (!place.address || !buf || size != place.size)
    return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(place.address, buf, size);
  return CUBLAS_STATUS_SUCCESS;
}

/// Reads it. With size 0 the attribute's own size is asked for.
inline cublasStatus_t getBytes(Place place, void *buf, size_t size, size_t *written) {
  if (!place.address || (size == 0 ? !written : size != place.size || !buf))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (written)
    *written = place.size;
  if (size != 0)
    std::memcpy(buf, place.address, size);
  return CUBLAS_STATUS_SUCCESS;
}

} // namespace heddle::blas
