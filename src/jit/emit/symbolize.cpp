// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/emit/symbolize.h"

#include "base/source/tool_files.h"
#include "frontend/error.h"

#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Object/ObjectFile.h"

#include <mutex>

namespace heddle::jit {

using namespace llvm;

namespace {

Expected<DILineInfo> lookUp(const char *objectPath, uint64_t offset, bool useSymbolTable) {
  symbolize::LLVMSymbolizer::Options options;
  options.UseSymbolTable = useSymbolTable;
  options.SkipLineZero = true; // code that belongs to no line goes with the line before it
  symbolize::LLVMSymbolizer symbolizer(options);
  auto frames =
      symbolizer.symbolizeInlinedCode(objectPath, {offset, object::SectionedAddress::UndefSection});
  if (!frames)
    return frames.takeError();
  for (uint32_t i = 0; i + 1 < frames->getNumberOfFrames(); ++i)
    if (!isToolFile(frames->getFrame(i).FileName))
      return frames->getFrame(i);
  return frames->getNumberOfFrames() == 0 ? DILineInfo()
                                          : frames->getFrame(frames->getNumberOfFrames() - 1);
}

} // namespace

/// The symbol table knows runBlocks and resume; the line table knows the user's function that was
/// inlined there. Only a function without anything inlined is not in the line table.
Expected<SourcePosition> symbolize(const char *objectPath, uint64_t offset) {
  Expected<DILineInfo> info = lookUp(objectPath, offset, /*useSymbolTable=*/false);
  if (info && info->FunctionName == DILineInfo::BadString)
    info = lookUp(objectPath, offset, /*useSymbolTable=*/true);
  if (!info)
    return info.takeError();
  if (info->Line == 0 || info->FileName == DILineInfo::BadString)
    return frontend::fail(Twine("no source position for offset ") + Twine(offset) + " of " +
                          objectPath);
  // "deep(int, int *) (.thread.warp)": the form that a pass has made of it.
  std::string &name = info->FunctionName;
  if (size_t form = name.find(" (."); form != std::string::npos && name.ends_with(')'))
    name.resize(form);
  return SourcePosition{name, info->FileName, info->Line, info->Column};
}

namespace {

/// It keeps the line tables that it has read.
struct HostSymbolizer {
  std::mutex mutex;
  symbolize::LLVMSymbolizer symbolizer;
};

std::string known(const std::string &text) { return text == DILineInfo::BadString ? "" : text; }

} // namespace

Expected<std::vector<SourcePosition>> symbolizeHost(const char *path, uint64_t offset) {
  static HostSymbolizer &host = *new HostSymbolizer;
  std::lock_guard lock(host.mutex);
  auto found =
      host.symbolizer.symbolizeInlinedCode(path, {offset, object::SectionedAddress::UndefSection});
  if (!found)
    return found.takeError();
  std::vector<SourcePosition> frames;
  for (uint32_t i = 0; i < found->getNumberOfFrames(); ++i) {
    const DILineInfo &info = found->getFrame(i);
    frames.push_back({known(info.FunctionName), known(info.FileName), info.Line, info.Column});
  }
  return frames;
}

} // namespace heddle::jit
