// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments between host and device. They wait for what was launched before, and have ended when
// they return, as the language has it. Whole arrays of one type are one copy, sections and scalars
// of one type are stored by rows (rows.cpp). Anything else (conversions, derived types) is done by
// Flang's assignment, which works element by element: device memory is memory of the process, and that of
// a GPU is copied there and back.
//
// Allocatable arrays get the shape of what is assigned to them, as the language has it. But one of
// the device stays as large as it is, for kernels and plans count on it: from a smaller array of the
// host it gets the elements, one behind the other ("The runtime will transfer N real elements":
// CUDA Fortran for Scientists and Engineers, 7.1). So do arrays that are not allocatable. A larger
// one, or one with gaps, is an error. With -Mallocatable=03 the language holds for all allocatable
// arrays.
#include "fortran/entry.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <dlfcn.h>

namespace heddle::fortran {

namespace {

// The modes that compiled code passes (flang/Runtime/CUDA/common.h).
enum Mode : unsigned { HostToDevice, DeviceToHost, DeviceToDevice };

cudaMemcpyKind kindOf(unsigned mode) {
  return mode == HostToDevice   ? cudaMemcpyHostToDevice
         : mode == DeviceToHost ? cudaMemcpyDeviceToHost
                                : cudaMemcpyDeviceToDevice;
}

/// Whether elements may be copied as bytes, one behind the other.
bool isCopyable(const Descriptor &to, const Descriptor &from) {
  constexpr unsigned char HasAddendum = 1;
  return to.base_addr && from.base_addr && to.type == from.type && to.elem_len == from.elem_len &&
         !((to.extra | from.extra) & HasAddendum) && isContiguous(to) && isContiguous(from);
}

/// Whether an assignment leaves the array's shape as it is, though the other side's differs.
bool keepsOtherShape(const Descriptor &to, const Descriptor &from, unsigned mode) {
  if (!to.base_addr || to.rank == 0 || from.rank != to.rank || haveOneShape(to, from))
    return false;
  if (to.attribute != CFI_attribute_allocatable)
    return true;
  bool isOfHost = mode == HostToDevice && !isOnDeviceAlone(from); // no result on the device
  return isOfHost && isOnDeviceAlone(to) && elementsOf(from) != elementsOf(to) &&
         (isCopyable(to, from) || elementsOf(from) > elementsOf(to));
}

std::string shapeOf(const Descriptor &array) {
  std::string shape = "(";
  for (int d = 0; d < array.rank; ++d)
    shape += (d == 0 ? "" : ", ") + std::to_string(array.dim[d].extent);
  return shape + ")";
}

[[noreturn]] void refuseShape(const Descriptor &to, const Descriptor &from, Place place) {
  std::string what =
      "an assignment of an array of shape " + shapeOf(from) + " to one of shape " + shapeOf(to);
  if (to.attribute == CFI_attribute_allocatable)
    what += " (with -Mallocatable=03 it would be allocated anew)";
  check(cudaErrorInvalidValue, what.c_str(), place);
  std::abort();
}

/// The elements of a smaller array.
void transferFirst(Descriptor &to, const Descriptor &from, unsigned mode, Place place) {
  if (!isCopyable(to, from) || elementsOf(from) > elementsOf(to))
    refuseShape(to, from, place);
  check(copyAndWait(to.base_addr, from.base_addr, elementsOf(from) * from.elem_len, kindOf(mode)),
        "an assignment between host and device", place);
}

/// The bytes that the elements lie in, gaps between them included; from the first element's address.
struct Span {
  CFI_index_t first = 0, last;

