// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects of cuBLASLt and their attributes, which are read and written as bytes of their
// documented size.
#include "blas/lt/objects.h"

#include "blas/openblas.h"
#include "blas/status.h"

using namespace heddle::blas;

#define HEDDLE_EXPORT __attribute__((visibility("default")))

struct cublasLtContext {};

namespace {

Place placeOf(Layout &l, cublasLtMatrixLayoutAttribute_t attribute) {
  switch (attribute) {
  case CUBLASLT_MATRIX_LAYOUT_TYPE:
    return at(l.type);
  case CUBLASLT_MATRIX_LAYOUT_ORDER:
    return at(l.order);
  case CUBLASLT_MATRIX_LAYOUT_ROWS:
    return at(l.rows);
  case CUBLASLT_MATRIX_LAYOUT_COLS:
    return at(l.columns);
  case CUBLASLT_MATRIX_LAYOUT_LD:
    return at(l.ld);
  case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
    return at(l.batchCount);
  case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
    return at(l.batchStride);
  case CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET:
    return at(l.planeOffset);
  }
  return {};
}

Place placeOf(Matmul &m, cublasLtMatmulDescAttributes_t attribute) {
  switch (attribute) {
#define HEDDLE_ATTRIBUTE(name, member)                                                             \
  case CUBLASLT_MATMUL_DESC_##name:                                                                \
    return at(m.member);
    HEDDLE_ATTRIBUTE(COMPUTE_TYPE, computeType)
    HEDDLE_ATTRIBUTE(SCALE_TYPE, scaleType)
    HEDDLE_ATTRIBUTE(POINTER_MODE, pointerMode)
    HEDDLE_ATTRIBUTE(TRANSA, transa)
    HEDDLE_ATTRIBUTE(TRANSB, transb)
    HEDDLE_ATTRIBUTE(TRANSC, transc)
    HEDDLE_ATTRIBUTE(FILL_MODE, fillMode)
    HEDDLE_ATTRIBUTE(EPILOGUE, epilogue)
    HEDDLE_ATTRIBUTE(BIAS_POINTER, bias)
    HEDDLE_ATTRIBUTE(BIAS_BATCH_STRIDE, biasStride)
    HEDDLE_ATTRIBUTE(EPILOGUE_AUX_POINTER, aux)
    HEDDLE_ATTRIBUTE(EPILOGUE_AUX_LD, auxLd)
    HEDDLE_ATTRIBUTE(EPILOGUE_AUX_BATCH_STRIDE, auxStride)
    HEDDLE_ATTRIBUTE(ALPHA_VECTOR_BATCH_STRIDE, alphaStride)
    HEDDLE_ATTRIBUTE(SM_COUNT_TARGET, smCountTarget)
    HEDDLE_ATTRIBUTE(A_SCALE_POINTER, scaleA)
    HEDDLE_ATTRIBUTE(B_SCALE_POINTER, scaleB)
    HEDDLE_ATTRIBUTE(C_SCALE_POINTER, scaleC)
    HEDDLE_ATTRIBUTE(D_SCALE_POINTER, scaleD)
    HEDDLE_ATTRIBUTE(AMAX_D_POINTER, amaxD)
    HEDDLE_ATTRIBUTE(EPILOGUE_AUX_DATA_TYPE, auxType)
    HEDDLE_ATTRIBUTE(FAST_ACCUM, fastAccumulation)
    HEDDLE_ATTRIBUTE(BIAS_DATA_TYPE, biasType)
    HEDDLE_ATTRIBUTE(A_SCALE_MODE, scaleModeA)
    HEDDLE_ATTRIBUTE(B_SCALE_MODE, scaleModeB)
    HEDDLE_ATTRIBUTE(C_SCALE_MODE, scaleModeC)
    HEDDLE_ATTRIBUTE(D_SCALE_MODE, scaleModeD)
    HEDDLE_ATTRIBUTE(EPILOGUE_AUX_SCALE_MODE, auxScaleMode)
    HEDDLE_ATTRIBUTE(D_OUT_SCALE_POINTER, outScaleD)
    HEDDLE_ATTRIBUTE(D_OUT_SCALE_MODE, outScaleModeD)
#undef HEDDLE_ATTRIBUTE
  }
  return {};
}

Place placeOf(Transform &t, cublasLtMatrixTransformDescAttributes_t attribute) {
  switch (attribute) {
  case CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE:
    return at(t.scaleType);
  case CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE:
    return at(t.pointerMode);
  case CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA:
    return at(t.transa);
  case CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB:
    return at(t.transb);
  }
  return {};
}

Place placeOf(Preference &p, cublasLtMatmulPreferenceAttributes_t attribute) {
  switch (attribute) {
  case CUBLASLT_MATMUL_PREF_SEARCH_MODE:
    return at(p.searchMode);
  case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
    return at(p.workspaceBytes);
  case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
    return at(p.reductionMask);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    return at(p.alignmentA);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    return at(p.alignmentB);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    return at(p.alignmentC);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
    return at(p.alignmentD);
  case CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT:
    return at(p.wavesCount);
  case CUBLASLT_MATMUL_PREF_IMPL_MASK:
    return at(p.implementationMask);
  }
  return {};
}

template <typename T, typename Opaque, typename A>
cublasStatus_t set(Opaque *object, A attribute, const void *buf, size_t size) {
  if (!object)
    return CUBLAS_STATUS_INVALID_VALUE;
  return setBytes(placeOf(inside<T>(object), attribute), buf, size);
}

template <typename T, typename Opaque, typename A>
cublasStatus_t get(Opaque *object, A attribute, void *buf, size_t size, size_t *written) {
  if (!object)
    return CUBLAS_STATUS_INVALID_VALUE;
  return getBytes(placeOf(inside<T>(object), attribute), buf, size, written);
}

template <typename T, typename Opaque> cublasStatus_t init(Opaque *object, size_t size, T value) {
  if (!object || size < sizeof(Opaque))
    return CUBLAS_STATUS_INVALID_VALUE;
  new (object) T(value);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T, typename Opaque> cublasStatus_t create(Opaque **object, T value) {
  if (!object)
    return CUBLAS_STATUS_INVALID_VALUE;
  *object = new (std::nothrow) Opaque;
  return *object ? init(*object, sizeof(Opaque), value) : CUBLAS_STATUS_ALLOC_FAILED;
}

template <typename Opaque> cublasStatus_t destroy(Opaque *object) {
  delete object;
  return CUBLAS_STATUS_SUCCESS;
}

} // namespace

extern "C" {

HEDDLE_EXPORT cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  if (!handle)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (cudaFree(nullptr) != cudaSuccess || !openblas::sgemm)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new (std::nothrow) cublasLtContext;
  return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

HEDDLE_EXPORT cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT const char *cublasLtGetStatusName(cublasStatus_t status) {
  return statusName(status);
}
HEDDLE_EXPORT const char *cublasLtGetStatusString(cublasStatus_t status) {
  return statusText(status);
}
HEDDLE_EXPORT size_t cublasLtGetVersion() { return CUBLAS_VERSION; }
HEDDLE_EXPORT size_t cublasLtGetCudartVersion() { return CUDART_VERSION; }
HEDDLE_EXPORT cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value) {
  return versionPart(type, value);
}

HEDDLE_EXPORT cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t object,
                                                               size_t size, cudaDataType type,
                                                               uint64_t rows, uint64_t columns,
                                                               int64_t ld) {
  return init(object, size, Layout{.type = type, .rows = rows, .columns = columns, .ld = ld});
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *object,
                                                        cudaDataType type, uint64_t rows,
                                                        uint64_t columns, int64_t ld) {
  return create(object, Layout{.type = type, .rows = rows, .columns = columns, .ld = ld});
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t object) {
  return destroy(object);
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatrixLayoutSetAttribute(
    cublasLtMatrixLayout_t object, cublasLtMatrixLayoutAttribute_t attribute, const void *buf,
    size_t size) {
  return set<Layout>(object, attribute, buf, size);
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatrixLayoutGetAttribute(
    cublasLtMatrixLayout_t object, cublasLtMatrixLayoutAttribute_t attribute, void *buf,
    size_t size, size_t *written) {
  return get<Layout>(object, attribute, buf, size, written);
}

HEDDLE_EXPORT cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t object,
                                                             size_t size,
                                                             cublasComputeType_t computeType,
                                                             cudaDataType scaleType) {
  return init(object, size, Matmul{.computeType = computeType, .scaleType = scaleType});
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *object,
                                                      cublasComputeType_t computeType,
                                                      cudaDataType scaleType) {
  return create(object, Matmul{.computeType = computeType, .scaleType = scaleType});
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t object) {
  return destroy(object);
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatmulDescSetAttribute(
    cublasLtMatmulDesc_t object, cublasLtMatmulDescAttributes_t attribute, const void *buf,
    size_t size) {
  return set<Matmul>(object, attribute, buf, size);
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatmulDescGetAttribute(
    cublasLtMatmulDesc_t object, cublasLtMatmulDescAttributes_t attribute, void *buf, size_t size,
    size_t *written) {
  return get<Matmul>(object, attribute, buf, size, written);
}

HEDDLE_EXPORT cublasStatus_t cublasLtMatrixTransformDescInit_internal(
    cublasLtMatrixTransformDesc_t object, size_t size, cudaDataType scaleType) {
  return init(object, size, Transform{.scaleType = scaleType});
}
HEDDLE_EXPORT cublasStatus_t
cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t *object, cudaDataType scaleType) {
  return create(object, Transform{.scaleType = scaleType});
}
HEDDLE_EXPORT cublasStatus_t
cublasLtMatrixTransformDescDestroy(cublasLtMatrixTransformDesc_t object) {
  return destroy(object);
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatrixTransformDescSetAttribute(
    cublasLtMatrixTransformDesc_t object, cublasLtMatrixTransformDescAttributes_t attribute,
    const void *buf, size_t size) {
  return set<Transform>(object, attribute, buf, size);
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatrixTransformDescGetAttribute(
    cublasLtMatrixTransformDesc_t object, cublasLtMatrixTransformDescAttributes_t attribute,
    void *buf, size_t size, size_t *written) {
  return get<Transform>(object, attribute, buf, size, written);
}

HEDDLE_EXPORT cublasStatus_t
cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t object, size_t size) {
  return init(object, size, Preference{});
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *object) {
  return create(object, Preference{});
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t object) {
  return destroy(object);
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t object, cublasLtMatmulPreferenceAttributes_t attribute,
    const void *buf, size_t size) {
  return set<Preference>(object, attribute, buf, size);
}
HEDDLE_EXPORT cublasStatus_t cublasLtMatmulPreferenceGetAttribute(
    cublasLtMatmulPreference_t object, cublasLtMatmulPreferenceAttributes_t attribute, void *buf,
    size_t size, size_t *written) {
  return get<Preference>(object, attribute, buf, size, written);
}

} // extern "C"
