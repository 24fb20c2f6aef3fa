// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/module/debug_lines.h"

#include "frontend/error.h"
#include "frontend/ptx/cursor.h"
#include "frontend/ptx/lexer.h"

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

/// label: .b8 95, 90, 0   ...
void DebugLines::readNames() {
  hasNames_ = true;
  auto tokens = tokenize(text_.strings);
  if (!tokens)
    return consumeError(tokens.takeError());
  for (Cursor c(*tokens); !c.isAtEnd();) {
    const Token token = c.take();
    if (token.kind == Token::Name && c.consume(':'))
      nameAt_[token.text] = names_.size();
    else if (token.kind == Token::Integer)
      names_ += char(token.bits);
  }
}

StringRef DebugLines::nameOf(const Statement &location) {
  if (!hasNames_)
    readNames();
  const auto found = nameAt_.find(location.name);
  const size_t base = found == nameAt_.end() ? names_.size() : found->second;
  if (location.nameOffset >= names_.size() - base)
    return location.name; // of which no string is there
  StringRef name = names_;
  return name.drop_front(base + location.nameOffset).take_until([](char c) { return !c; });
}

DISubprogram *DebugLines::makeFunction(DIFile *file, StringRef name, unsigned line) {
  auto *type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  return builder_.createFunction(file, name, name, file, line, type, line, DINode::FlagPrototyped,
                                 DISubprogram::SPFlagDefinition);
}

DILocation *DebugLines::locationOf(const Statement &location) {
  auto number = [&](size_t i) { return location.operands[i].bits; };
  auto inScope = [&](DISubprogram *function, size_t first, DILocation *inlinedAt) {
    DIFile *file = fileOf(number(first));
    DIScope *scope = function;
    if (file != function->getFile())
      scope = builder_.createLexicalBlockFile(function, file);
    return DILocation::get(function_->getContext(), unsigned(number(first + 1)),
                           unsigned(number(first + 2)), scope, inlinedAt);
  };
  DISubprogram *function = function_;
  DILocation *call = nullptr;
  if (location.operands.size() > 3) {
    DISubprogram *&known = inlined_[(location.name + "+" + Twine(location.nameOffset)).str()];
    if (!known)
      known = makeFunction(fileOf(number(0)), nameOf(location), unsigned(number(1)));
    function = known;
    const auto found = places_.find({number(3), number(4), number(5)});
    call = found != places_.end() ? found->second : inScope(function_, 3, nullptr);
  }
  return places_[{number(0), number(1), number(2)}] = inScope(function, 0, call);
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
  places_.clear();
  function_ = makeFunction(file, declared.name, line);
  function.setSubprogram(function_);
  place_ = DILocation::get(function.getContext(), line, 0, function_);
}

DebugLoc DebugLines::at(const Statement &statement) {
  LLVMContext &context = function_->getContext();
  if (!hasLocations_)
    return DILocation::get(context, lineOf(statement.at), 0, function_);
  if (statement.kind == Statement::Location)
    place_ = locationOf(statement);
  return place_;
}

} // namespace heddle::frontend::ptx
