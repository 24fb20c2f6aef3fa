// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some spellings can be told from the text (launch_brackets.h, asm_spelling.h). For others clang's
// message is needed: whether a constructor does something is not to be seen in a declaration.
// Headers are read only if clang has refused something in them, or if they are known to need it.
#include "driver/compile/seen_source.h"
#include "driver/sources/asm_spelling.h"
#include "driver/sources/diagnostics.h"
#include "driver/sources/launch_brackets.h"
#include "driver/sources/variable_arrays.h"

#include <filesystem>

namespace heddle::driver {

namespace {

constexpr std::string_view AsmMessage = "invalid % escape in inline assembly string";

constexpr const char *RespeltHeaders[] = {
#define HEDDLE_RESPELT_HEADER(path) path,
#include "driver/sources/respelt_headers.def"
};

/// The name under which clang looks a file up.
std::string seenName(const std::string &path) {
  return std::filesystem::path(absolutePath(path)).lexically_normal().string();
}

/// Whether clang has refused anything that repairs are not for.
bool hasOtherErrors(std::string_view diagnostics) {
  constexpr std::string_view Words = ": error: ";
  for (size_t at = 0; (at = diagnostics.find(Words, at)) != diagnostics.npos;) {
    std::string_view message = diagnostics.substr(at += Words.size());
    if (!message.starts_with(VariableArraysMessage) && !message.starts_with(AsmMessage))
      return true;
  }
  return diagnostics.find(": fatal error: ") != diagnostics.npos;
}

} // namespace

std::optional<Failure> SeenSource::read() {
  Result<std::string> source = readFile(path_);
  if (!source)
    return {};
  std::optional<std::string> joined = joinLaunchBrackets(*source);
  text_ = joined ? *joined : *source;
  std::optional<std::string> spelt = spellAsm(text_);
  if (spelt)
    text_ = *spelt;
  if (joined || spelt)
    changed_[seenName(path_)] = text_;
  for (const char *header : RespeltHeaders)
    if (Result<std::string> text = readFile(header))
      if (std::optional<std::string> respelt = spellAsm(*text))
        changed_[header] = *respelt;
  return changed_.empty() ? std::nullopt : writeOverlay();
}

bool SeenSource::repair(const std::vector<std::string> &errors) {
  // clang may show one place after the other: of a template the first, or none beside a header's.
  constexpr unsigned MostRepairs = 8;
  if (repairs_ == MostRepairs)
    return false;
  std::string all;
  for (const std::string &text : errors)
    all += withoutColour(text);
  bool text = repairText(all);
  bool headers = repairHeaders(all);
  if ((!text && !headers) || (!changed_.empty() && writeOverlay()))
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

bool SeenSource::repairText(const std::string &errors) {
  auto arrays = initialiseVariableArrays(text_, path_, errors);
  if (!arrays || arrays->empty())
    return false;
  std::optional<std::string> text = rewritten(text_, *arrays);
  if (text)
    changed_[seenName(path_)] = text_ = *text;
  return text.has_value();
}

bool SeenSource::repairHeaders(const std::string &errors) {
  bool any = false;
  for (const std::string &file : filesWithError(errors, AsmMessage))
    if (Result<std::string> text = readFile(file))
      if (std::optional<std::string> respelt = spellAsm(*text))
        any |= changed_.emplace(seenName(file), *respelt).second;
  return any;
}

/// Lets clang see `changed_` in place of what the files hold.
std::optional<Failure> SeenSource::writeOverlay() {
  Result<std::string> folder = temporary_.path();
  if (!folder)
    return Failure{folder.error()};
  std::string roots;
  size_t number = 0;
  for (const auto &[name, text] : changed_) {
    const std::string contents = *folder + "/" + std::to_string(number++);
    if (auto failure = writeFile(contents, text))
      return failure;
    roots += (roots.empty() ? "" : ", ") + std::string("{ 'type': 'file', 'name': '") + name +
             "', 'external-contents': '" + contents + "' }";
  }
  overlay_ = *folder + "/overlay.yaml";
  return writeFile(overlay_,
                   "{ 'version': 0, 'use-external-names': false, 'roots': [" + roots + "] }\n");
}

Command SeenSource::flags() const {
  Command flags;
  if (!overlay_.empty())
    flags.insert(flags.end(), {"-ivfsoverlay", overlay_});
  if (!firstErrors_.empty())
    flags.insert(flags.end(), {"-include", VariableArraysHeader});
  return flags;
}

} // namespace heddle::driver
