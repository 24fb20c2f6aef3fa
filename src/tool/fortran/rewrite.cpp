// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some things that Flang 22's frontend cannot be told otherwise are changed in the source that it
// reads:
//
//   real, texture, pointer :: t(:)        ->  real, device , pointer :: t(:); contiguous :: t
//     Flang: "ATTRIBUTES(TEXTURE) is obsolete". A texture pointer reads its target's elements; so
//     does a device pointer. A texture has no gaps, without which neighbours read neighbours.
//
//   attributes(value) :: n                ->  value :: n
//   !pgi$ ignore_tkr a                    ->  !dir$ ignore_tkr a (directives.cpp)
//   device procedures                     ->  a directive for generic names, INTRINSIC (device_procedures.cpp)
//   [0.0, 1]                              ->  [real :: 0.0, 1] (constructors.cpp)
//
// The source is read as statements of tokens. Lines stay, so diagnostics do; a source that needs
// none of this is not touched. What is included is looked at too: a file that needs changes takes
// the place of the line that includes it. In fixed form lines have an end, so what makes them
// longer is left out (constructors) or becomes a line of its own.
#include "tool/fortran/rewrite.h"
#include "tool/fortran/statements.h"
#include "tool/tools/files.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

namespace heddle::tool {

namespace {

class Rewriter {
public:
  /// `depth`: how many files include one another down to this one.
  Rewriter(std::string_view text, const std::string &path, size_t fixedLength,
           const std::vector<std::string> &folders, unsigned depth = 0)
      : source_{text, path, fixedLength, scanFortran(text, fixedLength), {}}, path_(path),
        folders_(folders), depth_(depth) {}

  std::optional<RewrittenSource> rewrite() {
    for (const Statement &s : source_.statements) {
      replaceTexture(s);
      replaceValue(s);
    }
    rewriteDeviceProcedures(source_);
    rewriteDirectives(source_);
    if (source_.fixedLength == 0)
      rewriteConstructors(source_.text, source_.statements, source_.edits);
    replaceIncludes();
    if (source_.edits.empty())
      return {};
    return RewrittenSource{lineMarker(1) + "\n" + apply(), std::move(included_)};
  }

private:
  /// What says which line of which file comes next. There is no way to write a quote or the end of a
  /// line in it; messages name such a file with other characters in their place.
  std::string lineMarker(size_t line) const {
    std::string name = path_;
    std::replace(name.begin(), name.end(), '"', '\'');
    std::replace(name.begin(), name.end(), '\n', ' ');
    return "# " + std::to_string(line) + " \"" + name + "\"";
  }

  /// A type's declaration with TEXTURE among its attributes.
  void replaceTexture(const Statement &s) {
    size_t colons = findOutside(s, [](const std::string &word) { return word == "::"; });
    size_t at = findOutside(s, [](const std::string &word) { return word == "texture"; });
    if (colons == s.size() || at == 0 || at > colons || s[at - 1].text != ",")
      return;
    source_.edits.push_back({s[at].begin, s[at].end, "device "}); // as long as "texture"
    size_t pointer = findOutside(s, [](const std::string &word) { return word == "pointer"; });
    if (pointer < colons)
      addStatement(source_, s.back().end, "contiguous :: " + namesOf(s, colons));
  }

  /// The names that a declaration declares, with commas.
  static std::string namesOf(const Statement &s, size_t colons) {
    std::string names;
    int depth = 0;
    for (size_t i = colons + 1; i < s.size(); ++i) {
      depth += s[i].text == "(";
      depth -= s[i].text == ")";
      if (depth == 0 && (i == colons + 1 || s[i - 1].text == ","))
        names += (names.empty() ? "" : ", ") + s[i].text;
    }
    return names;
  }

  /// VALUE as CUDA Fortran's statement of attributes.
  void replaceValue(const Statement &s) {
    if (s.size() > 4 && s[0].text == "attributes" && s[2].text == "value" && s[3].text == ")")
      source_.edits.push_back(
          {s[0].begin, s[3].end, "value" + std::string(s[3].end - s[0].begin - 5, ' ')});
  }

  void replaceIncludes() {
    for (size_t begin = 0, line = 1; begin < source_.text.size(); ++line) {
      size_t end = endOfLine(source_.text, begin);
      std::string name = includedBy(source_.text.substr(begin, end - begin));
      if (!name.empty())
        replaceInclude(begin, end, line, name);
      begin = end + 1;
    }
  }

  /// The file that INCLUDE or #include names; empty if the line is none of them.
  static std::string includedBy(std::string_view line) {
    auto skipBlanks = [&] {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    };
    skipBlanks();
    line.remove_prefix(line.starts_with('#'));
    constexpr std::string_view Word = "include";
    bool isIt = line.size() > Word.size() &&
                std::equal(Word.begin(), Word.end(), line.begin(), [](char letter, char c) {
                  return letter == std::tolower(static_cast<unsigned char>(c));
                });
    if (!isIt)
      return "";
    line.remove_prefix(Word.size());
    skipBlanks();
    if (line.empty() || (line[0] != '\'' && line[0] != '"'))
      return "";
    size_t close = line.find(line[0], 1);
    return close == std::string_view::npos ? "" : std::string(line.substr(1, close - 1));
  }

  /// A file that needs no changes stays where it is.
  void replaceInclude(size_t begin, size_t end, size_t line, const std::string &name) {
    std::string path = find(name);
    constexpr unsigned Deepest = 50; // a file that includes itself is Flang's error
    if (path.empty() || depth_ == Deepest)
      return;
    Result<std::string> text = readFile(path);
    if (!text)
      return;
    auto changed = Rewriter(*text, path, source_.fixedLength, folders_, depth_ + 1).rewrite();
    if (!changed)
      return;
    source_.edits.push_back({begin, end, changed->text + "\n" + lineMarker(line + 1)});
    included_.push_back(path);
    included_.insert(included_.end(), changed->included.begin(), changed->included.end());
  }

  /// Where an included file is; empty if it is nowhere.
  std::string find(const std::string &name) const {
    if (name.starts_with('/'))
      return isFile(name) ? name : "";
    std::string beside = directoryOf(path_) + "/" + name;
    if (isFile(beside))
      return beside;
    for (const std::string &folder : folders_)
      if (std::string path = folder + "/" + name; isFile(path))
        return path;
    return "";
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
  std::string path_;
  const std::vector<std::string> &folders_;
  unsigned depth_;
  std::vector<std::string> included_;
};

} // namespace

std::optional<RewrittenSource> rewriteFortran(std::string_view text, const std::string &path,
                                              size_t fixedLength,
                                              const std::vector<std::string> &folders) {
  return Rewriter(text, path, fixedLength, folders).rewrite();
}

} // namespace heddle::tool
