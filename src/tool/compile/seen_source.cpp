// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spellings that clang's parser stumbles over are told from the text (asm_spelling.h). For arrays of variable length with initial values clang's message is needed:
// whether a length is constant is not to be seen in a declaration.
#include "tool/compile/seen_source.h"
#include "tool/sources/asm_spelling.h"
#include "tool/sources/diagnostics.h"
#include "tool/sources/variable_arrays.h"

#include <filesystem>

namespace heddle::tool {

namespace {

/// The name under which clang looks a file up.
std::string seenName(const std::string &path) {
  return std::filesystem::path(absolutePath(path)).lexically_normal().string();
}

/// A text as a scalar of YAML.
std::string yamlString(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    bool isControl = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    if (c == '"' || c == '\\')
      quoted += '\\';
    if (isControl)
      quoted += {'\\', 'x', "01234567"[c >> 4], "0123456789abcdef"[c & 15]};
    else
      quoted += c;
  }
  return quoted + '"';
}

/// Whether clang has refused anything that repairs are not for.
bool hasOtherErrors(std::string_view diagnostics) {
  constexpr std::string_view Words = ": error: ";
  for (size_t at = 0; (at = diagnostics.find(Words, at)) != diagnostics.npos;) {
    std::string_view message = diagnostics.substr(at += Words.size());
    if (!message.starts_with(VariableArraysMessage))
      return true;
  }
  return diagnostics.find(": fatal error: ") != diagnostics.npos;
}

} // namespace

std::optional<Failure> SeenSource::read() {
  Result<std::string> source = readFile(path_);
  if (!source)
    return {};
  std::optional<std::string> spelt = spellAsm(*source);
  text_ = spelt ? *spelt : *source;
  return spelt ? writeOverlay() : std::nullopt;
}

bool SeenSource::repair(const std::vector<std::string> &errors) {
  // clang may show one place after the other: of a template the first.
  constexpr unsigned MostRepairs = 8;
  if (repairs_ == MostRepairs)
    return false;
  std::string all;
  for (const std::string &text : errors)
    all += withoutColour(text);
  auto arrays = initialiseVariableArrays(text_, path_, all);
  std::optional<std::string> text =
      arrays && !arrays->empty() ? rewritten(text_, *arrays) : std::nullopt;
  if (!text)
    return false;
  text_ = *text;
  if (writeOverlay())
    return false;
  if (repairs_++ == 0)
    firstErrors_ = errors;
  return true;
}

const std::vector<std::string> &
SeenSource::errorsToShow(const std::vector<std::string> &errors) const {
  for (const std::string &text : firstErrors_)
    if (hasOtherErrors(withoutColour(text)))
      return firstErrors_;
  return errors;
}

/// Lets clang see `text_` in place of what the file holds.
std::optional<Failure> SeenSource::writeOverlay() {
  Result<std::string> folder = temporary_.path();
  if (!folder)
    return Failure{folder.error()};
  const std::string contents = *folder + "/text";
  if (auto failure = writeFile(contents, text_))
    return failure;
  overlay_ = *folder + "/overlay.yaml";
  return writeFile(overlay_, "{ 'version': 0, 'use-external-names': false, 'roots': [{ 'type': "
                             "'file', 'name': " +
                                 yamlString(seenName(path_)) +
                                 ", 'external-contents': " + yamlString(contents) + " }] }\n");
}

Command SeenSource::flags() const {
  Command flags;
  if (!overlay_.empty())
    flags.insert(flags.end(), {"-ivfsoverlay", overlay_});
  if (!firstErrors_.empty())
    flags.insert(flags.end(), {"-include", VariableArraysHeader});
  return flags;
}

} // namespace heddle::tool