  explicit Span(const Descriptor &array) : last(static_cast<CFI_index_t>(array.elem_len)) {
    for (int d = 0; d < array.rank; ++d) {
      CFI_index_t reach = (array.dim[d].extent - 1) * array.dim[d].sm;
      (reach < 0 ? first : last) += reach;
    }
  }
  size_t bytes() const { return static_cast<size_t>(last - first); }
};

/// For `heddle check`: host code has written an array of the device's.
void tellOfWrite(const Descriptor &to) {
  static const auto tell =
      reinterpret_cast<void (*)(const void *, size_t)>(dlsym(RTLD_DEFAULT, "heddle_host_wrote"));
  if (!tell || !to.base_addr || elementsOf(to) == 0)
    return;
  const Span span(to);
  tell(static_cast<char *>(to.base_addr) + span.first, span.bytes());
}

/// Whether an array is in memory of a GPU that the host does not reach, or slowly. Descriptors of variables
/// that are not allocatable do not say so.
bool isFarAway(const Descriptor &array) {
  cudaPointerAttributes where = {};
  if (!array.base_addr || elementsOf(array) == 0 || !isOnGpu())
    return false;
  if (isOnDeviceAlone(array))
    return true;
  if (cudaPointerGetAttributes(&where, array.base_addr) == cudaSuccess)
    return where.type == cudaMemoryTypeDevice;
  cudaGetLastError();
  return false;
}

/// The host does not reach all arrays of a GPU, or slowly: while this lives, the descriptor leads to a copy of
/// the array in the host's memory. What is written goes back.
class Reached {
public:
  Reached(Descriptor &array, bool isWritten, Place place) : array_(array), place_(place) {
    if (!isFarAway(array))
      return;
    const Span span(array);
    there_ = static_cast<char *>(array.base_addr) + span.first;
    copy_.resize(span.bytes());
    isWritten_ = isWritten;
    check(cudaMemcpy(copy_.data(), there_, copy_.size(), cudaMemcpyDeviceToHost),
          "an array of a GPU for the host", place);
    array.base_addr = copy_.data() - span.first;
  }
  Reached(const Reached &) = delete;
  Reached &operator=(const Reached &) = delete;
  ~Reached() {
    if (!there_)
      return;
    array_.base_addr = there_ + (static_cast<char *>(array_.base_addr) - copy_.data());
    if (isWritten_)
      check(cudaMemcpy(there_, copy_.data(), copy_.size(), cudaMemcpyHostToDevice),
            "an array of the host for a GPU", place_);
  }

private:
  Descriptor &array_;
  Place place_;
  char *there_ = nullptr;
  std::vector<char> copy_;
  bool isWritten_ = false;
};

/// Of arrays of one shape, or to an array that takes the other's shape.
void assign(Descriptor &to, const Descriptor &from, unsigned mode, Place place) {
  if (isCopyable(to, from) && haveOneShape(to, from))
    return check(
        copyAndWait(to.base_addr, from.base_addr, elementsOf(from) * from.elem_len, kindOf(mode)),
        "an assignment between host and device", place);
  check(cudaDeviceSynchronize(), "work before an assignment", place);
  {
    Reached target(to, true, place), source(const_cast<Descriptor &>(from), false, place);
    if (!copyRows(to, from) && !fillRows(to, from))
      _FortranAAssign(to, from, place.file, place.line);
  }
  tellOfWrite(to);
}

void transfer(Descriptor &to, const Descriptor &from, unsigned mode, Place place) {
  if (keepsOtherShape(to, from, mode))
    transferFirst(to, from, mode, place);
  else
    assign(to, from, mode, place);
}

} // namespace

// cudaMemcpy does not wait for a copy within what the device sees: managed variables and, with
// -gpu=managed, the host's, too, which the host uses next.
cudaError_t copyAndWait(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  cudaStream_t stream = streamOfArray(kind == cudaMemcpyDeviceToHost ? from : to);
  bool isWithinDevice = kind == cudaMemcpyDeviceToDevice;
  cudaError_t error = stream || isWithinDevice ? cudaMemcpyAsync(to, from, bytes, kind, stream)
                                               : cudaMemcpy(to, from, bytes, kind);
  return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}

} // namespace heddle::fortran

using namespace heddle::fortran;

HEDDLE_FORTRAN void _FortranACUFDataTransferPtrPtr(void *to, void *from, size_t bytes,
                                                   unsigned mode, const char *file, int line) {
  check(copyAndWait(to, from, bytes, kindOf(mode)), "an assignment between host and device",
        {file, line});
}

HEDDLE_FORTRAN void _FortranACUFDataTransferPtrDesc(void *to, Descriptor *from, size_t bytes,
                                                    unsigned mode, const char *file, int line) {
  if (!isContiguous(*from))
    check(cudaErrorNotSupported, "an assignment from a section to a contiguous array",
          {file, line});
  check(cudaMemcpy(to, from->base_addr, bytes, kindOf(mode)),
        "an assignment between host and device", {file, line});
}

