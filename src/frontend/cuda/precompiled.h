// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/hash.h"
#include "base/result.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <memory>
#include <string>
#include <vector>

namespace clang {
class CompilerInvocation;
class DiagnosticConsumer;
} // namespace clang

namespace heddle::cuda {

inline constexpr const char *PrecompiledFile = "/heddle_program.pch";

/// Where the directives end with which a source begins, outside of any #if: what stands before may
/// be precompiled. 0: nothing is worth it, or `#pragma no_pch` forbids it.
size_t endOfDirectives(llvm::StringRef source);

/// The source without its first `size` bytes, each line where it was.
std::string withoutDirectives(llvm::StringRef source, size_t size);

/// The file for the directives of a source, beside it.
std::string directivesPath(llvm::StringRef source);
/// Whether a name in a message is that of such a file: it means the source.
bool isDirectivesPath(llvm::StringRef name);

/// What a precompiled header was made of and for.
struct PrecompiledKey {
  Hash128 options;        ///< all that decides what the headers mean
  llvm::StringRef source; ///< it must begin with the same directives
};

/// A precompiled header as it lies in a file.
struct PrecompiledHeader {
  std::unique_ptr<llvm::MemoryBuffer> bytes; ///< for clang
  size_t directives = 0;                     ///< bytes of the source that are in it
};

/// Reads a file that `writePrecompiled` wrote; fails with the reason why it is of no use here.
Result<PrecompiledHeader> readPrecompiled(const std::string &path, const PrecompiledKey &,
                                          llvm::vfs::FileSystem &);

/// clang's bytes for `invocation`'s input, and the files that they depend on.
struct PrecompiledBytes {
  std::string bytes;
  std::vector<std::string> inputs;
};

/// Empty bytes: there are errors, which `log` has.
PrecompiledBytes precompile(std::shared_ptr<clang::CompilerInvocation>,
                            llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>,
                            clang::DiagnosticConsumer &log, bool refusesHostCode);

bool writePrecompiled(const std::string &path, const Hash128 &options, llvm::StringRef directives,
                      const PrecompiledBytes &, llvm::vfs::FileSystem &);

} // namespace heddle::cuda
