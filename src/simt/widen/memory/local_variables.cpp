// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/memory/local_variables.h"

#include "simt/lower/lower_nvvm.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

Expected<Value *> LocalVariables::emitAlloca(AllocaInst &alloca) {
  if (!isa<ConstantInt>(alloca.getArraySize()))
    return errorAt(alloca, "a variable-length array is not supported in device code");
  Type *type = alloca.getAllocatedType();
  if (!cast<ConstantInt>(alloca.getArraySize())->isOne())
    type = ArrayType::get(type, cast<ConstantInt>(alloca.getArraySize())->getZExtValue());
  const DataLayout &layout = alloca.getDataLayout();
  if (uint64_t rest = laneDistance(alloca) - layout.getTypeAllocSize(type))
    type = StructType::get(type, ArrayType::get(builder_.getInt8Ty(), rest));
  auto *local = new AllocaInst(ArrayType::get(type, e_.width), 0, nullptr,
                               std::max(alloca.getAlign(), Align(e_.width > 1 ? 64 : 1)),
                               alloca.getName(), e_.allocaPoint->getIterator());
  allocas_[&alloca] = local;
  if (e_.width == 1) // a lane's variable lies where the debugger looks for it
    for (DbgVariableRecord *record : findDVRDeclares(&alloca))
      e_.allocaPoint->getParent()->insertDbgRecordBefore(
          DbgVariableRecord::createDVRDeclare(local, record->getVariable(), record->getExpression(),
                                              record->getDebugLoc().get()),
          e_.allocaPoint->getIterator());
  return local;
}

/// The allocas keep their addresses at width 1.
void LocalVariables::emitVariables(Instruction &instruction) {
  if (e_.options.mode != Mode::Debug || e_.width != 1)
    return;
  for (DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange())) {
    auto *address =
        record.isDbgDeclare() ? dyn_cast_or_null<AllocaInst>(record.getAddress()) : nullptr;
    if (!address || !values_.isAtHand(address))
      continue;
    auto *local = allocas_.lookup(address);
    DbgVariableRecord *copy = DbgVariableRecord::createDVRDeclare(
        local, record.getVariable(), record.getExpression(), record.getDebugLoc().get());
    builder_.GetInsertBlock()->insertDbgRecordBefore(copy, builder_.GetInsertPoint());
  }
}

} // namespace heddle::simt
