// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of CUDA Fortran's runtime share. Its functions are those that Flang 22's compiled
// code calls (flang/Runtime/CUDA/*.h of LLVM 22, whose signatures change between releases); they
// stand on the public CUDA runtime and on Flang's own runtime library, libflang_rt.runtime.a, which
// every Fortran program has.
#pragma once

#include <cuda_runtime_api.h>

#include <flang/ISO_Fortran_binding.h>

#include <cstddef>
#include <cstdint>

/// A function that compiled Fortran code calls.
#define HEDDLE_FORTRAN extern "C" __attribute__((visibility("default")))

namespace heddle::fortran {

/// A descriptor of an array, as Flang's runtime has it; its C interface has the same layout.
using Descriptor = CFI_cdesc_t;

/// Where a call stands in the user's source. The file may be null.
struct Place {
  const char *file;
  int line;
};

/// The bytes of a descriptor: its dimensions and, for derived types, its addendum.
size_t sizeOf(const Descriptor &);
/// Elements of an array; 1 for a scalar.
size_t elementsOf(const Descriptor &);
/// Whether the elements lie one behind the other.
bool isContiguous(const Descriptor &);

bool haveOneShape(const Descriptor &, const Descriptor &);

/// Whether an allocatable array or a pointer gets memory that only the device has.
bool isOnDeviceAlone(const Descriptor &);
/// memcpy between any places, for initial values of components.
void *copyAnywhere(void *to, const void *from, size_t bytes);

/// Assigns an array or a scalar of one type row by row; false if that cannot be done.
bool copyRows(const Descriptor &to, const Descriptor &from);
bool fillRows(const Descriptor &to, const Descriptor &value);

/// The stream of this thread's launches and transfers that name none (cudaforSetDefaultStream).
inline thread_local cudaStream_t defaultStream = nullptr;

/// The stream that a Fortran variable holds; without one the default stream.
inline cudaStream_t streamOf(const int64_t *stream) {
  return stream ? reinterpret_cast<cudaStream_t>(*stream) : defaultStream;
}

/// The stream of an array's transfers: its own (cudaforSetDefaultStream with an array), or the
/// default stream.
cudaStream_t streamOfArray(const void *address);
/// To be called when an array's memory is given back.
void forgetStream(const void *address);

/// A copy in the stream of one of the two arrays that has ended on return.
cudaError_t copyAndWait(void *to, const void *from, size_t bytes, cudaMemcpyKind);

/// To be called before a launch (host_variables.cpp).
void tellHostVariables();

/// Whether the main program has begun.
inline bool programHasBegun = false;

/// What the link says of memory (src/tool/fortran/fc.cpp): whether the symbols exist.
extern "C" {
extern const char heddleFortranUnified __attribute__((weak)); ///< kernels may use the host's
extern const char heddleFortranZeroes __attribute__((weak));  ///< the device's is zero at first
}

/// For `heddle check`: memory of a variable, which the program need not free.
void tellOfVariable(const void *);

/// Managed memory; null if there is none left.
void *allocateManaged(size_t bytes);
/// The same for what the host alone looks at most often: where there is no managed memory (boards
/// before Kepler) and no device, the host's.
void *allocateForBoth(size_t bytes);
/// Frees what these two gave; false if it is other memory.
bool freeManaged(void *);
/// The bytes of what these two gave; 0 if it is other memory.
size_t managedBytes(void *);

/// Whether a scalar is of type(c_devptr) or type(c_ptr), which stand for the memory that they point
/// to.
bool isAddress(const Descriptor &);
/// Where the data of an argument is: what a pointer points to, or the array.
void *dataOf(const Descriptor &);

/// Ends the program with "file:line: error: what: <the error's text>" if there is an error: an
/// assignment or a launch has no status that the program could look at.
void check(cudaError_t, const char *what, Place);

/// Copies the descriptor of a module's variable to where kernels see it, if the variable is on the
/// device.
void syncDescriptor(const void *hostVariable, Place);

} // namespace heddle::fortran

// Of Flang's runtime library. `copy` puts initial values into components; device memory is memory
// of the process.
extern "C" {
using HeddleCopyFunction = void *(*)(void *to, const void *from, size_t bytes);
void _FortranAAssign(heddle::fortran::Descriptor &to, const heddle::fortran::Descriptor &from,
                     const char *file, int line);
void _FortranAAssignExplicitLengthCharacter(heddle::fortran::Descriptor &to,
                                            const heddle::fortran::Descriptor &from,
                                            const char *file, int line);
int _FortranAAllocatableAllocate(heddle::fortran::Descriptor &, int64_t *stream, bool hasStat,
                                 const heddle::fortran::Descriptor *message, const char *file,
                                 int line, HeddleCopyFunction copy);
int _FortranAAllocatableAllocateSource(heddle::fortran::Descriptor &,
                                       const heddle::fortran::Descriptor &source, bool hasStat,
                                       const heddle::fortran::Descriptor *message, const char *file,
                                       int line);
int _FortranAAllocatableDeallocate(heddle::fortran::Descriptor &, bool hasStat,
                                   const heddle::fortran::Descriptor *message, const char *file,
                                   int line);
int _FortranAPointerDeallocate(heddle::fortran::Descriptor &, bool hasStat,
                               const heddle::fortran::Descriptor *message, const char *file,
                               int line);
int _FortranAPointerAllocate(heddle::fortran::Descriptor &, bool hasStat,
                             const heddle::fortran::Descriptor *message, const char *file, int line,
                             HeddleCopyFunction copy);
int _FortranAPointerAllocateSource(heddle::fortran::Descriptor &,
                                   const heddle::fortran::Descriptor &source, bool hasStat,
                                   const heddle::fortran::Descriptor *message, const char *file,
                                   int line);
}
