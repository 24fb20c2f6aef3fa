// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources and headers are read with the brackets of launches joined: nvcc takes `k << <1, 32 >> >(x)`,
// as some editors format it. Every other character stays where it is, so places in messages and
// lines that they show are the file's.
#include "base/source/launch_brackets.h"
#include "frontend/cuda/wrap.h"

#include "clang/Basic/FileManager.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

#define GET_BUFFER "_ZN5clang11FileManager16getBufferForFileENS_12FileEntryRefEbbSt8optionalIlEb"

namespace heddle::cuda {

using Buffer = llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>;

Buffer clangsGetBuffer(FileManager &, FileEntryRef, bool isVolatile, bool isTerminated,
                       std::optional<int64_t> limit, bool isText) HEDDLE_REAL(GET_BUFFER);
Buffer getBuffer(FileManager &, FileEntryRef, bool isVolatile, bool isTerminated,
                 std::optional<int64_t> limit, bool isText) HEDDLE_WRAP(GET_BUFFER);

Buffer getBuffer(FileManager &files, FileEntryRef file, bool isVolatile, bool isTerminated,
                 std::optional<int64_t> limit, bool isText) {
  constexpr StringRef PrecompiledHeader = "CPCH";
  Buffer buffer = clangsGetBuffer(files, file, isVolatile, isTerminated, limit, isText);
  if (!buffer || !isTerminated || (*buffer)->getBuffer().starts_with(PrecompiledHeader))
    return buffer;
  if (std::optional<std::string> joined = joinLaunchBrackets((*buffer)->getBuffer()))
    return llvm::MemoryBuffer::getMemBufferCopy(*joined, (*buffer)->getBufferIdentifier());
  return buffer;
}

} // namespace heddle::cuda
