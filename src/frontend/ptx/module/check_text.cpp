// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ptxas refuses in the directives of a module as a whole.
#include "frontend/ptx/module/module_text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// Two bodies, or two variables, of one name.
void checkDuplicates(const ModuleText &module, Problems &problems) {
  StringSet<> functions, variables;
  for (const ModuleFunction &function : module.functions)
    if (function.hasBody && !functions.insert(function.name).second)
      problems.error(function.name.data(),
                     "Duplicate definition of function '" + function.name + "'");
  for (const ModuleVariable &variable : module.variables)
    if (variable.linkage != Linkage::Extern && !variables.insert(variable.variable.name).second)
      problems.error(variable.variable.name.data(),
                     "Duplicate definition of variable '" + variable.variable.name + "'");
}

/// PTX ISA, "Kernel Function Parameters".
void checkParameters(const ModuleText &module, const ModuleFunction &kernel, Problems &problems) {
  constexpr uint64_t FewBytes = 4352, ManyBytes = 32764;
  const bool isNewVersion = module.version >= 81, isNewTarget = module.sm >= 70;
  const uint64_t bytes = bytesOf(kernel.signature.params);
  const uint64_t most = isNewVersion && isNewTarget ? ManyBytes : FewBytes;
  if (bytes <= most)
    return;
  const char *at = kernel.hasBody ? kernel.body.end() : kernel.name.data();
  problems.error(at, "Entry function '" + kernel.name + "' uses too much parameter space (0x" +
                         utohexstr(bytes, /*LowerCase=*/true) + " bytes, 0x" +
                         utohexstr(most, /*LowerCase=*/true) + " max).");
  const std::string feature = "Feature 'Kernel parameter size larger than 4352 bytes' requires ";
  if (!isNewVersion)
    problems.error(at, feature + "PTX ISA .version 8.1 or later");
  if (!isNewTarget)
    problems.error(at, feature + ".target sm_70 or higher");
}

void checkSizes(const ModuleText &module, Problems &problems) {
  for (const ModuleFunction &function : module.functions)
    if (function.isEntry)
      checkParameters(module, function, problems);
    else if (Error error = checkSize(function.signature))
      problems.note(std::move(error), function.name.data());
}

void checkHead(const ModuleText &module, Problems &problems) {
  if (!module.version)
    problems.error(nullptr, "Missing .version directive at start of file 'application ptx input'",
                   true);
  else if (!module.sm)
    problems.error(nullptr, "Missing .target directive", true);
  else if (module.addressSize == 32)
    problems.fatal("32-Bit compilation is no longer supported");
}

} // namespace

void checkModuleText(const ModuleText &module, Problems &problems) {
  checkHead(module, problems);
  if (problems.any())
    return;
  checkDuplicates(module, problems);
  checkSizes(module, problems);
}

} // namespace heddle::frontend::ptx
