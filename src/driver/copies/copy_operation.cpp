// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills as nodes of graphs.
#include "driver/copies/copy.h"
#include "driver/copies/fill.h"

namespace heddle::driver {

namespace {

bool isOneRow(const Box &box) { return box.height == 1 && box.depth == 1; }

CUmemorytype typeOf(const Side &side) {
  if (side.array)
    return CU_MEMORYTYPE_ARRAY;
  return side.host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

/// One side of CUDA_MEMCPY3D, whose fields have different names for each.
struct Told {
  size_t &x, &y, &z;
  CUmemorytype &type;
  CUdeviceptr &device;
  CUarray &array;
  size_t &pitch, &height;
};

void tell(const Side &side, const Box &box, Told told) {
  told.type = typeOf(side);
  if (side.array) {
    told.array = reinterpret_cast<CUarray>(side.array);
    told.x = side.pos.x * side.array->elementBytes, told.y = side.pos.y, told.z = side.pos.z;
    return;
  }
  told.device = reinterpret_cast<CUdeviceptr>(side.at);
  if (isOneRow(box)) // as a GPU tells it
    return;
  told.pitch = side.pitch;
  told.height = side.slice ? side.slice / side.pitch : box.height;
}

std::string text(const Side &side) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, side.array ? "array %p" : "%p",
                side.array ? static_cast<void *>(side.array) : side.at);
  return buffer;
}

std::string text(const Box &box) {
  return std::to_string(box.width) + " x " + std::to_string(box.height) + " x " +
         std::to_string(box.depth) + " bytes";
}

} // namespace

CopyOperation::CopyOperation(const CopyWork &work) : work(work), params{} {
  CUDA_MEMCPY3D &p = params;
  tell(work.from, work.box,
       {p.srcXInBytes, p.srcY, p.srcZ, p.srcMemoryType, p.srcDevice, p.srcArray, p.srcPitch,
        p.srcHeight});
  tell(work.to, work.box,
       {p.dstXInBytes, p.dstY, p.dstZ, p.dstMemoryType, p.dstDevice, p.dstArray, p.dstPitch,
        p.dstHeight});
  if (p.srcMemoryType == CU_MEMORYTYPE_HOST)
    p.srcHost = work.from.at, p.srcDevice = 0;
  if (p.dstMemoryType == CU_MEMORYTYPE_HOST)
    p.dstHost = work.to.at, p.dstDevice = 0;
  p.WidthInBytes = work.box.width, p.Height = work.box.height, p.Depth = work.box.depth;
}

CUresult CopyOperation::makeWork(device::GraphWork &to, PlanContext &) {
  to.kind = device::GraphWork::Kind::Task;
  to.task = taskOf(work, *device);
  return CUDA_SUCCESS;
}

cudaGraphExecUpdateResult CopyOperation::compare(const Operation &operation) const {
  const CopyWork &other = static_cast<const CopyOperation &>(operation).work;
  auto sameKind = [](const Side &a, const Side &b) {
    return a.host == b.host && !a.array == !b.array;
  };
  return sameKind(work.to, other.to) && sameKind(work.from, other.from) &&
                 isOneRow(work.box) == isOneRow(other.box)
             ? cudaGraphExecUpdateSuccess
             : cudaGraphExecUpdateErrorParametersChanged;
}

std::vector<std::string> CopyOperation::describe() const {
  return {"memcpy", "to " + text(work.to), "from " + text(work.from), text(work.box)};
}

CUresult FillOperation::makeWork(device::GraphWork &to, PlanContext &) {
  to.kind = device::GraphWork::Kind::Task;
  to.task = taskOf(work, *device);
  return CUDA_SUCCESS;
}

cudaGraphExecUpdateResult FillOperation::compare(const Operation &operation) const {
  const FillWork &other = static_cast<const FillOperation &>(operation).work;
  return work.side.host == other.side.host && isOneRow(work.box) == isOneRow(other.box)
             ? cudaGraphExecUpdateSuccess
             : cudaGraphExecUpdateErrorParametersChanged;
}

std::vector<std::string> FillOperation::describe() const {
  return {"memset", "at " + text(work.side), "value " + std::to_string(work.value), text(work.box)};
}

} // namespace heddle::driver
