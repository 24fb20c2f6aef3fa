// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/settings.h"

#include <string>

namespace heddle::tool {

enum class Language { Cuda, C, Cxx };

/// What one source file becomes.
enum class Product {
  Object,       ///< -c, and before a link
  Assembly,     ///< -S: of the host half
  HostSource,   ///< -cuda: the host half as C++ (host_source.h)
  Preprocessed, ///< -E: of the host half
  Dependencies, ///< -M, -MM
  Ptx,          ///< -ptx
  Image,        ///< -cubin, -fatbin: the device image
  Nothing,      ///< -fdevice-syntax-only
};

/// One source file to compile.
struct Unit {
  std::string source;
  Language language = Language::Cuda;
  Product product = Product::Object;
  std::string output;        ///< empty: the standard output
  std::string keepDirectory; ///< where intermediate files stay (-keep); empty: nowhere
};

/// nvcc's exit codes: a mistake in the source is 2, everything else 1.
inline constexpr int ExitUsage = 1, ExitCompile = 2;

/// Whether -MD or -MMD is given, and the file that it writes for a unit.
bool wantsDependencyFile(const Options &);
std::string dependencyFile(const Settings &, const Unit &);

/// Compiles one source; prints diagnostics. Returns the exit code. May be called from several
/// threads.
int compileUnit(const Settings &, const Unit &);

/// Prints on standard error, one text at a time when several sources are compiled at once.
void printErrors(const std::string &text);

/// Prints "#$ command" when commands are to be shown.
void showCommand(const Settings &, const Command &);

/// Prints "<name> fatal   : message" on standard error and returns `ExitUsage`; name is nvcc or
/// heddle, as the program was called.
int fatal(const std::string &message);
void setProgramName(const std::string &name);

} // namespace heddle::tool
