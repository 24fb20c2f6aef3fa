// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host does with arrays of the device where that is a GPU of the machine
// (HEDDLE_DEVICE=gpu). On the CPU device memory is memory of the process; a GPU's is not, so
//
//   - assignments that go element by element work on a copy of the array in the host's memory;
//   - Flang's runtime gets an array whose elements it need not write: allocations are made apart
//     from assignments;
//   - programs with host expressions over arrays of the device (flang/waits.cpp marks them) get
//     managed memory for those, which stays on the GPU until the host reads it.
#pragma once

#include "fortran/entry.h"

#include <vector>

namespace heddle::fortran {

/// The bytes that the elements lie in, gaps between them included; from the first element's
/// address.
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

/// Whether the current device is a GPU of the machine (driver/gpu); `all`: whether all devices are.
bool isOnGpu(bool *all = nullptr);

/// The host does not reach a GPU's arrays: while this lives, the descriptor leads to a copy of the
/// array in the host's memory. What is written goes back.
class Reached {
public:
  Reached(Descriptor &array, bool isWritten, Place place);
  Reached(const Reached &) = delete;
  Reached &operator=(const Reached &) = delete;
  ~Reached();

private:
  Descriptor &array_;
  Place place_;
  char *there_ = nullptr;
  std::vector<char> copy_;
  bool isWritten_ = false;
};

/// Assigns element by element, wherever the arrays are, also to an allocatable array that gets the
/// other's shape.
/// Text gets the other's length, too, if it does not keep its own.
void assignElements(Descriptor &to, const Descriptor &from, Place, bool keepsLength = false);

/// Whether the program's host code touches arrays of the device, and all devices are GPUs of the
/// machine.
bool isTouchedByHost();
/// The initial value of a variable has addresses of types' descriptions, and in the code of a GPU those are
/// the GPU's own. `host` is what stands for the variable: its value has the host's. Once for each variable.
void keepTypes(const void *host, void *address, Place);
/// Managed memory that begins, and stays best, on the current device.
cudaError_t allocateTouched(void **memory, size_t bytes);

} // namespace heddle::fortran
