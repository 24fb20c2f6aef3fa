// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvfortran takes and Flang refuses, where the text that it needs can be told from the error:
//
//   if (mod(j, 2)) then          ->  if (btest(mod(j, 2), 0)) then        integers as conditions: odd ones are true
//   call cudaProfilerStop()      ->  call heddle_ignore(cudaProfilerStop())     functions of the libraries that are called
//   call random_seed(put=long)   ->  call random_seed(put=int(long))      integers of other kinds
//   a_d = f(b_d)                 ->  a_d = f((b_d))                       the host's functions get values of the device
//   call qsort(a, n, compare)    ->  call qsort(loc(a), n, loc(compare))  TYPE(C_PTR), VALUE with IGNORE_TKR: addresses (addresses.cpp)
//   call f(a_d(1, j))            ->  call f(a_d(1:1, j:j))                an array of any shape, from an element on
//   integer(wide) :: n           ->  integer(8) :: n                      behind `real :: a(n)` (dummy_kinds.cpp)
//   use cudafor; real :: sum     ->  use cudafor, heddle_own_sum => sum   a name of the program's own
//   sizeof(particle)             ->  24_8                                 of a derived type
//
// The errors leave Flang's list and their fixes are noted; the source is then compiled again with
// the fixes in it (main.cpp). What is wrong beside that is told then.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Frontend/CompilerInstance.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parsing.h"
#include "flang/Parser/provenance.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Regex.h"

#include <map>
#include <optional>

using Fortran::parser::AllCookedSources;
using Fortran::parser::Message;
using Fortran::parser::Messages;

