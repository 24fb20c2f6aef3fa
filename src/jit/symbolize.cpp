// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/symbolize.h"

#include "frontend/error.h"

#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Object/ObjectFile.h"

namespace heddle::jit {

using namespace llvm;

Expected<SourcePosition> symbolize(const char *objectPath, uint64_t offset) {
  symbolize::LLVMSymbolizer symbolizer;
  object::SectionedAddress address{offset, object::SectionedAddress::UndefSection};
  Expected<DILineInfo> info = symbolizer.symbolizeCode(objectPath, address);
  if (!info)
    return info.takeError();
  if (info->Line == 0 || info->FileName == DILineInfo::BadString)
    return frontend::fail(Twine("no source position for offset ") + Twine(offset) + " of " + objectPath);
  return SourcePosition{info->FunctionName, info->FileName, info->Line};
}

} // namespace heddle::jit
