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

#include <map>
#include <vector>

namespace heddle::driver {

namespace {

class Rewriter {
public:
  Rewriter(std::string_view text, std::string_view path, size_t fixedLength)
      : source_{text, path, fixedLength, scanFortran(text, fixedLength), {}} {}

  std::optional<std::string> rewrite() {
    for (const Statement &s : source_.statements) {
      replaceTexture(s);
      replaceValue(s);
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
