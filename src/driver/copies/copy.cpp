// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/copies/copy.h"

#include "driver/profiling.h"

#include "check/host_stack.h"
#include "check/init/init.h"
#include "device/checks.h"

#include "driver/copies/checked.h"
#include "driver/memory/explain.h"
#include "driver/memory/pointer_notes.h"
#include "driver/streams/capture.h"
#include "driver/streams/device_order.h"

#include "device/checks.h"

#include <cstdio>
#include <memory>
#include <new>

namespace heddle::driver {
namespace {

/// Pageable memory up to this size is copied aside, so that the caller need not wait for a busy
/// stream.
constexpr size_t StagedBytes = 4 << 20;

CUresult copyStaged(const CopyWork &work, Stream &stream) {
  const Box &box = work.box;
  std::unique_ptr<uint8_t[]> buffer(new (std::nothrow) uint8_t[box.width * box.height * box.depth]);
  if (!buffer)
    return CUDA_ERROR_OUT_OF_MEMORY;
  Side staged;
  staged.at = buffer.get();
  staged.pitch = box.width;
  staged.slice = box.width * box.height;
  if (!CopyWork{staged, work.from, box}.run())
    return CUDA_ERROR_INVALID_VALUE;
  return enqueue(stream,
                 [later = taskOf(CopyWork{work.to, staged, box, work.origin}, *stream.device),
                  buffer = std::move(buffer)]() mutable { later(); });
}

/// Bytes from the first to the last of the box.
size_t spanOf(const Box &box, Checked pitch, Checked slice) {
  return pitch * (box.height - 1) + slice * (box.depth - 1) + box.width;
}

CUresult copyInStream(const CopyWork &work, Stream &stream) {
  if (work.to.pageable)
    return doNow(work, stream);
  if (!work.from.pageable)
    return enqueue(stream, taskOf(work, *stream.device));
  const Box &box = work.box;
  if (box.width * box.height * box.depth <= StagedBytes && query(stream) == CUDA_ERROR_NOT_READY)
    return copyStaged(work, stream);
  return doNow(work, stream);
}

CUresult copyAndWait(const CopyWork &work, Stream &stream) {
  if (CUresult error = mayWorkIn(stream))
    return error;
  const bool waits = isWaitedFor(work.to) || isWaitedFor(work.from);
  return waits ? doNow(work, stream) : enqueueOrRun(stream, taskOf(work, *stream.device));
}

/// The memories of two devices, in the NULL stream.
bool isBetweenDevices(const CopyWork &work, const Stream &stream) {
  return stream.isDefault && work.to.device >= 0 && work.from.device >= 0 &&
         work.to.device != work.from.device;
}

/// Such a copy "does not start until all commands previously issued to either device have
/// completed", and is over before later ones start (CUDA guide, "Peer-to-Peer Memory Copy").
template <typename F> CUresult copyInOrder(const CopyWork &work, Stream &stream, const F &copyNow) {
  if (!isBetweenDevices(work, stream))
    return copyNow();
  Context *devices[] = {&contextAt(work.to.device), &contextAt(work.from.device)};
  for (Context *device : devices)
    waitForAll(stream, *device);
  CUresult error = copyNow();
  for (Context *device : devices)
    holdAll(*device, stream);
  return error;
}

} // namespace

namespace {

bool copyRows(uint8_t *to, const uint8_t *from, size_t bytes, uint32_t origin) {
  const device::AccessEnd end = device::copyBytes(to, from, bytes);
  check::initCopied(to, from, bytes, origin);
  if (end.isWhole)
    return true;
  char text[120];
  std::snprintf(text, sizeof text, "%zu bytes from %p to %p", bytes,
                static_cast<const void *>(from), static_cast<void *>(to));
  reportAccess("a copy", text, end);
  return false;
}

} // namespace

bool isWaitedFor(const Side &side) {
  const bool isOneDevices = side.array || side.device >= 0;
  return !isOneDevices || (anySynchronous() && isSynchronous(notedAt(side.at)));
}

void reportAccess(const char *what, const char *which, const device::AccessEnd &end) {
  char text[200], place[40] = "that no process has";
  if (end.address)
    std::snprintf(place, sizeof place, "at %#zx", size_t(end.address));
  std::snprintf(text, sizeof text, "%s: the memory %s is not there, or must not be written", which,
                place);
  reportFailure(what, text);
}

/// For initcheck. Of a copy that has bytes which were written, programs may use no others.
static void lookForUnwritten(const CopyWork &work) {
  const Side &from = work.from;
  const Box &box = work.box;
  for (size_t z = 0; z < box.depth; ++z)
    for (size_t y = 0; y < box.height; ++y)
      if (check::initUnwritten(from.at + z * from.slice + y * from.pitch, box.width) != box.width)
        return;
  check::reportUnwrittenCopy(from.at, box.width * box.height * box.depth, work.origin);
}

/// Says what a copy or a fill accesses on one side, for racecheck.
void noteTouched(const Side &side, const Box &box, bool isWritten) {
  if (!side.array && !side.pageable)
    device::noteTouched({side.at, box.width, box.height, side.pitch, box.depth, side.slice,
                         isWritten ? device::Touch::Write : device::Touch::Read});
}

bool CopyWork::run() const {
  ProfiledWork profiled(*this);
  if (to.host && check::looksForUnwritten())
    lookForUnwritten(*this);
  noteTouched(from, box, false);
  noteTouched(to, box, true);
  const bool rowsTouch = to.pitch == box.width && from.pitch == box.width;
  for (size_t z = 0; z < box.depth; ++z) {
    uint8_t *toSlice = to.at + z * to.slice;
    const uint8_t *fromSlice = from.at + z * from.slice;
    if (rowsTouch) {
      if (!copyRows(toSlice, fromSlice, box.width * box.height, origin))
        return false;
      continue;
    }
    for (size_t y = 0; y < box.height; ++y)
      if (!copyRows(toSlice + y * to.pitch, fromSlice + y * from.pitch, box.width, origin))
        return false;
  }
  return true;
}

CUresult checkPitch(size_t pitch, const Box &box) {
  if (pitch >= box.width || (!pitch && box.isRow()))
    return CUDA_SUCCESS;
  return box.isRow() ? CUDA_ERROR_INVALID_VALUE : CUresult(cudaErrorInvalidPitchValue);
}

CUresult linearSide(const void *p, size_t pitch, size_t slice, const Box &box, bool onDevice,
                    Side &side) {
  const PointerInfo info = lookUp(p);
  const size_t span = spanOf(box, pitch, slice);
  if (!p || info.stale || (onDevice && !info.onDevice()) || !isUsersSpace(p, span) ||
      (info.base && !info.holds(p, span))) {
    explainAccess(p, span, info, onDevice);
    return CUDA_ERROR_INVALID_VALUE;
  }
  side.at = static_cast<uint8_t *>(const_cast<void *>(p));
  side.pitch = pitch;
  side.slice = slice;
  side.host = info.isHost();
  side.pageable = info.isPageable();
  side.device = info.type == cudaMemoryTypeDevice ? info.device : -1;
  return CUDA_SUCCESS;
}

CUresult arraySide(cudaArray_const_t array, size_t x, size_t y, size_t z, const Box &box,
                   Side &side) {
  auto fits = [](size_t start, size_t count, size_t size) {
    return start <= size && count <= size - start;
  };
  if (!isArray(array))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!fits(x, box.width, array->rowBytes) || !fits(y, box.height, array->rows) ||
      !fits(z, box.depth, array->slices)) {
    explainArrayAccess(array->data, array->rowBytes, array->rows, array->slices);
    return CUDA_ERROR_INVALID_VALUE;
  }
  side.array = const_cast<cudaArray_t>(array);
  side.device = array->device;
  side.pos = {x / array->elementBytes, y, z};
  side.pitch = array->pitch;
  side.slice = array->sliceBytes;
  side.at = array->data + x + y * side.pitch + z * side.slice;
  return CUDA_SUCCESS;
}

