// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memcpy and memset nodes (driver API, "Graph Management").
#include "driver/copies/checked.h"
#include "driver/copies/copy.h"
#include "driver/copies/fill.h"
#include "driver/functions.h"
#include "driver/nodes/node_makers.h"

#include <algorithm>
#include <bit>

namespace heddle::driver {

namespace {

/// One side of a CUDA_MEMCPY3D.
struct CopySide {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  size_t x, y, z, level, pitch, height;

  const void *start() const {
    return type == CU_MEMORYTYPE_HOST ? host : reinterpret_cast<const void *>(device);
  }
};

CopySide sourceOf(const CUDA_MEMCPY3D &c) {
  return {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes,
          c.srcY,          c.srcZ,    c.srcLOD,    c.srcPitch, c.srcHeight};
}
CopySide targetOf(const CUDA_MEMCPY3D &c) {
  return {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes,
          c.dstY,          c.dstZ,    c.dstLOD,    c.dstPitch, c.dstHeight};
}

CUresult readArray(const CopySide &from, const Box &box, Side &side) {
  const auto array = reinterpret_cast<cudaArray_t>(from.array);
  if (!isArray(array) || from.x % array->elementBytes || box.width % array->elementBytes)
    return CUDA_ERROR_INVALID_VALUE;
  return arraySide(array, from.x, from.y, from.z, box, side);
}

/// A row needs no pitch, and a slice no height.
CUresult readLinear(const CopySide &from, const Box &box, Side &side) {
  const Checked right = Checked(from.x) + box.width, bottom = Checked(from.y) + box.height;
  const bool isRow = box.isRow() && !from.y && !from.z, isSlice = box.depth == 1 && !from.z;
  const Checked pitch = isRow && !from.pitch ? right : Checked(from.pitch);
  const Checked height = isSlice ? std::max<size_t>(from.height, bottom) : from.height;
  if (!from.start() || pitch < right || height < bottom)
    return CUDA_ERROR_INVALID_VALUE;
  const Checked slice = pitch * height, offset = slice * from.z + pitch * from.y + from.x;
  if (!isUsersSpace(from.start(), offset))
    return CUDA_ERROR_INVALID_VALUE;
  return linearSide(static_cast<const uint8_t *>(from.start()) + offset, pitch, slice, box,
                    from.type == CU_MEMORYTYPE_DEVICE, side);
}

CUresult readSide(const CopySide &from, const Box &box, Side &side) {
  if (from.type < CU_MEMORYTYPE_HOST || from.type > CU_MEMORYTYPE_UNIFIED || from.level)
    return CUDA_ERROR_INVALID_VALUE;
  return from.type == CU_MEMORYTYPE_ARRAY ? readArray(from, box, side)
                                          : readLinear(from, box, side);
}

auto copyOf(const CUDA_MEMCPY3D *copy) {
  return [=](auto &operation, auto &...) { return makeCopy(copy, operation); };
}

auto fillOf(const CUDA_MEMSET_NODE_PARAMS *params) {
  return [=](auto &operation, auto &...) { return makeFill(params, operation); };
}

} // namespace

CUresult makeCopy(const CUDA_MEMCPY3D *copy, std::unique_ptr<Operation> &operation) {
  CopyWork work;
  if (!copy || !copy->WidthInBytes || !copy->Height || !copy->Depth)
    return CUDA_ERROR_INVALID_VALUE;
  work.box = {copy->WidthInBytes, copy->Height, copy->Depth};
  if (CUresult error = readSide(targetOf(*copy), work.box, work.to))
    return error;
  if (CUresult error = readSide(sourceOf(*copy), work.box, work.from))
    return error;
  operation = std::make_unique<CopyOperation>(work, *copy);
  operation->device = &currentContext();
  return CUDA_SUCCESS;
}

/// Both APIs have the same layout.
CUresult makeFill(const CUDA_MEMSET_NODE_PARAMS *params, std::unique_ptr<Operation> &operation) {
  FillWork work;
  if (CUresult error = readFill(reinterpret_cast<const cudaMemsetParams *>(params), work))
    return error;
  operation = std::make_unique<FillOperation>(work);
  operation->device = &currentContext();
  return CUDA_SUCCESS;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t count, const CUDA_MEMCPY3D *copy, CUcontext context) {
  return inContext(context,
                   [&] { return addOperation(node, graph, dependencies, count, copyOf(copy)); });
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *copy) {
  return withNode<CopyOperation>(node, [&](const CopyOperation &operation) -> CUresult {
    if (!copy)
      return CUDA_ERROR_INVALID_VALUE;
    *copy = operation.params;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *copy) {
  return setOperation<CopyOperation>(node, copyOf(copy));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *copy, CUcontext context) {
  return inContext(context,
                   [&] { return setOperationHere<CopyOperation>(exec, node, copyOf(copy)); });
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS *params,
                              CUcontext context) {
  return inContext(context,
                   [&] { return addOperation(node, graph, dependencies, count, fillOf(params)); });
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params) {
  return withNode<FillOperation>(node, [&](const FillOperation &operation) -> CUresult {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    *params = std::bit_cast<CUDA_MEMSET_NODE_PARAMS>(paramsOf(operation.work));
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params) {
  return setOperation<FillOperation>(node, fillOf(params));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context) {
  return inContext(context,
                   [&] { return setOperationHere<FillOperation>(exec, node, fillOf(params)); });
}

} // namespace heddle::driver
