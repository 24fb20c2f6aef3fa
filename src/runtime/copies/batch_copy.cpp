// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches of copies. CUDA promises no order among the copies of a batch; here they run in the order given. The
// attributes are hints (where memory lies, whether to overlap) but for the access order of the source, and an
// in-order copy satisfies each of those.
#include "runtime/copies/copy.h"

#include <algorithm>

using namespace heddle::runtime;

namespace {

bool isValid(cudaMemcpySrcAccessOrder order) {
  return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny;
}

/// attrsIdxs[i] is the first copy that attrs[i] applies to: increasing, from 0.
bool areValid(const cudaMemcpyAttributes *attributes, const size_t *first, size_t count,
              size_t copies) {
  if (!attributes || !first || !count || count > copies || first[0] != 0)
    return false;
  for (size_t i = 0; i < count; ++i)
    if (!isValid(attributes[i].srcAccessOrder) || first[i] >= copies ||
        (i && first[i] <= first[i - 1]))
      return false;
  return true;
}

/// Batches are for streams of one's own: "must not be the legacy default stream".
bool isLegacy(cudaStream_t handle) {
  Stream *stream = streamOf(handle);
  return stream && stream == currentDevice().legacy;
}

cudaError_t sideOf(const cudaMemcpy3DOperand &operand, const Box &box, Side &side) {
  if (operand.type == cudaMemcpyOperandTypeArray) {
    const auto &a = operand.op.array;
    if (!isArray(a.array))
      return cudaErrorInvalidValue;
    return arraySide(a.array, a.offset.x * a.array->elementBytes, a.offset.y, a.offset.z, box,
                     side);
  }
  if (operand.type != cudaMemcpyOperandTypePointer)
    return cudaErrorInvalidValue;
  const auto &p = operand.op.ptr;
  const size_t pitch = p.rowLength ? p.rowLength : box.width;
  const size_t rows = p.layerHeight ? p.layerHeight : box.height;
  if (pitch < box.width || rows < box.height)
    return cudaErrorInvalidValue;
  return linearSide(p.ptr, pitch, pitch * rows, box, false, side);
}

cudaError_t copyOne(const cudaMemcpy3DBatchOp &op, cudaStream_t stream) {
  auto elementOf = [](const cudaMemcpy3DOperand &o) -> size_t {
    return o.type == cudaMemcpyOperandTypeArray && isArray(o.op.array.array)
               ? o.op.array.array->elementBytes
               : 0;
  };
  const size_t element = std::max({elementOf(op.src), elementOf(op.dst), size_t(1)});
  const Box box{op.extent.width * element, op.extent.height, op.extent.depth};
  if (!isValid(op.srcAccessOrder) || box.empty())
    return cudaErrorInvalidValue;
  Side target, source;
  if (cudaError_t error = sideOf(op.dst, box, target))
    return error;
  if (cudaError_t error = sideOf(op.src, box, source))
    return error;
  return copy(target, source, box, inStream(stream));
}

} // namespace

HEDDLE_API cudaError_t cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                                            cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                                            size_t numAttrs, size_t *failIdx, cudaStream_t stream) {
  return enter([&] {
    if (failIdx)
      *failIdx = SIZE_MAX;
    if (!dsts || !srcs || !sizes || !count || !areValid(attrs, attrsIdxs, numAttrs, count) ||
        isLegacy(stream))
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      cudaError_t error = sizes[i] ? copyLinear(dsts[i], sizes[i], srcs[i], sizes[i], {sizes[i]},
                                                cudaMemcpyDefault, inStream(stream))
                                   : cudaErrorInvalidValue;
      if (error != cudaSuccess) {
        if (failIdx)
          *failIdx = i;
        return error;
      }
    }
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, cudaMemcpy3DBatchOp *opList,
                                              size_t *failIdx, unsigned long long flags,
                                              cudaStream_t stream) {
  return enter([&] {
    if (failIdx)
      *failIdx = SIZE_MAX;
    if (!numOps || !opList || flags || isLegacy(stream))
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < numOps; ++i)
      if (cudaError_t error = copyOne(opList[i], stream)) {
        if (failIdx)
          *failIdx = i;
        return error;
      }
    return cudaSuccess;
  });
}
