// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches of copies. CUDA promises no order among the copies of a batch; here they run in the order
// given. The attributes are hints (where memory lies, whether to overlap) but for the access order
// of the source, and an in-order copy satisfies each of those.
#include "driver/copies/checked.h"
#include "driver/copies/copy.h"
#include "driver/functions.h"
#include "driver/memory/addresses.h"
#include "driver/streams/capture.h"

#include <algorithm>
#include <memory>
#include <new>

namespace heddle::driver {

namespace {

bool isValid(CUmemcpySrcAccessOrder order) {
  return order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
}

/// attrsIdxs[i] is the first copy that attrs[i] applies to: increasing, from 0.
bool isFlag(unsigned flags) { return flags <= CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE; }

bool isPlace(const CUmemLocation &hint) {
  return static_cast<unsigned>(hint.type) <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}

bool areValid(const CUmemcpyAttributes *attributes, const size_t *first, size_t count,
              size_t copies) {
  if (!attributes || !first || !count || count > copies || first[0] != 0)
    return false;
  for (size_t i = 0; i < count; ++i)
    if (!isValid(attributes[i].srcAccessOrder) || !isFlag(attributes[i].flags) ||
        !isPlace(attributes[i].srcLocHint) || !isPlace(attributes[i].dstLocHint) ||
        first[i] >= copies || (i && first[i] <= first[i - 1]))
      return false;
  return true;
}

/// Batches are for streams of one's own: "must not be the legacy default stream".
CUresult checkStream(CUstream handle) {
  const Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  return stream == currentContext().legacy ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/// `element`: the bytes of what the operand counts in.
CUresult sideOf(const CUmemcpy3DOperand &operand, const Box &box, size_t element, Side &side) {
  if (operand.type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
    const CUoffset3D &at = operand.op.array.offset;
    const cudaArray_t array = asArray(operand.op.array.array);
    if (!isArray(array))
      return CUDA_ERROR_INVALID_VALUE;
    return arraySide(array, Checked(at.x) * array->elementBytes, at.y, at.z, box, side);
  }
  if (operand.type != CU_MEMCPY_OPERAND_TYPE_POINTER)
    return CUDA_ERROR_INVALID_VALUE;
  const auto &p = operand.op.ptr;
  const size_t pitch = p.rowLength ? Checked(p.rowLength) * element : Checked(box.width);
  const size_t rows = p.layerHeight ? p.layerHeight : box.height;
  if (pitch < box.width || rows < box.height)
    return CUDA_ERROR_INVALID_VALUE;
  return linearSide(pointerTo(p.ptr), pitch, Checked(pitch) * rows, box, false, side);
}

CUresult copyOne(const CUDA_MEMCPY3D_BATCH_OP &op, CUstream stream) {
  auto elementOf = [](const CUmemcpy3DOperand &o) -> size_t {
    const bool isOne = o.type == CU_MEMCPY_OPERAND_TYPE_ARRAY && isArray(asArray(o.op.array.array));
    return isOne ? asArray(o.op.array.array)->elementBytes : 0;
  };
  const size_t element = std::max({elementOf(op.src), elementOf(op.dst), size_t(1)});
  const Box box{Checked(op.extent.width) * element, op.extent.height, op.extent.depth};
  if (!isValid(op.srcAccessOrder) || !isFlag(op.flags) || box.empty())
    return CUDA_ERROR_INVALID_VALUE;
  Side target, source;
  if (CUresult error = sideOf(op.dst, box, element, target))
    return error;
  if (CUresult error = sideOf(op.src, box, element, source))
    return error;
  CUresult error = copy(target, source, box, inStream(stream));
  if (!error && op.srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)
    error = synchronize(*streamOf(stream)); // then the source has been read
  return error;
}

/// One copy of a batch. A source that may change after the call is set aside now: pageable memory
/// has been read when copyLinear returns.
CUresult copyOne(void *to, const void *from, size_t bytes, CUmemcpySrcAccessOrder order,
                 CUstream stream) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  const PointerInfo source = lookUp(from);
  bool isCaptured = false; // a node reads when it runs
  if (CUresult error = lookForCapture(*streamOf(stream), isCaptured))
    return error;
  if (order != CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL || isCaptured || source.isPageable() ||
      !source.holds(from, bytes))
    return copyLinear(to, bytes, from, bytes, {bytes}, OnDevice(), inStream(stream));
  const std::unique_ptr<uint8_t[]> aside(new (std::nothrow) uint8_t[bytes]);
  if (!aside)
    return CUDA_ERROR_OUT_OF_MEMORY;
  Side sides[2];
  sides[0].at = aside.get();
  sides[1].at = static_cast<uint8_t *>(const_cast<void *>(from));
  if (!CopyWork{sides[0], sides[1], {bytes}}.run())
    return CUDA_ERROR_INVALID_VALUE;
  return copyLinear(to, bytes, aside.get(), bytes, {bytes}, OnDevice(), inStream(stream));
}

} // namespace

CUresult cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *attributeStarts,
                            size_t attributeCount, size_t *failed, CUstream stream) {
  if (failed)
    *failed = SIZE_MAX;
  if (!dsts || !srcs || !sizes || !count ||
      !areValid(attributes, attributeStarts, attributeCount, count))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = checkStream(stream))
    return error;
  for (size_t i = 0, group = 0; i < count; ++i) {
    group += group + 1 < attributeCount && attributeStarts[group + 1] == i;
    if (CUresult error = copyOne(pointerTo(dsts[i]), pointerTo(srcs[i]), sizes[i],
                                 attributes[group].srcAccessOrder, stream)) {
      if (failed)
        *failed = i;
      return error;
    }
  }
  return CUDA_SUCCESS;
}

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                               CUmemcpyAttributes *attributes, size_t *attributeStarts,
                               size_t attributeCount, CUstream stream) {
  return cuMemcpyBatchAsync(dsts, srcs, sizes, count, attributes, attributeStarts, attributeCount,
                            nullptr, stream);
}

CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, size_t *failed,
                              unsigned long long flags, CUstream stream) {
  if (failed)
    *failed = SIZE_MAX;
  if (!count || !operations || flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = checkStream(stream))
    return error;
  for (size_t i = 0; i < count; ++i)
    if (CUresult error = copyOne(operations[i], stream)) {
      if (failed)
        *failed = i;
      return error;
    }
  return CUDA_SUCCESS;
}

CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations,
                                 unsigned long long flags, CUstream stream) {
  return cuMemcpy3DBatchAsync(count, operations, nullptr, flags, stream);
}

} // namespace heddle::driver
