// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that device procedures know without a USE statement. Flang copies all names of its
// module cudadevice into each device procedure, but for those that the procedure's host has. Here
// the module is changed before that:
//
//   what our module heddle_device has is added or takes the place of Flang's
//   (lib/fortran/modules/heddle_device.cuf): shuffles and the like, and what Flang has wrong;
//
//   names that a device procedure of the source declares itself are left out, as in
//   `integer :: clock`: Flang would say that a name of cudadevice cannot be declared again.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Frontend/CompilerInstance.h"
#include "flang/Parser/parsing.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"

#include "llvm/ADT/StringExtras.h"

#include <set>
#include <utility>

using Fortran::semantics::Scope;
using Fortran::semantics::SemanticsContext;

namespace heddle::fortran {

namespace {

/// A statement that begins a device procedure, without blanks. MODULE PROCEDURE may: its interface
/// is in another source.
bool beginsDeviceProcedure(llvm::StringRef statement) {
  if (statement.starts_with("moduleprocedure"))
    return !statement.contains(':');
  bool isProcedure = statement.contains("subroutine") || statement.contains("function");
  return isProcedure && !statement.contains("::") && statement.contains("attributes(") &&
         (statement.contains("global)") || statement.contains("device)"));
}

/// The names in a list, but for what stands in parentheses and behind `=`.
void takeNames(llvm::StringRef list, std::set<std::string> &names) {
  int depth = 0;
  bool isName = true;
  for (size_t i = 0; i < list.size();) {
    size_t length =
        list.drop_front(i).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }).size();
    if (length > 0 && isName && depth == 0)
      names.insert(list.substr(i, length).str());
    isName = length == 0 && list[i] == ',';
    depth += length > 0 ? 0 : list[i] == '(' ? 1 : list[i] == ')' ? -1 : 0;
    i += length > 0 ? length : 1;
  }
}

/// What device procedures declare, from the text of the source as Flang's parser gets it: in lower
/// case, a statement on each line.
std::set<std::string> declaredNames(llvm::StringRef source) {
  std::set<std::string> names;
  bool inside = false;
  for (llvm::StringRef line : llvm::split(source, '\n')) {
    std::string text;
    llvm::copy_if(line, std::back_inserter(text), [](char c) { return c != ' '; });
    llvm::StringRef statement = text;
    if (beginsDeviceProcedure(statement)) {
      inside = true;
      size_t word = statement.find(statement.contains("subroutine") ? "subroutine" : "function");
      llvm::StringRef dummies = statement.substr(word).split('(').second; // none behind npos
      takeNames(dummies.split(')').first, names);
    } else if (statement.starts_with("endsubroutine") || statement.starts_with("endfunction") ||
               statement.starts_with("endprocedure") || statement.starts_with("endinterface") ||
               statement == "end") {
      inside = false;
    } else if (inside && statement.contains("::")) {
      takeNames(statement.split("::").second, names);
    } else if (inside && statement.starts_with("use") && statement.contains("only:")) {
      takeNames(statement.split("only:").second, names);
    }
  }
  return names;
}

void addNames(Scope &device, Scope &ours) {
  for (Fortran::semantics::MutableSymbolRef symbol : ours.GetSymbols()) {
    if (symbol->attrs().test(Fortran::semantics::Attr::PRIVATE))
      continue;
    device.erase(symbol->name());
    auto [added, isNew] =
        device.try_emplace(symbol->name(), Fortran::semantics::Attrs{},
                           Fortran::semantics::UseDetails{symbol->name(), *symbol});
    added->second->flags() = symbol->flags();
  }
}

void leaveOutNames(Scope &device, const std::set<std::string> &names) {
  for (const std::string &name : names)
    if (auto found = device.find(Fortran::parser::CharBlock{name.data(), name.size()});
        found != device.end())
      device.erase(found->first);
}

} // namespace

void mendDeviceNames(SemanticsContext &context, Scope &device,
                     Fortran::frontend::CompilerInstance &compilation) {
  if (Scope *ours = context.GetBuiltinModule("heddle_device"))
    addNames(device, *ours);
  Fortran::parser::CharBlock source = compilation.getParsing().cooked().AsCharBlock();
  leaveOutNames(device, declaredNames({source.begin(), source.size()}));
}

} // namespace heddle::fortran

// SemanticsContext::GetCUDADeviceScope(), whose result is a reference.
extern "C" {
const Scope *deviceNames(SemanticsContext *) __asm__(
    "__real__ZN7Fortran9semantics16SemanticsContext18GetCUDADeviceScopeEv");
const Scope *mendedDeviceNames(SemanticsContext *) __asm__(
    "__wrap__ZN7Fortran9semantics16SemanticsContext18GetCUDADeviceScopeEv");

const Scope *mendedDeviceNames(SemanticsContext *context) {
  static bool isMended = false;
  auto *names = const_cast<Scope *>(deviceNames(context));
  if (!std::exchange(isMended, true))
    heddle::fortran::mendDeviceNames(*context, *names, *heddle::fortran::compilation());
  return names;
}
}
