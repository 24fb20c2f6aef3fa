// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/locations.h"

#include "base/source/tool_files.h"
#include "frontend/error.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace heddle::frontend {

const DILocation *userLocation(const Instruction &instruction) {
  const DILocation *where = instruction.getDebugLoc().get();
  while (where && where->getInlinedAt() && isToolFile(where->getFilename()))
    where = where->getInlinedAt();
  return where;
}

std::string fileOf(const DILocation &where) {
  StringRef folder = where.getDirectory(), name = where.getFilename();
  const DISubprogram *function = where.getScope()->getSubprogram();
  const DICompileUnit *unit = function ? function->getUnit() : nullptr;
  if (sys::path::is_absolute(name) || !unit || unit->getDirectory() == folder)
    return name.str();
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return path.str().str();
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
