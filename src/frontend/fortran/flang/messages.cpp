// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in a source that was changed before it is parsed, by the driver (tool/fortran/rewrite.cpp)
// or by fixes.cpp. Directives in it say which line of the user's file a line stands for; here columns
// become that line's, too, and messages quote it:
//
//   if (btest(mod(j, 2), 0)) thn     ->     if (mod(j, 2)) thn
//                            ^                             ^
//
// Flang has all its places from one function, the ends of debug information too.
#include "flang/Parser/provenance.h"
#include "flang/Parser/source.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

using Fortran::parser::AllSources;
using Fortran::parser::ProvenanceRange;
using Fortran::parser::SourceFile;
using Fortran::parser::SourcePosition;

// SourceFile::GetSourcePosition(offset) and
// AllSources::EmitMessage(stream, range, message, prefix, color, whether it is quoted).
#define EMIT_MESSAGE                                                                               \
  "_ZNK7Fortran6parser10AllSources11EmitMessageERN4llvm11raw_ostreamERKSt8optionalINS_6common8"    \
  "IntervalINS0_10ProvenanceEEEERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESK_NS3_6"    \
  "ColorsEb"
SourcePosition
positionAsFlang(const SourceFile *,
                size_t) __asm__("__real__ZNK7Fortran6parser10SourceFile17GetSourcePositionEm");
SourcePosition
positionForUser(const SourceFile *,
                size_t) __asm__("__wrap__ZNK7Fortran6parser10SourceFile17GetSourcePositionEm");
void emitAsFlang(const AllSources *, llvm::raw_ostream &, const std::optional<ProvenanceRange> &,
                 const std::string &, const std::string &, llvm::raw_ostream::Colors,
                 bool) __asm__("__real_" EMIT_MESSAGE);
void emitForUser(const AllSources *, llvm::raw_ostream &, const std::optional<ProvenanceRange> &,
                 const std::string &, const std::string &, llvm::raw_ostream::Colors,
                 bool) __asm__("__wrap_" EMIT_MESSAGE);

namespace heddle::fortran {

namespace {

/// The lines of a file; none if it cannot be read.
llvm::ArrayRef<llvm::StringRef> linesOf(const std::string &path) {
  struct File {
    std::unique_ptr<llvm::MemoryBuffer> text;
    llvm::SmallVector<llvm::StringRef> lines;
  };
  static llvm::StringMap<File> files;
  auto [found, isNew] = files.try_emplace(path);
  File &file = found->second;
  if (isNew)
    if (auto read = llvm::MemoryBuffer::getFile(path)) {
      file.text = std::move(*read);
      file.text->getBuffer().split(file.lines, '\n');
    }
  return file.lines;
}

/// The user's line that a place stands for; none if its source is the user's.
std::optional<llvm::StringRef> userLine(const SourcePosition &place) {
  if (*place.path == place.sourceFile->path())
    return {};
  llvm::ArrayRef<llvm::StringRef> lines = linesOf(*place.path);
  size_t number = static_cast<size_t>(place.line);
  if (number == 0 || number > lines.size())
    return {};
  return lines[number - 1].rtrim('\r');
}

llvm::StringRef lineOf(const SourcePosition &place) {
  llvm::ArrayRef<char> text = place.sourceFile->content();
  size_t begin = place.sourceFile->GetLineStartOffset(place.trueLineNumber);
  return llvm::StringRef(text.data(), text.size()).drop_front(begin).split('\n').first;
}

/// Where each character of a changed line is in the user's, by their longest common subsequence;
/// what is new stands where the next old one does.
std::vector<size_t> align(llvm::StringRef changed, llvm::StringRef user) {
  size_t rows = changed.size() + 1, columns = user.size() + 1;
  std::vector<unsigned> length(rows * columns, 0); // of what the rests have in common
  for (size_t i = changed.size(); i-- > 0;)
    for (size_t k = user.size(); k-- > 0;)
      length[i * columns + k] = changed[i] == user[k] ? length[(i + 1) * columns + k + 1] + 1
                                                      : std::max(length[(i + 1) * columns + k],
                                                                 length[i * columns + k + 1]);
  std::vector<size_t> places(rows, user.size());
  for (size_t i = 0, k = 0; i < changed.size(); ++i) {
    while (k < user.size() && length[i * columns + k] == length[i * columns + k + 1])
      ++k; // the user's character is none of those in common
    places[i] = k;
    bool isCommon = k < user.size() && changed[i] == user[k] &&
                    length[(i + 1) * columns + k + 1] + 1 == length[i * columns + k];
    k += isCommon;
  }
  return places;
}

/// The column of a place in the user's line.
int columnIn(llvm::StringRef user, const SourcePosition &place) {
  using Line = std::pair<const SourceFile *, int>;
  static std::map<Line, std::vector<size_t>> known;
  llvm::StringRef changed = lineOf(place);
  if (changed == user)
    return place.column;
  auto [found, isNew] = known.try_emplace({&*place.sourceFile, place.trueLineNumber});
  if (isNew)
    found->second = align(changed, user);
  size_t at = std::min(static_cast<size_t>(place.column - 1), changed.size());
  return static_cast<int>(found->second[at]) + 1;
}

/// A place in a changed source itself, not in what a macro becomes.
std::optional<SourcePosition> placeOf(const AllSources &sources, const ProvenanceRange &range) {
  size_t offset = 0;
  const SourceFile *file = sources.GetSourceFile(range.start(), &offset);
  if (!file || &sources[range.start()] != file->content().data() + offset)
    return {};
  return file->GetSourcePosition(offset);
}

void quote(llvm::raw_ostream &o, llvm::StringRef line, int column, int length) {
  o << "  " << line << "\n  ";
  for (char c : line.take_front(static_cast<size_t>(column - 1)))
    o << (c == '\t' ? '\t' : ' ');
  o << std::string(static_cast<size_t>(std::max(length, 1)), '^') << '\n';
}

} // namespace

} // namespace heddle::fortran

using namespace heddle::fortran;

SourcePosition positionForUser(const SourceFile *file, size_t offset) {
  SourcePosition place = positionAsFlang(file, offset);
  if (std::optional<llvm::StringRef> user = userLine(place))
    place.column = columnIn(*user, place);
  return place;
}

void emitForUser(const AllSources *sources, llvm::raw_ostream &o,
                 const std::optional<ProvenanceRange> &range, const std::string &message,
                 const std::string &prefix, llvm::raw_ostream::Colors color, bool isQuoted) {
  std::optional<SourcePosition> place = range ? placeOf(*sources, *range) : std::nullopt;
  std::optional<llvm::StringRef> user = place ? userLine(*place) : std::nullopt;
  if (!user)
    return emitAsFlang(sources, o, range, message, prefix, color, isQuoted);
  o << *place->path << ':' << place->line << ':' << place->column << ": ";
  if (sources->getShowColors())
    o.changeColor(color, /*Bold=*/true);
  o << prefix;
  if (sources->getShowColors())
    o.resetColor();
  o << message << '\n';
  if (!isQuoted)
    return;
  ProvenanceRange last = range->size() > 0 ? range->Suffix(range->size() - 1) : *range;
  std::optional<SourcePosition> end = placeOf(*sources, last);
  bool isInLine = end && &*end->sourceFile == &*place->sourceFile &&
                  end->trueLineNumber == place->trueLineNumber;
  quote(o, *user, place->column, isInLine ? end->column - place->column + 1 : 1);
}
