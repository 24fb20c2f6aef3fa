// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every copy of the API, from cuMemcpy to cuMemcpy3DPeerAsync, is a box of bytes between two
// sides.
#pragma once

#include "driver/graphs/operation.h"
#include "driver/memory/array.h"
#include "driver/memory/memory.h"
#include "driver/streams/stream.h"

namespace heddle::driver {

/// What is copied: width in bytes.
struct Box {
  size_t width = 0, height = 1, depth = 1;
  bool empty() const { return !width || !height || !depth; }
  bool isRow() const { return height == 1 && depth == 1; }
};

/// Where one corner of the box lies, and the distances of rows and slices in bytes.
struct Side {
  uint8_t *at = nullptr;
  size_t pitch = 0, slice = 0;
  bool host = false;           ///< page-locked or pageable host memory
  bool pageable = false;       ///< pageable host memory
  int device = -1;             ///< whose memory it is; none for the host's and managed memory
  cudaArray_t array = nullptr; ///< if it lies in one: at this position, in elements
  cudaPos pos = {};
};

/// From the first byte to the last of a box there.
inline size_t spanOf(const Side &side, const Box &box) {
  return box.width + (box.height - 1) * side.pitch + (box.depth - 1) * side.slice;
}

/// Calls without a stream wait for what they do there: in the host's and managed memory, and in a
/// device's if the program has said so of it.
bool isWaitedFor(const Side &);

/// The number of the call of the API that this thread is in, where the program is profiled.
uint64_t profiledCall();

/// A copy that has been checked.
struct CopyWork {
  Side to, from;
  Box box;
  uint32_t origin = 0; ///< of initcheck: the call's stack (check/host_stack.h)
  uint64_t call = profiledCall();
  /// False, and says so, if memory of the host's on one side is not there.
  bool run() const;
};
void noteTouched(const Side &, const Box &, bool isWritten);
/// Says what a copy or a fill could not access.
void reportAccess(const char *what, const char *which, const device::AccessEnd &);

/// A copy or a fill as work of a device, which it loses if memory is not there.
template <typename Work> Task taskOf(const Work &work, Context &device) {
  return [work, backend = device.backend.get()] {
    if (!work.run())
      backend->lose(device::Fault::IllegalAddress);
  };
}
/// The same on this thread, when what the stream has been given is done.
template <typename Work> CUresult doNow(const Work &work, Stream &stream) {
  bool isWhole = true;
  CUresult error = runNow(stream, [&] { isWhole = work.run(); });
  return error == CUDA_SUCCESS && !isWhole ? CUDA_ERROR_INVALID_VALUE : error;
}

/// A memcpy node.
class CopyOperation final : public Operation {
public:
  static constexpr cudaGraphNodeType Type = cudaGraphNodeTypeMemcpy;
  /// With parameters that say the same as `work`.
  explicit CopyOperation(const CopyWork &work);
  CopyOperation(const CopyWork &work, const CUDA_MEMCPY3D &params) : work(work), params(params) {}
  cudaGraphNodeType type() const override { return Type; }
  std::unique_ptr<Operation> clone() const override {
    return std::make_unique<CopyOperation>(*this);
  }
  CUresult makeWork(device::GraphWork &, PlanContext &) override;
  cudaGraphExecUpdateResult compare(const Operation &) const override;
  std::vector<std::string> describe() const override;

  CopyWork work;
  CUDA_MEMCPY3D params;
};

/// Takes the work of a copy that device code asks for (children/child_memory.cpp).
struct CopySink {
  explicit CopySink(Context &device) : device(device) {}
  virtual CUresult take(Task) = 0;
  Context &device;

protected:
  ~CopySink() = default;
};

/// A stream of a copy: its handle, and whether the call may return before the copy is done. `sink`:
/// it takes the copy in place of a stream of the host's, and its giver has seen to it that the
/// memory is the device's.
struct CopyStream {
  cudaStream_t handle = nullptr;
  bool async = false;
  CopySink *sink = nullptr;
};
inline CopyStream blocking() { return {}; }
inline CopyStream inStream(cudaStream_t handle) { return {handle, true}; }

/// Fails for rows that are longer than the pitch. A single row needs none, for which 0 stands.
CUresult checkPitch(size_t pitch, const Box &);

/// Linear memory as a side. `onDevice`: the program says that it is device memory, so
/// pageable memory is an error; the reverse is none, as with unified addressing on a GPU. Fails for
/// null, for freed memory and for what leaves the allocation.
CUresult linearSide(const void *p, size_t pitch, size_t slice, const Box &, bool onDevice, Side &);
/// A place in an array as a side: x in bytes. Fails for what leaves the array.
CUresult arraySide(cudaArray_const_t, size_t x, size_t y, size_t z, const Box &, Side &);

/// Copies in the stream, or waits when CUDA does ("API synchronization behavior" of the manual):
/// synchronous calls wait unless both sides are device memory; asynchronous ones wait when they
/// write pageable memory, and have read pageable memory when they return.
CUresult copy(const Side &to, const Side &from, const Box &, CopyStream);

/// The sides of a copy that must be device memory: the function's name or a type of memory says so.
struct OnDevice {
  bool to = false, from = false;
};
/// Rows of linear memory.
CUresult copyLinear(void *to, size_t toPitch, const void *from, size_t fromPitch, const Box &,
                    OnDevice, CopyStream);
/// Bytes of linear memory, in rows and slices. `rows`: of a slice.
CUresult fill(void *p, size_t pitch, size_t rows, int value, const Box &, CopyStream);

} // namespace heddle::driver
