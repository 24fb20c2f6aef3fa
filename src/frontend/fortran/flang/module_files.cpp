// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Components with CUDA's attributes in module files. Flang 22 writes them as what its parser does
// not take in a type, so that a source which uses the module ends in an internal error:
//
//   type t                                    type t
//   real(4),allocatable::x(:)           ->    real(4),device,allocatable::x(:)
//   attributes(device) x
//
// The text that is parsed is mended when it has been read (and its sum compared) and before it is
// parsed.
#include "flang/Parser/parsing.h"
#include "flang/Parser/provenance.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cassert>
#include <string>

namespace heddle::fortran {

namespace {

bool beginsType(llvm::StringRef line) {
  return line.consume_front("type") && !line.empty() && line.front() != '(' &&
         !llvm::isAlnum(line.front()) && line.front() != '_';
}

bool endsType(llvm::StringRef line) {
  return line.starts_with("end type") || line.starts_with("endtype");
}

/// The attribute of a line `attributes(device) x`; empty if it is another line.
llvm::StringRef attributeOf(llvm::StringRef line) {
  return line.consume_front("attributes(") ? line.split(')').first : "";
}

/// Puts the attribute among those of the declaration that is the last line of the text. Blanks
/// behind that make it as long as it was with the line of the attribute, since Flang parses the
/// text where it is, and takes no empty lines.
void addAttribute(std::string &text, llvm::StringRef attribute, size_t length) {
  size_t line = text.rfind('\n', text.size() - 2) + 1; // npos + 1 is the begin
  size_t colons = std::min(text.find("::", line), text.size());
  int depth = 0;
  size_t at = line; // the comma behind the type, or the colons
  for (; at < colons && (depth > 0 || text[at] != ','); ++at)
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
  text.insert(at, "," + attribute.str());
  text.insert(text.size() - 1, length - attribute.size() - 1, ' ');
}

std::string mended(llvm::StringRef source) {
  std::string result;
  bool inType = false;
  while (!source.empty()) {
    size_t length = std::min(source.find('\n'), source.size() - 1) + 1;
    llvm::StringRef line = source.take_front(length), words = line.ltrim();
    source = source.drop_front(length);
    inType = (inType || beginsType(words)) && !endsType(words);
    if (llvm::StringRef attribute = attributeOf(words); inType && !attribute.empty())
      addAttribute(result, attribute, line.size());
    else
      result += line;
  }
  return result;
}

} // namespace

void mendModuleFile(const Fortran::parser::CookedSource &cooked) {
  Fortran::parser::CharBlock block = cooked.AsCharBlock();
  llvm::StringRef source(block.begin(), block.size());
  if (!source.contains("attributes("))
    return;
  std::string text = mended(source);
  assert(text.size() == source.size());
  std::copy(text.begin(), text.end(), const_cast<char *>(block.begin()));
}

} // namespace heddle::fortran

// Parsing::Prescan(path, options) and Parsing::Parse(debug output).
using Fortran::parser::Options;
using Fortran::parser::Parsing;
extern "C" {
const Fortran::parser::SourceFile *prescanAsFlang(Parsing *, const std::string &, Options) __asm__(
    "__real__ZN7Fortran6parser7Parsing7PrescanERKNSt7__cxx1112basic_"
    "stringIcSt11char_traitsIcESaIcEEENS0_7OptionsE");
const Fortran::parser::SourceFile *prescanAndMend(Parsing *, const std::string &, Options) __asm__(
    "__wrap__ZN7Fortran6parser7Parsing7PrescanERKNSt7__cxx1112basic_"
    "stringIcSt11char_traitsIcESaIcEEENS0_7OptionsE");

const Fortran::parser::SourceFile *prescanAndMend(Parsing *parsing, const std::string &path,
                                                  Options options) {
  bool isModule = options.isModuleFile;
  const Fortran::parser::SourceFile *file = prescanAsFlang(parsing, path, std::move(options));
  if (isModule && file && !parsing->messages().AnyFatalError())
    heddle::fortran::mendModuleFile(parsing->cooked());
  return file;
}
}
