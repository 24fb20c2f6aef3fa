// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A statement begins where the line or the scope changes within a basic block, and at the start of
// each. The call in front of it has the location of what ran before, so a breakpoint at the line
// comes behind the call: when the first thread stops there, the others have come to the same place
// (device/debugger.h). With line 0, single steps would end at the call.
#include "simt/lower/debugged_threads.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned WarpSizeValue = 32;
constexpr StringLiteral StatementName = "heddle.statement";

/// A variable of three numbers.
struct Triple {
  const char *name;
  Intrinsic::ID registers[3];
  bool isIndex;
};

#define HEDDLE_REGISTERS(NAME)                                                                     \
  {Intrinsic::nvvm_read_ptx_sreg_##NAME##_x, Intrinsic::nvvm_read_ptx_sreg_##NAME##_y,             \
   Intrinsic::nvvm_read_ptx_sreg_##NAME##_z}
constexpr Triple Triples[] = {{"threadIdx", HEDDLE_REGISTERS(tid), true},
                              {"blockIdx", HEDDLE_REGISTERS(ctaid), true},
                              {"blockDim", HEDDLE_REGISTERS(ntid), false},
                              {"gridDim", HEDDLE_REGISTERS(nctaid), false}};
#undef HEDDLE_REGISTERS

/// Of the user's, with variables in its debug information.
bool isUsers(const Function &function) {
  const DISubprogram *subprogram = function.getSubprogram();
  return !function.isDeclaration() && subprogram && subprogram->getUnit() &&
         subprogram->getUnit()->getEmissionKind() == DICompileUnit::FullDebug;
}

/// Adds variables to one function.
class Description {
public:
  explicit Description(Function &function)
      : function_(function), subprogram_(*function.getSubprogram()),
        debug_(*function.getParent(), true, subprogram_.getUnit()),
        isFortran_(dwarf::isFortran(static_cast<dwarf::SourceLanguage>(
            subprogram_.getUnit()->getSourceLanguage().getUnversionedName()))),
        builder_(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()) {
    builder_.SetCurrentDebugLocation(DebugLoc()); // what comes before the first statement
    number_ = debug_.createBasicType(isFortran_ ? "integer" : "unsigned int", 32,
                                     isFortran_ ? dwarf::DW_ATE_signed : dwarf::DW_ATE_unsigned);
  }

  void add() {
    DIType *type = tripleType();
    for (const Triple &triple : Triples) {
      AllocaInst *place = addVariable(triple.name, ArrayType::get(builder_.getInt32Ty(), 3), type);
      for (unsigned d = 0; d < 3; ++d) {
        Value *value = builder_.CreateIntrinsic(triple.registers[d], ArrayRef<Type *>(), {});
        if (isFortran_ && triple.isIndex)
          value = builder_.CreateAdd(value, builder_.getInt32(1));
        builder_.CreateStore(value,
                             builder_.CreateConstInBoundsGEP1_32(builder_.getInt32Ty(), place, d));
      }
    }
    builder_.CreateStore(builder_.getInt32(WarpSizeValue),
                         addVariable("warpSize", builder_.getInt32Ty(), number_));
  }

private:
  DIType *tripleType() {
    SmallVector<Metadata *, 3> members;
    for (unsigned d = 0; d < 3; ++d)
      members.push_back(debug_.createMemberType(
          subprogram_.getUnit(), StringRef("xyz").substr(d, 1), subprogram_.getFile(), 0, 32, 32,
          32 * d, DINode::FlagZero, number_));
    return debug_.createStructType(subprogram_.getUnit(), isFortran_ ? "dim3" : "uint3",
                                   subprogram_.getFile(), 0, 96, 32, DINode::FlagZero, nullptr,
                                   debug_.getOrCreateArray(members));
  }

  AllocaInst *addVariable(StringRef name, Type *type, DIType *described) {
    IRBuilder<> start(&function_.getEntryBlock(), function_.getEntryBlock().begin());
    AllocaInst *place = start.CreateAlloca(type, nullptr, name);
    unsigned line = subprogram_.getLine();
    DILocalVariable *variable =
        debug_.createAutoVariable(&subprogram_, isFortran_ ? name.lower() : name.str(),
                                  subprogram_.getFile(), line, described);
    builder_.GetInsertBlock()->insertDbgRecordBefore(
        DbgVariableRecord::createDVRDeclare(
            place, variable, debug_.createExpression(),
            DILocation::get(function_.getContext(), line, 0, &subprogram_)),
        builder_.GetInsertPoint());
    return place;
  }

  Function &function_;
  DISubprogram &subprogram_;
  DIBuilder debug_;
  bool isFortran_;
  IRBuilder<> builder_;
  DIType *number_;
};

/// Of what runs before the block: a branch to it. Of none before the function's first statement.
DebugLoc locationBefore(const BasicBlock &block) {
  for (const BasicBlock *before : predecessors(&block))
    if (const DebugLoc &location = before->getTerminator()->getDebugLoc();
        location && location.getLine())
      return location;
  return DILocation::get(block.getContext(), 0, 0, block.getParent()->getSubprogram());
}

/// Functions of our headers that stand for one operation.
bool isToolkitHeader(StringRef file) {
  return file.contains("/lib/clang/") || file.contains("/include/heddle/");
}

} // namespace

void describeThreads(Module &module) {
  for (Function &function : module)
    if (isUsers(function))
      Description(function).add();
}

bool isStatement(const CallInst &call) {
  return call.getCalledFunction() && call.getCalledFunction()->getName() == StatementName;
}

void markStatements(Module &module) {
  LLVMContext &context = module.getContext();
  FunctionCallee statement =
      module.getOrInsertFunction(StatementName, FunctionType::get(Type::getVoidTy(context), false));
  for (Function &function : module) {
    if (!isUsers(function) || isToolkitHeader(function.getSubprogram()->getFilename()))
      continue;
    for (BasicBlock &block : function) {
      DebugLoc before;
      for (Instruction &instruction : block) {
        DebugLoc here = instruction.getDebugLoc();
        if (!here || here.getLine() == 0 || isa<PHINode, AllocaInst>(instruction))
          continue;
        if (!before || before.getLine() != here.getLine() || before.getScope() != here.getScope()) {
          IRBuilder<> builder(&instruction);
          builder.SetCurrentDebugLocation(before ? before : locationBefore(block));
          builder.CreateCall(statement);
        }
        before = here;
      }
    }
  }
}

} // namespace heddle::simt