/// A copy that may hand on what was not written then is one that always may: nobody asks when it
/// has run.
static void noteForInit(CopyWork &work) {
  work.origin = check::hostStackHere();
  if (work.from.device >= 0 && !work.to.host &&
      (check::initMustLook(work.from.at) || check::initMayChange() ||
       device::liveCheckedLaunches()))
    check::initPending(1);
}

CUresult copy(const Side &to, const Side &from, const Box &box, CopyStream where) {
  if (where.sink)
    return where.sink->take(taskOf(CopyWork{to, from, box}, where.sink->device));
  Stream *stream = streamOf(where.handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  CopyWork work = {to, from, box};
  if (check::looksForUnwritten())
    noteForInit(work);
  if (!where.async)
    return copyInOrder(work, *stream, [&] { return copyAndWait(work, *stream); });
  return submit(
      *stream,
      [&](std::unique_ptr<Operation> &operation) {
        operation = std::make_unique<CopyOperation>(work);
        operation->device = stream->device;
        return CUDA_SUCCESS;
      },
      [&] { return copyInOrder(work, *stream, [&] { return copyInStream(work, *stream); }); });
}

CUresult copyLinear(void *to, size_t toPitch, const void *from, size_t fromPitch, const Box &box,
                    OnDevice onDevice, CopyStream where) {
  if (box.empty())
    return CUDA_SUCCESS;
  for (size_t pitch : {toPitch, fromPitch})
    if (CUresult error = checkPitch(pitch, box))
      return error;
  Side target, source;
  if (CUresult error = linearSide(to, toPitch, 0, box, onDevice.to, target))
    return error;
  if (CUresult error = linearSide(from, fromPitch, 0, box, onDevice.from, source))
    return error;
  if (onDevice.to != onDevice.from) // the other side is the host's
    checkHostSide(onDevice.to ? from : to, spanOf(onDevice.to ? source : target, box),
                  onDevice.from);
  return copy(target, source, box, where);
}

} // namespace heddle::driver
