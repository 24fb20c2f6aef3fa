// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements that Flang 22 refuses in device code, though what follows can lower them: ASSOCIATE, WHERE and FORALL in
// device procedures, CYCLE and EXIT in CUF loops (loop_branches.cpp refuses an EXIT of the CUF loop itself), and sections
// with strides as arguments of kernels. Their errors are taken out of the list when Flang asks whether there are fatal ones,
// which it does before it goes on. So is its warning at output statements, of which device_library.cpp knows better.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Frontend/CompilerInstance.h"
#include "flang/Parser/message.h"
#include "flang/Parser/provenance.h"

#include "llvm/ADT/StringRef.h"

using Fortran::parser::Message;
using Fortran::parser::Messages;

namespace heddle::fortran {

namespace {

Fortran::frontend::CompilerInstance *Compilation = nullptr;

/// The line of the source from where a message points, in lower case.
std::string textOf(const Message &message) {
  const Fortran::parser::AllCookedSources &sources = Compilation->getAllCookedSources();
  auto range = message.GetProvenanceRange(sources);
  size_t at = 0;
  auto *file = range ? sources.allSources().GetSourceFile(range->start(), &at) : nullptr;
  if (!file)
    return "";
  llvm::ArrayRef<char> rest = file->content().slice(at);
  return llvm::StringRef(rest.data(), rest.size()).split('\n').first.lower();
}

/// Whether the statement begins with one of the words, behind the name of a construct.
bool beginsWith(llvm::StringRef statement, llvm::ArrayRef<llvm::StringRef> words) {
  auto [name, rest] = statement.split(':');
  bool isNamed = !rest.empty() && !name.contains('(');
  llvm::StringRef begin = (isNamed ? rest : statement).ltrim();
  return llvm::any_of(words, [&](llvm::StringRef word) { return begin.starts_with(word); });
}

bool isAccepted(const Message &message) {
  std::string error = message.ToString();
  if (error == "I/O statement might not be supported on device")
    return true;
  if (error == "Statement may not appear in device code")
    return beginsWith(textOf(message), {"associate", "where", "forall"});
  if (error == "Statement may not appear in cuf kernel code")
    return beginsWith(textOf(message), {"cycle", "exit", "associate", "where", "forall"});
  return llvm::StringRef(error).contains("device dummy argument") &&
         llvm::StringRef(error).contains("is known to be discontiguous on its first dimension");
}

} // namespace

void setCompilation(Fortran::frontend::CompilerInstance *compilation) { Compilation = compilation; }

} // namespace heddle::fortran

// Messages::AnyFatalError(bool) const.
extern "C" {
bool isAnyFatal(const Messages *,
                bool) __asm__("__real__ZNK7Fortran6parser8Messages13AnyFatalErrorEb");
bool isAnyFatalButAccepted(const Messages *,
                           bool) __asm__("__wrap__ZNK7Fortran6parser8Messages13AnyFatalErrorEb");

bool isAnyFatalButAccepted(const Messages *messages, bool areWarningsErrors) {
  if (heddle::fortran::Compilation)
    const_cast<Messages *>(messages)->messages().remove_if(heddle::fortran::isAccepted);
  return isAnyFatal(messages, areWarningsErrors);
}
}
