// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles device code from memory to bitcode, in this process: several threads may do so at once.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heddle::cuda {

/// A file that exists in memory only.
struct SourceText {
  std::string name, text;
};

/// Whether and where a program's own headers are precompiled (NVRTC guide, "Precompiled Headers").
struct PrecompileRequest {
  bool isAutomatic = false;
  std::string creates, uses; ///< files; empty: none
  std::string folder;        ///< of files without one, empty for the current one
  bool tells = true;         ///< in the log, what is made and used
  bool tellsReasons = false; ///< and why a file that an automatic search found is not used
  bool instantiates = true;  ///< templates, before they are written
  size_t limit = ~size_t(0); ///< bytes that a header may have
};

enum class Precompiled { NotTried, Made, Failed, TooLarge };

struct SourceRequest {
  SourceText source;
  std::vector<SourceText> headers;      ///< found under their names before those of any folder
  std::vector<std::string> flags;       ///< clang's driver's, which decide what the prelude is
  std::vector<std::string> ownFlags;    ///< of this source: folders, macros, warnings
  std::vector<std::string> expressions; ///< whose mangled names are asked for
  bool isDefaultDevice = false;         ///< what has no execution space is device code
  bool checksOnly = false;              ///< no code
  bool hasNumbers = false;              ///< warnings in the log have nvcc's numbers
  PrecompileRequest precompile;
};

struct CompiledSource {
  bool isGood = false;
  std::string bitcode;
  std::string log;
  std::vector<std::string> names;                  ///< of the expressions
  Precompiled precompiled = Precompiled::NotTried; ///< whether a header was made
  size_t precompiledBytes = 0;                     ///< that it takes, also if they were too many
  double parseMilliseconds = 0, codeMilliseconds = 0;
};

struct Toolkit {
  std::string root;      ///< the folder with include/ in it
  std::string resources; ///< clang's folder with include/ in it
};

/// Recurses deeply: the stack must be large.
CompiledSource compileSource(const SourceRequest &, const Toolkit &);

} // namespace heddle::cuda
