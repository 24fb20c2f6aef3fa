// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/form/restore_function.h"

#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::simt {

std::unique_ptr<Function> copyAside(Function &function) {
  ValueToValueMapTy map;
  Function *copy = CloneFunction(&function, map);
  copy->removeFromParent();
  return std::unique_ptr<Function>(copy);
}

void restore(Function &function, std::unique_ptr<Function> copy) {
  function.deleteBody();
  function.splice(function.begin(), copy.get());
  for (auto [mine, theirs] : zip(function.args(), copy->args()))
    theirs.replaceAllUsesWith(&mine);
  function.setSubprogram(copy->getSubprogram());
}

} // namespace heddle::simt