namespace heddle::fortran {

namespace {

std::map<size_t, Fix> Fixes; ///< by where they begin

/// A place in the source that is compiled.
struct Place {
  llvm::StringRef text; ///< of the whole file
  size_t begin, end;
};

std::optional<Place> placeOf(std::optional<Fortran::parser::ProvenanceRange> range,
                             const AllCookedSources &sources) {
  if (!range || range->size() == 0)
    return {};
  size_t begin = 0, last = 0;
  auto *file = sources.allSources().GetSourceFile(range->start(), &begin);
  auto *same = sources.allSources().GetSourceFile(range->start() + (range->size() - 1), &last);
  auto first = sources.allSources().GetFirstFileProvenance();
  if (!file || file != same || !first || file != sources.allSources().GetSourceFile(first->start()))
    return {};
  return Place{{file->content().data(), file->content().size()}, begin, last + 1};
}

std::optional<Place> placeOf(const Message &message, const AllCookedSources &sources) {
  return placeOf(message.GetProvenanceRange(sources), sources);
}

/// The number of characters of an argument list with its parentheses; 0 if there is none in this
/// line.
size_t lengthOfList(llvm::StringRef text) {
  int depth = 0;
  for (size_t i = 0; i < text.size() && text[i] != '\n'; ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0)
      return text[i] == ')' ? i + 1 : 0;
  }
  return 0;
}

bool isOfLibrary(llvm::StringRef name) {
  for (llvm::StringRef prefix : {"cuda", "cublas", "cufft", "curand", "cusolver", "cusparse"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

/// The call of a function: its value becomes an argument of a procedure that does nothing.
std::optional<Fix> fixCall(const Place &place, llvm::StringRef name) {
  std::string source = place.text.lower();
  llvm::StringRef text = source;
  size_t begin = text.find(name, place.begin);
  if (!isOfLibrary(name) || begin == llvm::StringRef::npos ||
      text.slice(place.begin, begin).contains('\n'))
    return {};
  size_t list = lengthOfList(text.drop_front(begin + name.size()));
  size_t end = begin + name.size() + list;
  std::string arguments = list ? "" : "()";
  return Fix{begin, end, "heddle_ignore(" + place.text.slice(begin, end).str() + arguments + ")"};
}

/// Whether an argument of the name only goes in.
bool isInput(llvm::StringRef error, const Place &place) {
  llvm::StringRef line = place.text.take_front(place.begin).rsplit('\n').second;
  return error.contains("'put='") ||
         (error.contains("'status='") && line.lower().find("exit") != std::string::npos);
}

/// Whether text of a statement ends within the arguments of a function, not of a subroutine that is
/// called. In fixed form there are no blanks in it.
bool isInFunction(llvm::StringRef text) {
  int depth = 0, depthOfCall = -1;
  bool isAssignment = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"' || c == '\'')
      quote = quote == 0 ? c : quote == c ? 0 : quote;
    if (quote != 0)
      continue;
    if (c == ';')
      return isInFunction(text.drop_front(i + 1));
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    isAssignment |= c == '=' && depth == 0;
    bool isInName = i > 0 && (llvm::isAlpha(text[i - 1]) || text[i - 1] == '_');
    if (depthOfCall < 0 && !isInName && text.drop_front(i).starts_with("call"))
      depthOfCall = depth;
  }
  return isAssignment || depthOfCall < 0 || depth > depthOfCall + 1;
}

/// Whether a message points at an argument of a function; a subroutine might define it.
bool isOfFunction(const Message &message) {
  std::optional<Fortran::parser::CharBlock> argument = blockOf(message);
  if (!argument)
    return false;
  const char *begin = compilation()->getParsing().cooked().AsCharBlock().begin();
  llvm::StringRef before(begin, static_cast<size_t>(argument->begin() - begin));
  return isInFunction(before.rsplit('\n').second);
}

/// Makes a value of the device's argument of a function of the host.
void noteArgument(const Message &message, const AllCookedSources &sources) {
  std::string error = message.ToString();
  if (!llvm::StringRef(error).ends_with("has no CUDA data attribute but its associated actual "
                                        "argument has ATTRIBUTES(DEVICE)") ||
      !isOfFunction(message))
    return;
  if (std::optional<Place> place = placeOf(message, sources)) {
    std::string found = place->text.slice(place->begin, place->end).str();
    Fixes.try_emplace(place->begin, Fix{place->begin, place->end, "(" + found + ")"});
  }
}

/// Makes a section of an element's name in one line: a section of one element is contiguous, so that
/// its address is passed.
std::optional<std::string> sectionOf(llvm::StringRef element) {
  if (!element.consume_back(")") || element.contains('\n'))
    return {};
  size_t end = element.size();
  std::string section = ")";
  int depth = 0;
  for (size_t i = element.size(); i-- > 0;) {
    char c = element[i];
    depth += c == ')' || c == ']' ? 1 : c == '(' || c == '[' ? -1 : 0;
    if (depth >= 0 && (c != ',' || depth > 0))
      continue;
    std::string subscript = element.slice(i + 1, end).trim().str();
    section = c + subscript + ":" + subscript + section;
    end = i;
    if (depth < 0)
      return element.take_front(i).str() + section;
  }
  return {};
}

/// An element stands for the array from there on, also where the array is of assumed shape.
void noteElement(const Message &message, const AllCookedSources &sources) {
  std::string error = message.ToString();
  if (!llvm::StringRef(error).starts_with("Element of assumed-shape array may not be associated"))
    return;
  std::optional<Place> place = placeOf(message, sources);
  if (!place)
    return;
  if (auto section = sectionOf(place->text.slice(place->begin, place->end)))
    Fixes.try_emplace(place->begin, Fix{place->begin, place->end, *section});
}

/// What is attached to the error of a generic name says what each procedure lacks.
void noteArguments(const Message &message, const AllCookedSources &sources) {
  std::string text = message.ToString();
  llvm::StringRef error = text;
  noteArgument(message, sources);
  noteElement(message, sources);
  bool isOfFunction = error.starts_with("No specific function of generic");
  if (!isOfFunction && !error.starts_with("No specific subroutine of generic"))
    return;
  for (const Message *why = message.attachment().get(); why; why = why->attachment().get()) {
    noteElement(*why, sources);
    if (isOfFunction)
      noteArgument(*why, sources);
  }
}

/// Whether there is a dummy TYPE(C_PTR) or TYPE(C_FUNPTR), VALUE of the name for which arguments of
/// other types may stand.
bool takesAddresses(const Fortran::semantics::Scope &scope, llvm::StringRef name) {
  auto found = scope.find({name.data(), name.size()});
  if (found != scope.end()) {
    const Fortran::semantics::Symbol &dummy = *found->second;
    const auto *details = dummy.detailsIf<Fortran::semantics::ObjectEntityDetails>();
    const auto *type = dummy.GetType() ? dummy.GetType()->AsDerived() : nullptr;
    std::string typeName = type ? type->typeSymbol().name().ToString() : "";
    if (details && !details->ignoreTKR().empty() &&
        dummy.attrs().test(Fortran::semantics::Attr::VALUE) &&
        (llvm::StringRef(typeName).ends_with("c_ptr") ||
         llvm::StringRef(typeName).ends_with("c_funptr")))
      return true;
  }
  return llvm::any_of(scope.children(), [&](const Fortran::semantics::Scope &inner) {
    return takesAddresses(inner, name);
  });
}

/// An array or a procedure in the place of an address.
std::optional<Fix> fixAddress(const Message &message, const AllCookedSources &sources) {
  std::string text = message.ToString();
  llvm::StringRef error = text, name = error.split("dummy argument '").second.split('=').first;
  bool isArray =
      error.starts_with("Array actual argument may not be associated with IGNORE_TKR(R)");
  bool isProcedure = error.ends_with("is not a variable or typed expression");
  if ((!isArray && !isProcedure) ||
      !takesAddresses(compilation()->getSemanticsContext().globalScope(), name))
    return {};
  std::optional<Place> place = placeOf(message, sources);
  if (!place)
    return {};
  std::string found = place->text.slice(place->begin, place->end).str();
  return Fix{place->begin, place->end, "loc(" + found + ")"};
}

/// The kind of a dummy that is in bounds before its declaration.
std::optional<Fix> fixKind(const Message &message, const AllCookedSources &sources) {
  auto kind = kindOfDummy(message);
  std::optional<Place> place =
      kind ? placeOf(sources.GetProvenanceRange(kind->first), sources) : std::nullopt;
  if (!place)
    return {};
  return Fix{place->begin, place->end, std::to_string(kind->second)};
}

/// Where the name of a module ends in the last USE statement of it in a text; nothing if it has
/// ONLY.
std::optional<size_t> endOfUse(llvm::StringRef text, llvm::StringRef module) {
  std::string lower = text.lower();
  llvm::Regex use("(^|[\n;])[ \t]*use[ \t]*(,[ \t]*intrinsic[ \t]*)?(::)?[ \t]*(" + module.str() +
                  ")[ \t]*([,;!\n\r]|$)");
  llvm::StringRef rest = lower;
  llvm::SmallVector<llvm::StringRef, 6> parts;
  std::optional<size_t> end;
  while (use.match(rest, &parts)) {
    end = static_cast<size_t>(parts[4].end() - lower.data());
    rest = rest.substr(static_cast<size_t>(parts[4].end() - rest.data()));
  }
  if (end && llvm::StringRef(lower).drop_front(*end).split('\n').first.contains("only"))
    return {};
  return end;
}

/// The program's own `sum` beside the one that cudafor has for device arrays: nvfortran's is no name
/// of the module.
void noteOwnName(const Message &message, const AllCookedSources &sources) {
  static llvm::Regex again("^'(sum|maxval|minval|maxloc|minloc)' is use-associated from module "
                           "'([a-z0-9_]+)' and cannot be re-declared");
  static llvm::Regex before("^Cannot use-associate '(sum|maxval|minval|maxloc|minloc)'; it is "
                            "already declared in this scope");
  std::string error = message.ToString();
  llvm::SmallVector<llvm::StringRef, 3> parts;
  bool isAgain = again.match(error, &parts);
  std::optional<Place> place =
      isAgain || before.match(error, &parts) ? placeOf(message, sources) : std::nullopt;
  if (!place)
    return;
  std::string module =
      isAgain ? parts[2].str() : place->text.slice(place->begin, place->end).lower();
  std::optional<size_t> end =
      endOfUse(place->text.take_front(isAgain ? place->begin : place->end), module);
  if (!end)
    return;
  std::string rename = ", heddle_own_" + parts[1].str() + " => " + parts[1].str();
  Fix &fix = Fixes.try_emplace(*end, Fix{*end, *end, ""}).first->second;
  if (!llvm::StringRef(fix.text).contains(rename))
    fix.text += rename;
}

/// The size of a derived type.
std::optional<Fix> fixSize(const Message &message, const AllCookedSources &sources) {
  std::string error = message.ToString();
  std::optional<Fortran::parser::CharBlock> block = blockOf(message);
  if (!block || !llvm::StringRef(error).ends_with("is not an object that can appear in an "
                                                  "expression"))
    return {};
  std::optional<Place> place = placeOf(message, sources);
  const Fortran::semantics::Symbol *type =
      compilation()->getSemanticsContext().FindScope(*block).FindSymbol(*block);
  const Fortran::semantics::Scope *components = type ? type->GetUltimate().scope() : nullptr;
  if (!place || !components || !components->IsDerivedType() || !components->alignment())
    return {};
  std::string before = place->text.take_front(place->begin).rtrim().lower();
  llvm::StringRef call = before;
  size_t end = place->text.find_first_not_of(" \t", place->end);
  if (!call.consume_back("(") || !(call = call.rtrim()).consume_back("sizeof") ||
      call.ends_with("_") || end == llvm::StringRef::npos || place->text[end] != ')')
    return {};
  uint64_t size = llvm::alignTo(components->size(), *components->alignment());
  return Fix{call.size(), end + 1, std::to_string(size) + "_8"};
}

std::optional<Fix> fixOf(const Message &message, const AllCookedSources &sources) {
  std::string text = message.ToString();
  llvm::StringRef error = text;
  bool isKnown = error.starts_with("Must have LOGICAL type, but is INTEGER") ||
                 error.contains("has bad type or kind 'INTEGER") ||
                 error.starts_with("Cannot call function '");
  std::optional<Place> place = isKnown ? placeOf(message, sources) : std::nullopt;
  if (!place)
    return {};
  std::string found = place->text.slice(place->begin, place->end).str();
  if (error.starts_with("Must"))
    return Fix{place->begin, place->end, "btest(" + found + ", 0)"};
  if (error.consume_front("Cannot call function '"))
    return fixCall(*place, error.split('\'').first);
  if (isInput(error, *place))
    return Fix{place->begin, place->end, "int(" + found + ")"};
  return {};
}

} // namespace

bool noteFixes(Messages &messages, const AllCookedSources &sources) {
  // Others are the parser's, when there is no context of semantics yet, or of trials with one
  // procedure of a generic name.
  bool areFinal = &messages != &compilation()->getParsing().messages() &&
                  &messages == &compilation()->getSemanticsContext().messages();
  size_t before = Fixes.size();
  for (const Message &message : messages.messages()) {
    if (areFinal) {
      noteArguments(message, sources);
      noteOwnName(message, sources);
      for (const std::optional<Fix> &fix :
           {fixAddress(message, sources), fixKind(message, sources), fixSize(message, sources)})
        if (fix)
          Fixes.try_emplace(fix->begin, *fix);
    }
    if (std::optional<Fix> fix = fixOf(message, sources))
      Fixes.try_emplace(fix->begin, *fix);
  }
  // What other messages are of has its own errors: a module file may be read behind those of the source.
  return areFinal ? !Fixes.empty() : Fixes.size() > before;
}

bool hasFixes() { return !Fixes.empty(); }

std::string fixedText(llvm::StringRef text) {
  std::string result;
  size_t at = 0;
  for (const auto &[begin, fix] : Fixes) {
    if (begin < at || fix.end > text.size())
      continue;
    result += text.slice(at, begin);
    result += fix.text;
    at = fix.end;
  }
  return result + text.drop_front(at).str();
}

} // namespace heddle::fortran
