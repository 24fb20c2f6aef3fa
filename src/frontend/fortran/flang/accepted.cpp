// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PURE kernels, and statements that Flang 22 refuses in device code, though what follows can lower
// them: ASSOCIATE, WHERE and FORALL in device procedures, CYCLE and EXIT in CUF loops
// (loop_branches.cpp refuses an EXIT of the CUF loop itself), and sections with strides as
// arguments of kernels. Their errors are taken out of the list when Flang asks whether there are
// fatal ones, which it does before it goes on. So is its warning at output statements, of which
// device_library.cpp knows better.
//
// Pointers with the attribute MANAGED allocate managed memory, as allocatable arrays do; kernels
// may store to components of what a procedure has as INTENT(IN), which nvfortran does not check.
//
// Expressions of the host, with Fortran's own functions, may be of any arrays of the device
// (waits.cpp). MOVE_ALLOC moves them as it does others: their descriptors say where they are.
//
// Names of ASSOCIATE are on the device if what they stand for is.
//
// CUF loops use components that are on the device of structures that are not, in arrays, too.
//
// C_F_POINTER may associate an allocatable array of the device, too.
//
// Flang's option -w leaves some warnings, which are taken out of the list, too.
//
// Device code calls statement functions, which are expressions. Procedures of both sides call the
// host's, and define its variables, where on_device() is false (../device_copies.cpp).
//
// C_LOC takes variables that are neither pointers nor targets, as nvfortran's does. They become
// targets then: what follows must know that there are other ways to them.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Frontend/CompilerInstance.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parsing.h"
#include "flang/Parser/provenance.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"

#include "llvm/ADT/StringRef.h"

#include <set>

using Fortran::parser::Message;
using Fortran::parser::Messages;

