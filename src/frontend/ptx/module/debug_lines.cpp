// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/module/debug_lines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace llvm;

namespace heddle::frontend::ptx {

DebugLines::DebugLines(Module &module, const ModuleText &text, StringRef whole)
    : builder_(module), text_(text), own_(builder_.createFile("ptx", "")), counted_(whole.data()) {
  module.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
  unit_ = builder_.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C_plus_plus), own_,
                                     "Heddle", true, "", 0, "", DICompileUnit::LineTablesOnly);
}

DebugLines::~DebugLines() { builder_.finalize(); }

DIFile *DebugLines::fileOf(uint64_t number) {
  auto named = text_.files.find(number);
  if (named == text_.files.end())
    return own_;
  DIFile *&file = files_[number];
  if (!file)
    file = builder_.createFile(sys::path::filename(named->second),
                               sys::path::parent_path(named->second));
  return file;
}

/// Functions are read in their order, mostly: each line is counted once.
unsigned DebugLines::lineOf(const char *at) {
  const bool isBehind = at >= counted_;
  const auto lines = unsigned(std::count(std::min(at, counted_), std::max(at, counted_), '\n'));
  lines_ = isBehind ? lines_ + lines : lines_ - lines;
  counted_ = at;
  return lines_;
}

void DebugLines::enter(Function &function, const ModuleFunction &declared,
                       ArrayRef<Statement> statements) {
  const auto *first =
      find_if(statements, [](const Statement &s) { return s.kind == Statement::Location; });
  hasLocations_ = first != statements.end();
  DIFile *file = hasLocations_ ? fileOf(first->operands[0].bits) : own_;
  const unsigned line =
      hasLocations_ ? unsigned(first->operands[1].bits) : lineOf(declared.name.data());
  auto *type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  function_ = builder_.createFunction(file, declared.name, declared.name, file, line, type, line,
                                      DINode::FlagPrototyped, DISubprogram::SPFlagDefinition);
  function.setSubprogram(function_);
  place_ = DILocation::get(function.getContext(), line, 0, function_);
}

DebugLoc DebugLines::at(const Statement &statement) {
  LLVMContext &context = function_->getContext();
  if (!hasLocations_)
    return DILocation::get(context, lineOf(statement.at), 0, function_);
  if (statement.kind == Statement::Location) {
    DIFile *file = fileOf(statement.operands[0].bits);
    DIScope *scope = function_;
    if (file != function_->getFile())
      scope = builder_.createLexicalBlockFile(function_, file);
    place_ = DILocation::get(context, unsigned(statement.operands[1].bits),
                             unsigned(statement.operands[2].bits), scope);
  }
  return place_;
}

} // namespace heddle::frontend::ptx
