// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/calls/check_calls.h"

#include "base/abi/kernel_abi.h"
#include "base/source/tool_files.h"
#include "frontend/locations.h"
#include "simt/lower/lower_nvvm.h"

#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace heddle::simt {

Value *CheckCalls::service(size_t offset) {
  auto load = [&](Value *object, size_t at) {
    return builder_.CreateLoad(builder_.getPtrTy(), e_.field(object, at));
  };
  Value *check = load(e_.warp.getArg(ParamLaunch), offsetof(Launch, check));
  return load(load(check, offsetof(CheckedLaunch, services)), offset);
}

Constant *CheckCalls::text(StringRef text) {
  Constant *&known = texts_[text];
  if (!known)
    known = cast<Constant>(builder_.CreateGlobalString(text));
  return known;
}

Constant *CheckCalls::constant(Constant *value, const Twine &name) {
  return new GlobalVariable(e_.module, value->getType(), true, GlobalValue::PrivateLinkage, value,
                            name);
}

Constant *CheckCalls::frames(const Instruction &instruction, unsigned &count) {
  SmallVector<Constant *, 4> all;
  for (const DILocation *at = instruction.getDebugLoc().get(); at; at = at->getInlinedAt()) {
    if (at->getInlinedAt() && isToolFile(frontend::fileOf(*at)))
      continue;
    const DISubprogram *function = at->getScope()->getSubprogram();
    all.push_back(ConstantStruct::getAnon(
        {text(function ? function->getName() : ""), text(frontend::fileOf(*at)),
         builder_.getInt32(at->getLine()), builder_.getInt32(at->getColumn())}));
  }
  count = unsigned(all.size());
  if (all.empty())
    return Constant::getNullValue(builder_.getPtrTy());
  return constant(ConstantArray::get(ArrayType::get(all[0]->getType(), all.size()), all), "frames");
}

StringRef CheckCalls::calledName(const Instruction &instruction) {
  StringRef name;
  for (const DILocation *at = instruction.getDebugLoc().get(); at; at = at->getInlinedAt()) {
    if (!at->getInlinedAt() || !isToolFile(frontend::fileOf(*at)))
      break;
    if (const DISubprogram *function = at->getScope()->getSubprogram())
      name = function->getName();
  }
  return name;
}

} // namespace heddle::simt
