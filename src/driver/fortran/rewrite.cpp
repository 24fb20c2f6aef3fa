// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some things that Flang 22's frontend cannot be told otherwise are changed in the source that it
// reads:
//
//   real, texture, pointer :: t(:)        ->  real, device , pointer :: t(:)
//     Flang: "ATTRIBUTES(TEXTURE) is obsolete". A texture pointer reads its target's elements; so
//     does a device pointer.
//
//   attributes(global) subroutine k(a)    ->  attributes(global) subroutine k(a); use heddle_device, only: ballot
//     Flang makes its own module cudadevice known to device code, and that lacks functions. Those
//     that a device procedure calls come from our module, if the source declares nothing of the
//     name.
//
//   attributes(value) :: n                ->  value :: n
//   !pgi$ ignore_tkr a                    ->  !dir$ ignore_tkr a (directives.cpp)
//   device procedures                     ->  a directive for generic names, INTRINSIC (device_procedures.cpp)
//   [0.0, 1]                              ->  [real :: 0.0, 1] (constructors.cpp)
//
// The source is read as statements of tokens. Lines stay, so diagnostics do; a source that needs
// none of this is not touched. What is included is not looked at. In fixed form lines have an end,
// so what makes them longer is left out (constructors) or becomes a line of its own.
#include "driver/fortran/rewrite.h"
#include "driver/fortran/statements.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <vector>

namespace heddle::driver {

namespace {

/// What is in lib/fortran/modules/heddle_device.cuf, sorted.
constexpr std::array<std::string_view, 14> DeviceNames = {
    "__ldg",      "__shfl",         "__shfl_down", "__shfl_down_sync", "__shfl_sync",
    "__shfl_up",  "__shfl_up_sync", "__shfl_xor",  "__shfl_xor_sync",  "activemask",
    "allthreads", "anythread",      "ballot",      "nanosleep"};

/// MODULE and PROGRAM; procedures outside of them belong to the unit before.
bool beginsUnit(const Statement &s) {
  if (s[0].text == "program")
    return true;
  return s[0].text == "module" && s.size() == 2;
}

class Rewriter {
public:
  Rewriter(std::string_view text, std::string_view path, size_t fixedLength)
      : source_{text, path, fixedLength, scanFortran(text, fixedLength), {}} {}

  std::optional<std::string> rewrite() {
    for (const Statement &s : source_.statements) {
      declared_.resize(declared_.size() + beginsUnit(s));
      noteDeclarations(s);
    }
    for (const Statement &s : source_.statements) {
      unit_ += beginsUnit(s);
      replaceTexture(s);
      replaceValue(s);
      follow(s);
    }
    rewriteDeviceProcedures(source_);
    rewriteDirectives(source_);
    if (source_.fixedLength == 0)
      rewriteConstructors(source_.text, source_.statements, source_.edits);
    if (source_.edits.empty())
      return {};
    return apply();
  }

private:
  struct Procedure {
    bool isDevice;
    size_t end; ///< of the statement that begins it
    std::set<std::string> names;
  };

  /// Names that the last unit gives a meaning of its own.
  void noteDeclarations(const Statement &s) {
    size_t procedure = beginOfProcedure(s);
    if (procedure < s.size())
      declared_.back().insert(s[procedure + 1].text);
    if ((s[0].text == "interface" || s[0].text == "use" || s[0].text == "program") && s.size() > 1)
      for (const Token &token : s)
        declared_.back().insert(token.text);
    size_t colons = findOutside(s, [](const std::string &word) { return word == "::"; });
    for (size_t i = colons; i < s.size(); ++i)
      if (i + 1 == s.size() || i == colons + 1 || s[i - 1].text == ",")
        declared_.back().insert(s[i].text);
  }

  /// A type's declaration with TEXTURE among its attributes.
  void replaceTexture(const Statement &s) {
    size_t colons = findOutside(s, [](const std::string &word) { return word == "::"; });
    size_t at = findOutside(s, [](const std::string &word) { return word == "texture"; });
    if (colons < s.size() && at > 0 && at < colons && s[at - 1].text == ",")
      source_.edits.push_back({s[at].begin, s[at].end, "device "}); // as long as "texture"
  }

  /// VALUE as CUDA Fortran's statement of attributes.
  void replaceValue(const Statement &s) {
    if (s.size() > 4 && s[0].text == "attributes" && s[2].text == "value" && s[3].text == ")")
      source_.edits.push_back(
          {s[0].begin, s[3].end, "value" + std::string(s[3].end - s[0].begin - 5, ' ')});
  }

  void follow(const Statement &s) {
    if (size_t at = beginOfProcedure(s); at < s.size()) {
      procedures_.push_back({isDeviceCode(s, at), s.back().end, {}});
    } else if (endsProcedure(s)) {
      endProcedure();
    } else if (!procedures_.empty() && procedures_.back().isDevice) {
      for (size_t i = 0; i + 1 < s.size(); ++i)
        if (s[i + 1].text == "(" && !declared_[unit_].contains(s[i].text) &&
            std::find(DeviceNames.begin(), DeviceNames.end(), s[i].text) != DeviceNames.end())
          procedures_.back().names.insert(s[i].text);
    }
  }

  void endProcedure() {
    if (procedures_.empty())
      return;
    const Procedure &procedure = procedures_.back();
    for (const std::string &name : procedure.names)
      addStatement(source_, procedure.end, "use heddle_device, only: " + name);
    procedures_.pop_back();
  }

  /// Edits of one place stay in their order.
  std::string apply() {
    std::multimap<size_t, const Edit *> ordered;
    for (const Edit &edit : source_.edits)
      ordered.emplace(edit.begin, &edit);
    std::string result;
    size_t at = 0;
    for (auto [begin, edit] : ordered) {
      result += source_.text.substr(at, begin - at);
      result += edit->text;
      at = edit->end;
    }
    result += source_.text.substr(at);
    return result;
  }

  Source source_;
  std::vector<std::set<std::string>> declared_ = {{}}; ///< for each unit
  size_t unit_ = 0;
  std::vector<Procedure> procedures_;
};

} // namespace

std::optional<std::string> rewriteFortran(std::string_view text, std::string_view path,
                                          size_t fixedLength) {
  std::optional<std::string> result = Rewriter(text, path, fixedLength).rewrite();
  if (result)
    *result = "# 1 \"" + std::string(path) + "\"\n" + *result;
  return result;
}

} // namespace heddle::driver
