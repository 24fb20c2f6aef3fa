// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills as nodes of graphs.
#include "driver/copies/copy.h"
#include "driver/copies/fill.h"

#include <algorithm>

namespace heddle::driver {

namespace {

/// Bytes of what an extent counts in: elements of the array that takes part, else bytes.
size_t unitOf(const CopyWork &work) {
  const cudaArray_t array = work.to.array ? work.to.array : work.from.array;
  return array ? array->elementBytes : 1;
}

bool isOneRow(const Box &box) { return box.height == 1 && box.depth == 1; }

cudaPitchedPtr pitchedPointer(const Side &side, const Box &box) {
  if (side.array)
    return {};
  if (isOneRow(box)) // as a GPU tells it
    return {side.at, 0, 0, 0};
  const size_t rows = side.slice ? side.slice / side.pitch : box.height;
  return {side.at, side.pitch, box.width, rows};
}

cudaMemcpyKind kindOf(const Side &to, const Side &from) {
  if (to.host)
    return from.host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
  return from.host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
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
  params.srcArray = work.from.array;
  params.srcPos = work.from.pos;
  params.srcPtr = pitchedPointer(work.from, work.box);
  params.dstArray = work.to.array;
  params.dstPos = work.to.pos;
  params.dstPtr = pitchedPointer(work.to, work.box);
  params.extent = {work.box.width / unitOf(work), work.box.height, work.box.depth};
  params.kind = kindOf(work.to, work.from);
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
