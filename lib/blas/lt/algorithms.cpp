// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing among cuBLASLt's algorithms by hand (cuBLAS Library, "cublasLtMatmulAlgoGetIds()" and
// what follows). There is one, with number 0. What can be set of it is kept and answered, and
// changes nothing.
#include "blas/lt/objects.h"
#include "blas/product.h"

#include <atomic>

namespace heddle::blas {

namespace {

/// What the algorithm can, as the attributes have it.
struct Capabilities {
  int32_t no = 0, yes = 1, lastOption = 0;
  uint32_t none = 0, swizzling = 0, tile = CUBLASLT_MATMUL_TILE_UNDEFINED,
           stages = CUBLASLT_MATMUL_STAGES_UNDEFINED, alignment = 1;
  // Bits for scalars and vectors of them, and for all epilogues.
  uint32_t pointerModes = (2u << CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST) - 1;
  uint32_t epilogues = CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU_AUX_BIAS |
                       CUBLASLT_EPILOGUE_DRELU_BGRAD | CUBLASLT_EPILOGUE_GELU_AUX_BIAS |
                       CUBLASLT_EPILOGUE_DGELU_BGRAD | CUBLASLT_EPILOGUE_BGRADA |
                       CUBLASLT_EPILOGUE_BGRADB;
  uint64_t implementation = 1; // fused multiply and add, no tensor cores
};
Capabilities capabilities;

Place placeOf(cublasLtMatmulAlgoCapAttributes_t attribute) {
  Capabilities &c = capabilities;
  switch (attribute) {
  case CUBLASLT_ALGO_CAP_SPLITK_SUPPORT:
  case CUBLASLT_ALGO_CAP_UPLO_SUPPORT:
  case CUBLASLT_ALGO_CAP_LD_NEGATIVE:
  case CUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER:
    return at(c.no);
  case CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT:
  case CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT:
    return at(c.yes);
  case CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK:
    return at(c.none);
  case CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT:
    return at(c.swizzling);
  case CUBLASLT_ALGO_CAP_TILE_IDS:
    return at(c.tile);
  case CUBLASLT_ALGO_CAP_STAGES_IDS:
    return at(c.stages);
  case CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX:
    return at(c.lastOption);
  case CUBLASLT_ALGO_CAP_POINTER_MODE_MASK:
    return at(c.pointerModes);
  case CUBLASLT_ALGO_CAP_EPILOGUE_MASK:
    return at(c.epilogues);
  case CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS:
    return at(c.implementation);
  case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES:
  case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES:
  case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES:
  case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES:
    return at(c.alignment);
  }
  return {};
}

Place placeOf(Algorithm &a, cublasLtMatmulAlgoConfigAttributes_t attribute) {
  switch (attribute) {
  case CUBLASLT_ALGO_CONFIG_ID:
    return at(a.id);
  case CUBLASLT_ALGO_CONFIG_TILE_ID:
    return at(a.tile);
  case CUBLASLT_ALGO_CONFIG_SPLITK_NUM:
    return at(a.splits);
  case CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME:
    return at(a.reduction);
  case CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING:
    return at(a.swizzling);
  case CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION:
    return at(a.option);
  case CUBLASLT_ALGO_CONFIG_STAGES_ID:
    return at(a.stages);
  case CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID:
    return at(a.innerShape);
  case CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID:
    return at(a.clusterShape);
  }
  return {};
}

/// Whether there is arithmetic for the types at all; the layouts say the rest.
cublasStatus_t checkTypes(cublasLtHandle_t handle, cudaDataType A, cudaDataType B, cudaDataType C,
                          cudaDataType D) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  bool known = sizeOf(A) && sizeOf(B) && sizeOf(C) && sizeOf(D);
  return known ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

std::atomic<size_t> cacheCapacity{8192};
std::atomic<unsigned> instructionsMask{0};

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;

#define HEDDLE_EXPORT __attribute__((visibility("default")))

extern "C" {

HEDDLE_EXPORT cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t,
                                                      cudaDataType_t, cudaDataType_t A,
                                                      cudaDataType_t B, cudaDataType_t C,
                                                      cudaDataType_t D, int requested, int ids[],
                                                      int *returned) {
  if (cublasStatus_t bad = checkTypes(handle, A, B, C, D))
    return bad;
  if (requested <= 0 || !ids || !returned)
    return CUBLAS_STATUS_INVALID_VALUE;
  ids[0] = 0;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t,
                                                    cudaDataType_t, cudaDataType_t A,
                                                    cudaDataType_t B, cudaDataType_t C,
                                                    cudaDataType_t D, int id,
                                                    cublasLtMatmulAlgo_t *algo) {
  if (cublasStatus_t bad = checkTypes(handle, A, B, C, D))
    return bad;
  if (!algo || id != 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  *algo = {};
  new (algo) Algorithm;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasLtMatmulAlgoCheck(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t matmul, cublasLtMatrixLayout_t A,
    cublasLtMatrixLayout_t B, cublasLtMatrixLayout_t C, cublasLtMatrixLayout_t D,
    const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result) {
  if (!algo || !result || inside<const Algorithm>(algo).id != 0)
    return handle ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;
  cublasLtMatmulPreferenceOpaque_t preference;
  cublasLtMatmulPreferenceInit(&preference);
  int count = 0;
  cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(handle, matmul, A, B, C, D, &preference, 1, result, &count);
  if (status == CUBLAS_STATUS_SUCCESS)
    result->algo = *algo;
  return status;
}

HEDDLE_EXPORT cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(
    const cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoCapAttributes_t attribute, void *buf,
    size_t size, size_t *written) {
  return algo ? getBytes(placeOf(attribute), buf, size, written) : CUBLAS_STATUS_INVALID_VALUE;
}

HEDDLE_EXPORT cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(
    cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoConfigAttributes_t attribute, const void *buf,
    size_t size) {
  if (!algo || attribute == CUBLASLT_ALGO_CONFIG_ID) // which can only be read
    return CUBLAS_STATUS_INVALID_VALUE;
  return setBytes(placeOf(inside<Algorithm>(algo), attribute), buf, size);
}

HEDDLE_EXPORT cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(
    const cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoConfigAttributes_t attribute, void *buf,
    size_t size, size_t *written) {
  if (!algo)
    return CUBLAS_STATUS_INVALID_VALUE;
  Algorithm copy = inside<const Algorithm>(algo);
  return getBytes(placeOf(copy, attribute), buf, size, written);
}

// Nothing is searched for, so there is no cache.
HEDDLE_EXPORT cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t *capacity) {
  if (!capacity)
    return CUBLAS_STATUS_INVALID_VALUE;
  *capacity = cacheCapacity;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t capacity) {
  cacheCapacity = capacity;
  return CUBLAS_STATUS_SUCCESS;
}

/// Returns the mask before. OpenBLAS chooses its instructions itself.
HEDDLE_EXPORT unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask) {
  return instructionsMask.exchange(mask);
}

} // extern "C"
