// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A PTX module as its directives say it (PTX ISA, "Directives"). Bodies of functions are found, and
// not read.
#pragma once

#include "frontend/ptx/declarations.h"
#include "frontend/ptx/module/problems.h"

#include <array>
#include <deque>
#include <map>

namespace heddle::frontend::ptx {

enum class Linkage { Internal, Visible, Extern, Weak, Common };

struct ModuleVariable {
  Variable variable;
  Linkage linkage = Linkage::Internal;
};

/// A function or kernel; a forward declaration has no body.
struct ModuleFunction {
  llvm::StringRef name;
  bool isEntry = false;
  Linkage linkage = Linkage::Internal;
  Signature signature;
  /// .maxntid, .reqntid, .reqnctapercluster: one number to three.
  llvm::SmallVector<uint64_t, 3> maxThreads, exactThreads, cluster;
  uint64_t minBlocks = 0, maxRegisters = 0, maxClusterRank = 0;
  bool isExplicitCluster = false, countsClusters = false; ///< .explicitcluster, .blocksareclusters
  bool hasBody = false;
  llvm::StringRef body; ///< between its braces
};

struct ModuleText {
  unsigned version = 0;     ///< 80: 8.0
  unsigned sm = 0;          ///< 90: sm_90
  llvm::StringRef target;   ///< 90a: sm_90a
  unsigned addressSize = 0; ///< 0: not said
  std::vector<ModuleVariable> variables;
  std::deque<ModuleFunction> functions;
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> aliases; ///< name, what it stands for
  std::map<uint64_t, llvm::StringRef> files;                        ///< .file
  llvm::StringRef strings; ///< what is between the braces of .section .debug_str
};

/// Reads the directives. What is wrong is noted, and ends the reading if it is a syntax error.
ModuleText readModuleText(llvm::StringRef text, Problems &);
/// Notes what is wrong with the whole: its head, names defined twice, parameters that are too large.
void checkModuleText(const ModuleText &, Problems &);

} // namespace heddle::frontend::ptx