HEDDLE_FORTRAN void _FortranACUFDataTransferDescDesc(Descriptor *to, Descriptor *from,
                                                     unsigned mode, const char *file, int line) {
  transfer(*to, *from, mode, {file, line});
}

HEDDLE_FORTRAN void _FortranACUFDataTransferDescDescNoRealloc(Descriptor *to, Descriptor *from,
                                                              unsigned mode, const char *file,
                                                              int line) {
  transfer(*to, *from, mode, {file, line});
}

/// In front of host code that reads device memory itself, as conversions of device data do.
HEDDLE_FORTRAN void heddleFortranWait() {
  check(cudaDeviceSynchronize(), "work before an assignment", {nullptr, 0});
}

/// Of a scalar to each element.
HEDDLE_FORTRAN void _FortranACUFDataTransferCstDesc(Descriptor *to, Descriptor *from, unsigned mode,
                                                    const char *file, int line) {
  transfer(*to, *from, mode, {file, line});
}

/// To a module's variable, whose descriptor kernels see: the assignment may have allocated it.
HEDDLE_FORTRAN void _FortranACUFDataTransferGlobalDescDesc(Descriptor *to, Descriptor *from,
                                                           unsigned mode, const char *file,
                                                           int line) {
  transfer(*to, *from, mode, {file, line});
  if (mode != DeviceToHost)
    syncDescriptor(to, {file, line});
}

/// The same with -Mallocatable=03.
HEDDLE_FORTRAN void heddleFortranTransferAnew(Descriptor *to, Descriptor *from, unsigned mode,
                                              const char *file, int line) {
  if (to->attribute == CFI_attribute_allocatable)
    assign(*to, *from, mode, {file, line});
  else
    transfer(*to, *from, mode, {file, line});
}

HEDDLE_FORTRAN void heddleFortranTransferGlobalAnew(Descriptor *to, Descriptor *from, unsigned mode,
                                                    const char *file, int line) {
  heddleFortranTransferAnew(to, from, mode, file, line);
  if (mode != DeviceToHost)
    syncDescriptor(to, {file, line});
}

/// In front of the transfer of an expression's values, which have no other shape than their own: an
/// allocatable array of another one is allocated anew.
HEDDLE_FORTRAN void heddleFortranTakeShape(Descriptor *to, const Descriptor *from) {
  if (!to->base_addr || from->rank != to->rank || haveOneShape(*to, *from))
    return;
  check(cudaDeviceSynchronize(), "work before an assignment", {nullptr, 0});
  _FortranAAllocatableDeallocate(*to, /*hasStat=*/false, nullptr, nullptr, 0);
}

/// Of text to text of another length, or of that or of a structure to each element of an array
/// (src/frontend/fortran/flang/text.cpp). It may allocate, and text may have to keep its length.
HEDDLE_FORTRAN void heddleFortranAssign(Descriptor *to, Descriptor *from, bool keepsLength) {
  if (keepsOtherShape(*to, *from, DeviceToDevice))
    refuseShape(*to, *from, {nullptr, 0});
  check(cudaDeviceSynchronize(), "work before an assignment", {nullptr, 0});
  {
    Reached source(*from, false, {nullptr, 0});
    std::optional<Reached> target; // the assignment may allocate an allocatable one anew
    if (to->attribute != CFI_attribute_allocatable)
      target.emplace(*to, true, Place{nullptr, 0});
    if (keepsLength)
      _FortranAAssignExplicitLengthCharacter(*to, *from, nullptr, 0);
    else
      _FortranAAssign(*to, *from, nullptr, 0);
  }
  tellOfWrite(*to);
  if (to->attribute == CFI_attribute_allocatable)
    syncDescriptor(to, {nullptr, 0});
}

HEDDLE_FORTRAN void _FortranACUFMemsetDescriptor(Descriptor *to, void *value, const char *file,
                                                 int line) {
  Descriptor from = {};
  from.base_addr = value;
  from.elem_len = to->elem_len;
  from.version = to->version;
  from.type = to->type;
  check(cudaDeviceSynchronize(), "work before an assignment", {file, line});
  {
    Reached target(*to, true, {file, line});
    _FortranAAssign(*to, from, file, line);
  }
  tellOfWrite(*to);
}
