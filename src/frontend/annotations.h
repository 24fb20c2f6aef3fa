// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What our headers tell the compiler with __attribute__((annotate(...))): clang collects it in
// @llvm.global.annotations.
//   heddle_managed                    on a variable: __managed__
//   heddle_cluster_dims, x, y, z      on a kernel: __cluster_dims__(x, y, z)
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

#include <vector>

namespace heddle::frontend {

/// An attribute of a variable of the device that code of the host may read and write as its own
/// (CUDA Fortran's variables of modules).
constexpr const char *HostTouches = "heddle-host-touches";
/// The names of constant ones, as metadata.
constexpr const char *TouchedConstants = "heddle.touched_constants";

struct Annotation {
  llvm::GlobalValue *target;
  llvm::StringRef text;
  std::vector<uint64_t> arguments;
};

std::vector<Annotation> readAnnotations(const llvm::Module &module);

/// Erases the lists that no code reads (llvm.global.annotations, llvm.used, llvm.compiler.used) and
/// the strings that only they named.
void eraseBookkeeping(llvm::Module &module);

/// Erases clang's list of what the host's code refers to (__clang_gpu_used_external): it would
/// count as a variable with the addresses of others.
void eraseHostUses(llvm::Module &module);

/// True for a variable that only serves the compiler: llvm.* lists and the strings they name.
bool isBookkeeping(const llvm::GlobalVariable &variable);

} // namespace heddle::frontend
