// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches of copies. CUDA promises no order among the copies of a batch; here they run in the order
// given. The attributes are hints (where memory lies, whether to overlap) but for the access order
// of the source, and an in-order copy satisfies each of those.
#include "driver/copies/checked.h"
#include "driver/copies/copy.h"
#include "driver/streams/capture.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

using namespace heddle::driver;

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
CUresult checkStream(cudaStream_t handle) {
  const Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  return stream == currentContext().legacy ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/// `element`: the bytes of what the operand counts in.
CUresult sideOf(const cudaMemcpy3DOperand &operand, const Box &box, size_t element, Side &side) {
  if (operand.type == cudaMemcpyOperandTypeArray) {
    const auto &a = operand.op.array;
    if (!isArray(a.array))
      return CUDA_ERROR_INVALID_VALUE;
    return arraySide(a.array, Checked(a.offset.x) * a.array->elementBytes, a.offset.y, a.offset.z,
                     box, side);
  }
  if (operand.type != cudaMemcpyOperandTypePointer)
    return CUDA_ERROR_INVALID_VALUE;
  const auto &p = operand.op.ptr;
  const size_t pitch = p.rowLength ? Checked(p.rowLength) * element : Checked(box.width);
  const size_t rows = p.layerHeight ? p.layerHeight : box.height;
  if (pitch < box.width || rows < box.height)
    return CUDA_ERROR_INVALID_VALUE;
  return linearSide(p.ptr, pitch, Checked(pitch) * rows, box, false, side);
}

CUresult copyOne(const cudaMemcpy3DBatchOp &op, cudaStream_t stream) {
  auto elementOf = [](const cudaMemcpy3DOperand &o) -> size_t {
    return o.type == cudaMemcpyOperandTypeArray && isArray(o.op.array.array)
               ? o.op.array.array->elementBytes
               : 0;
  };
  const size_t element = std::max({elementOf(op.src), elementOf(op.dst), size_t(1)});
  const Box box{Checked(op.extent.width) * element, op.extent.height, op.extent.depth};
  if (!isValid(op.srcAccessOrder) || box.empty())
    return CUDA_ERROR_INVALID_VALUE;
  Side target, source;
  if (CUresult error = sideOf(op.dst, box, element, target))
    return error;
  if (CUresult error = sideOf(op.src, box, element, source))
    return error;
  CUresult error = copy(target, source, box, inStream(stream));
  if (!error && op.srcAccessOrder == cudaMemcpySrcAccessOrderDuringApiCall)
    error = synchronize(*streamOf(stream)); // then the source has been read
  return error;
}

/// One copy of a batch. A source that may change after the call is set aside now: pageable memory
/// has been read when copyLinear returns.
CUresult copyOne(void *to, const void *from, size_t bytes, cudaMemcpySrcAccessOrder order,
                 cudaStream_t stream) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  const PointerInfo source = lookUp(from);
  bool isCaptured = false; // a node reads when it runs
  if (CUresult error = lookForCapture(*streamOf(stream), isCaptured))
    return error;
  if (order != cudaMemcpySrcAccessOrderDuringApiCall || isCaptured || source.isPageable() ||
      !source.holds(from, bytes))
    return copyLinear(to, bytes, from, bytes, {bytes}, cudaMemcpyDefault, inStream(stream));
  const std::unique_ptr<uint8_t[]> aside(new (std::nothrow) uint8_t[bytes]);
  if (!aside)
    return CUDA_ERROR_OUT_OF_MEMORY;
  Side sides[2];
  sides[0].at = aside.get();
  sides[1].at = static_cast<uint8_t *>(const_cast<void *>(from));
  if (!CopyWork{sides[0], sides[1], {bytes}}.run())
    return CUDA_ERROR_INVALID_VALUE;
  return copyLinear(to, bytes, aside.get(), bytes, {bytes}, cudaMemcpyDefault, inStream(stream));
}

} // namespace

CUresult heddle::driver::cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                                              cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                                              size_t numAttrs, size_t *failIdx,
                                              cudaStream_t stream) {
  return enter([&]() -> CUresult {
    if (failIdx)
      *failIdx = SIZE_MAX;
    if (!dsts || !srcs || !sizes || !count || !areValid(attrs, attrsIdxs, numAttrs, count))
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = checkStream(stream))
      return error;
    for (size_t i = 0, group = 0; i < count; ++i) {
      group += group + 1 < numAttrs && attrsIdxs[group + 1] == i;
      if (CUresult error =
              copyOne(dsts[i], srcs[i], sizes[i], attrs[group].srcAccessOrder, stream)) {
        if (failIdx)
          *failIdx = i;
        return error;
      }
    }
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaMemcpy3DBatchAsync(size_t numOps, cudaMemcpy3DBatchOp *opList,
                                                size_t *failIdx, unsigned long long flags,
                                                cudaStream_t stream) {
  return enter([&]() -> CUresult {
    if (failIdx)
      *failIdx = SIZE_MAX;
    if (!numOps || !opList || flags)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = checkStream(stream))
      return error;
    for (size_t i = 0; i < numOps; ++i)
      if (CUresult error = copyOne(opList[i], stream)) {
        if (failIdx)
          *failIdx = i;
        return error;
      }
    return CUDA_SUCCESS;
  });
}
