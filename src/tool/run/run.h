// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::tool {

/// `heddle run [options of heddle cc] file [--] arguments`. Becomes the program (exec), so that its
/// exit code, streams and signals are its own; returns only with the exit code of a failure.
int runRun(const std::vector<std::string> &arguments);

/// `heddle doctor`: says what is there of all that Heddle needs and can use. 1 if something that is
/// needed is missing.
int runDoctor(const std::vector<std::string> &arguments);

/// `mpicc`, `mpicxx`, `mpif90` and the like in the toolkit's bin: becomes the system's of that name,
/// with nvfortran for Fortran, and with mpiLibrary in each link.
int runMpiCompiler(const std::string &name, const std::vector<std::string> &arguments);

/// `cuda-gdb`: becomes gdb with the commands for kernels (src/device/heddle_gdb.py).
int runDebugger(const std::vector<std::string> &arguments);

/// `heddle devices`: becomes the program that lists the devices.
int runDevices(const std::vector<std::string> &arguments);

} // namespace heddle::tool
