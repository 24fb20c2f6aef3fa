// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/tools/process.h"
#include "tool/tools/toolchain.h"

#include <string>

namespace heddle::tool {

/// Whether a compiler is one of an MPI library, which calls another with more words: mpicxx, by its
/// name.
bool isMpiCompiler(const std::string &path);

/// The words that concern headers among those which the compiler adds. Open MPI's and MPICH's
/// compilers tell them. Empty if it does not.
Command mpiHeaderWords(const std::string &compiler);

/// Whether the compiler is Open MPI's. What Heddle has for MPI is for that alone: other libraries
/// have other types and constants.
bool isOpenMpis(const std::string &compiler);

/// The same of a folder with headers; true if there is no mpi.h in it.
bool mayBeOpenMpis(const std::string &folder);

/// The folder of our mpi-ext.h, which comes before theirs, as a word for a compiler.
std::string mpiHeaders(const Toolchain &);

/// The library that makes Open MPI aware of device memory (lib/mpi), as words for a linker. Empty
/// where Heddle was built without Open MPI.
Command mpiLibrary(const Toolchain &);

} // namespace heddle::tool
