// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/locations.h"

#include "base/source/tool_files.h"
#include "frontend/error.h"

using namespace llvm;

namespace heddle::frontend {

std::string fileOf(const DILocation &where) {
  const DISubprogram *function = where.getScope()->getSubprogram();
  const DICompileUnit *unit = function ? function->getUnit() : nullptr;
  StringRef name = where.getFilename(), folder = where.getDirectory();
  if (name.starts_with("/") || folder.empty() || (unit && unit->getDirectory() == folder))
    return name.str();
  return (folder + (folder.ends_with("/") ? "" : "/") + name).str();
}

const DILocation *userLocation(const Instruction &instruction) {
  const DILocation *where = instruction.getDebugLoc().get();
  while (where && where->getInlinedAt() && isToolFile(fileOf(*where)))
    where = where->getInlinedAt();
  return where;
}

std::string location(const Instruction &instruction) {
  const DILocation *where = userLocation(instruction);
  if (!where)
    return "function '" + instruction.getFunction()->getName().str() + "'";
  return (fileOf(*where) + ":" + Twine(where->getLine()) + ":" + Twine(where->getColumn())).str();
}

Error errorAt(const Instruction &instruction, const Twine &message) {
  return fail(location(instruction) + ": error: " + message);
}

} // namespace heddle::frontend
