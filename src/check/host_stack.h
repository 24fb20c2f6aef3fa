// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call stacks of host code: noted at allocations, launches and failing calls, which costs little, and
// looked up in symbol tables and DWARF only when a finding shows them.
#pragma once

#include "check/finding.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::check {

/// The calling thread's stack, as a number for its life; the same stack has the same one. 0: there
/// is no function of the program on it.
uint32_t hostStackHere();

/// The thread launches by kernel<<<...>>>(...): the compiler's function for that, which stacks leave
/// out. In the caller of CUDA it may be another's.
void noteStub(const void *function);

/// The thread is in a function of the driver API, whose symbols lead to others.
void noteDriverCall(const char *function);

/// In a handler of signals: the addresses of the stack from an instruction on, and their number.
int framesFrom(const void *instruction, void **frames, int most);

/// The stack of the program's function that has faulted, from the instruction on, as hostStackHere.
/// 0: the instruction is in a library, other than those of C and C++, or CUDA has called.
uint32_t hostStackAt(void *const *addresses, size_t count);

/// From the function that has called CUDA to main; only the first one if --show-backtrace says so.
const std::vector<Frame> &framesOfStack(uint32_t);
/// "cudaMalloc": what the program has called; empty if it is not known.
std::string apiNameOf(uint32_t);
/// "cublasSgemm_v2": of a library of CUDA's what the program has called; empty if it is not known.
std::string libraryNameOf(uint32_t);
/// That, or apiNameOf.
std::string callNameOf(uint32_t);
/// It leads through the runtime, whose functions tell errors themselves.
bool isThroughRuntime(uint32_t);
/// It leads through Fortran's runtime, or from a Fortran program, whose host code may name device arrays.
bool isFortran(uint32_t);
/// A thread of a kernel has called: the frames are the kernel's.
bool isInKernel(uint32_t);
/// A library of CUDA's has called, such as cuBLAS.
bool isOfLibrary(uint32_t);

/// Frames of code at an offset of an executable or library, the innermost first.
using SymbolizeHost = std::vector<Frame> (*)(const char *path, uint64_t offset);
void setHostSymbolizer(SymbolizeHost);

} // namespace heddle::check