namespace heddle::fortran {

namespace {

Fortran::frontend::CompilerInstance *Compilation = nullptr;
bool IsManaged = false, IsUnified = false, IsSilent = false;

/// The line of the source before and behind the place where a message points, in lower case.
std::pair<std::string, std::string> lineOf(const Message &message) {
  const Fortran::parser::AllCookedSources &sources = Compilation->getAllCookedSources();
  auto range = message.GetProvenanceRange(sources);
  size_t at = 0;
  auto *file = range ? sources.allSources().GetSourceFile(range->start(), &at) : nullptr;
  if (!file)
    return {};
  llvm::StringRef text(file->content().data(), file->content().size());
  return {text.take_front(at).rsplit('\n').second.lower(),
          text.drop_front(at).split('\n').first.lower()};
}

/// The line of the source from where a message points, in lower case.
std::string textOf(const Message &message) { return lineOf(message).second; }

/// Whether PURE is all that is wrong with a kernel.
bool isPureAlone(const Message &message) {
  auto [words, name] = lineOf(message);
  llvm::StringRef prefix = words;
  return prefix.contains("pure") && !prefix.contains("recursive") && !prefix.contains("elemental");
}

/// Whether the statement begins with one of the words, behind the name of a construct.
bool beginsWith(llvm::StringRef statement, llvm::ArrayRef<llvm::StringRef> words) {
  auto [name, rest] = statement.split(':');
  bool isNamed = !rest.empty() && !name.contains('(');
  llvm::StringRef begin = (isNamed ? rest : statement).ltrim();
  return llvm::any_of(words, [&](llvm::StringRef word) { return begin.starts_with(word); });
}

/// The variable whose name a message points at; null if there is none.
Fortran::semantics::Symbol *variableAt(const Message &message) {
  std::optional<Fortran::parser::CharBlock> text = blockOf(message);
  if (!text)
    return nullptr;
  auto isOfName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  size_t length = llvm::StringRef(text->begin(), text->size()).take_while(isOfName).size();
  Fortran::semantics::Scope &scope = Compilation->getSemanticsContext().FindScope(*text);
  Fortran::semantics::Symbol *found = scope.FindSymbol({text->begin(), length});
  return found ? &found->GetUltimate() : nullptr;
}

bool becomesTarget(const Message &message) {
  Fortran::semantics::Symbol *variable = variableAt(message);
  if (!variable || !variable->has<Fortran::semantics::ObjectEntityDetails>())
    return false;
  variable->attrs().set(Fortran::semantics::Attr::TARGET);
  return true;
}

/// Whether the attribute is wrong for no other reason than that the variable is a pointer.
bool isManagedPointer(const Message &message) {
  Fortran::semantics::Symbol *variable = variableAt(message);
  return variable && variable->attrs().test(Fortran::semantics::Attr::POINTER);
}

/// The variable whose name is in quotes in a message, where that points.
Fortran::semantics::Symbol *variableNamed(const Message &message) {
  std::optional<Fortran::parser::CharBlock> text = blockOf(message);
  if (!text)
    return nullptr;
  std::string error = message.ToString();
  std::string name = llvm::StringRef(error).split('\'').second.split('\'').first.str();
  Fortran::semantics::Scope &scope = Compilation->getSemanticsContext().FindScope(*text);
  Fortran::semantics::Symbol *found = scope.FindSymbol({name.data(), name.size()});
  return found ? &found->GetUltimate() : nullptr;
}

bool isOnHeap(const Message &message) {
  Fortran::semantics::Symbol *variable = variableNamed(message);
  return variable && Fortran::semantics::IsAllocatableOrPointer(*variable);
}

/// Whether the variable or component is of a type with components on the device.
bool hasComponentsOnDevice(const Fortran::semantics::Symbol &symbol) {
  const Fortran::semantics::DeclTypeSpec *type = symbol.GetType();
  const Fortran::semantics::DerivedTypeSpec *derived = type ? type->AsDerived() : nullptr;
  return derived && Fortran::semantics::FindCUDADeviceAllocatableUltimateComponent(*derived);
}

/// The same of a component of any type in the scope.
bool isStructureOnDevice(const Fortran::semantics::Scope &scope, const std::string &name) {
  auto found = scope.IsDerivedType() ? scope.find({name.data(), name.size()}) : scope.cend();
  if (found != scope.cend() && hasComponentsOnDevice(*found->second))
    return true;
  return llvm::any_of(scope.children(), [&](const Fortran::semantics::Scope &inner) {
    return isStructureOnDevice(inner, name);
  });
}

/// Whether an array is of structures with components on the device; check.cpp and loops.cpp look
/// at what is used of them.
bool isArrayOfStructures(const Message &message) {
  if (Fortran::semantics::Symbol *variable = variableNamed(message))
    return hasComponentsOnDevice(*variable);
  std::string error = message.ToString();
  return isStructureOnDevice(Compilation->getSemanticsContext().globalScope(),
                             llvm::StringRef(error).split('\'').second.split('\'').first.str());
}

/// Whether C_F_POINTER is given an allocatable array of the device in the place of a pointer.
bool isArrayOfDevice(const Message &message) {
  Fortran::semantics::Symbol *variable = variableAt(message);
  return variable && Fortran::semantics::IsAllocatable(*variable) &&
         Fortran::semantics::GetCUDADataAttr(variable).has_value();
}

/// Whether a name of ASSOCIATE has an attribute of CUDA after all (associated.cpp).
bool isAssociatedOnDevice(const Message &message) {
  Fortran::semantics::Symbol *variable = variableAt(message);
  return variable && variable->has<Fortran::semantics::AssocEntityDetails>() &&
         Fortran::semantics::GetCUDADataAttr(variable).has_value();
}

/// Whether a variable is not definable for no other reason than that it is the host's.
bool isDefinedOnHost(const Message &message) {
  for (Message::Reference why = message.attachment(); why; why = why->attachment()) {
    std::string text = why->ToString();
    if (llvm::StringRef(text).contains("is a host variable and is not definable in a device"))
      return true;
  }
  return false;
}

/// The attributes of the procedure that a place in the text is in.
std::optional<Fortran::common::CUDASubprogramAttrs>
procedureAt(const Fortran::semantics::Scope *scope) {
  for (; !scope->IsTopLevel(); scope = &scope->parent())
    if (scope->kind() == Fortran::semantics::Scope::Kind::Subprogram && scope->symbol())
      if (const auto *details = scope->symbol()->detailsIf<Fortran::semantics::SubprogramDetails>())
        return details->cudaSubprogramAttrs();
  return std::nullopt;
}

bool isOnBothSides(const Message &message) {
  std::optional<Fortran::parser::CharBlock> text = blockOf(message);
  return text && procedureAt(&Compilation->getSemanticsContext().FindScope(*text)) ==
                     Fortran::common::CUDASubprogramAttrs::HostDevice;
}

/// Whether a call is of a statement function, or in a procedure of both sides.
bool isCallable(const Message &message) {
  const Fortran::semantics::Symbol *called = variableNamed(message);
  const auto *details =
      called ? called->detailsIf<Fortran::semantics::SubprogramDetails>() : nullptr;
  return (details && details->stmtFunction()) || isOnBothSides(message);
}

bool isAccepted(const Message &message) {
  if (IsSilent && message.severity() == Fortran::parser::Severity::Warning)
    return true;
  std::string error = message.ToString();
  if (isDefinedOnHost(message) && (IsUnified || isOnBothSides(message)))
    return true;
  if (llvm::StringRef(error).ends_with("actual argument has no CUDA data attribute"))
    return isAssociatedOnDevice(message);
  if (llvm::StringRef(error).contains("POINTER dummy argument 'fptr=' must also be POINTER"))
    return isArrayOfDevice(message);
  if (error == "C_LOC() argument must be a data pointer or target")
    return becomesTarget(message);
  if (llvm::StringRef(error).contains("with ATTRIBUTES(MANAGED) must also be allocatable"))
    return isManagedPointer(message);
  if (llvm::StringRef(error).contains("associated with host intrinsic") ||
      llvm::StringRef(error).starts_with("More than one reference to a CUDA object on the right"))
    return true;
  if (llvm::StringRef(error).starts_with("Host array '"))
    return IsUnified || (IsManaged && isOnHeap(message)) || isArrayOfStructures(message);
  if (llvm::StringRef(error).contains("dummy argument") &&
      llvm::StringRef(error).ends_with("is not definable"))
    return llvm::StringRef(lineOf(message).first).contains("<<<");
  if (error == "A kernel subprogram may not be RECURSIVE, PURE, or ELEMENTAL")
    return isPureAlone(message);
  if (llvm::StringRef(error).ends_with("' may not be called in device code"))
    return isCallable(message);
  if (error == "I/O statement might not be supported on device")
    return true;
  if (error == "Statement may not appear in device code")
    return beginsWith(textOf(message), {"associate", "where", "forall"});
  if (error == "Statement may not appear in cuf kernel code")
    return beginsWith(textOf(message), {"cycle", "exit", "associate", "where", "forall"});
  return llvm::StringRef(error).contains("device dummy argument") &&
         llvm::StringRef(error).contains("is known to be discontiguous on its first dimension");
}

/// Takes out what is told a second time.
void removeRepeated(Messages &messages) {
  std::set<std::pair<size_t, std::string>> told;
  messages.messages().remove_if([&](const Message &message) {
    auto range = message.GetProvenanceRange(Compilation->getAllCookedSources());
    return range && !told.emplace(range->start().offset(), message.ToString()).second;
  });
}

} // namespace

std::optional<Fortran::parser::CharBlock> blockOf(const Message &message) {
  Fortran::parser::AllCookedSources &sources = Compilation->getAllCookedSources();
  auto &parsed = const_cast<Fortran::parser::CookedSource &>(Compilation->getParsing().cooked());
  parsed.CompileProvenanceRangeToOffsetMappings(sources.allSources());
  auto range = message.GetProvenanceRange(sources);
  return range ? parsed.GetCharBlock(*range) : std::nullopt;
}

void setManaged(bool isUnified) {
  IsManaged = true;
  IsUnified = isUnified;
}

void setSilent() { IsSilent = true; }

void setCompilation(Fortran::frontend::CompilerInstance *compilation) { Compilation = compilation; }
Fortran::frontend::CompilerInstance *compilation() { return Compilation; }

} // namespace heddle::fortran

// Messages::AnyFatalError(bool) const.
extern "C" {
bool isAnyFatal(const Messages *,
                bool) __asm__("__real__ZNK7Fortran6parser8Messages13AnyFatalErrorEb");
bool isAnyFatalButAccepted(const Messages *,
                           bool) __asm__("__wrap__ZNK7Fortran6parser8Messages13AnyFatalErrorEb");

bool isAnyFatalButAccepted(const Messages *messages, bool areWarningsErrors) {
  using heddle::fortran::Compilation;
  if (!Compilation)
    return isAnyFatal(messages, areWarningsErrors);
  auto &mended = const_cast<Messages &>(*messages);
  mended.messages().remove_if(heddle::fortran::isAccepted);
  heddle::fortran::removeRepeated(mended);
  if (!heddle::fortran::noteFixes(mended, Compilation->getAllCookedSources()))
    return isAnyFatal(messages, areWarningsErrors);
  mended.clear(); // they come again when the source is compiled with the fixes
  Compilation->getDiagnostics().setSuppressAllDiagnostics(true);
  return true;
}
}
