// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An asm statement of CUDA C++ is a call in LLVM IR:
//
//     %y = call i32 asm "add.u32 $0, $1, $2;", "=r,r,n"(i32 %x, i32 4)
//
// Its text, with "%0" for "$0" again, is read like the body of a function in which %0, %1, ... are
// registers: outputs are slots, inputs values. An output that the statement also reads ("+r") is
// an output and an input tied to it. An input that the text writes to all the same, which PTX
// allows, is a slot that begins with its value; outside of the statement the value stays. The
// statements of a function share the registers that are declared outside of braces, and the carry
// flag, which lets chains of add.cc and addc go from one asm statement to the next (PTX ISA,
// "Extended-Precision Integer Arithmetic Instructions").
#include "frontend/ptx/inline_asm.h"

#include "frontend/error.h"
#include "frontend/locations.h"
#include "frontend/ptx/carry_functions.h"
#include "frontend/ptx/reader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// The operands that the statements may write to: what comes first in an instruction, but for the
/// barriers' numbers.
StringSet<> writtenOperands(ArrayRef<Statement> statements) {
  StringSet<> names;
  for (const Statement &statement : statements) {
    if (statement.kind != Statement::Instruction || statement.operands.size() < 2 ||
        statement.parts.front().starts_with("bar"))
      continue;
    const Operand &first = statement.operands.front();
    if (first.kind == Operand::Name)
      names.insert(first.name);
    else if (first.kind == Operand::Vector || first.kind == Operand::Pair)
      for (const Operand &element : first.elements)
        names.insert(element.name);
  }
  return names;
}

class AsmStatement {
public:
  AsmStatement(CallInst &call, Registers &registers, unsigned number)
      : call_(call), asm_(*cast<InlineAsm>(call.getCalledOperand())), registers_(registers),
        text_(ptxOf(asm_, number)), builder_(&call) {}

  Error run() {
    Expected<std::vector<Statement>> statements = parse(text_);
    if (!statements)
      return statements.takeError();
    if (statements->empty()) // simt makes it a barrier for the compiler
      return Error::success();
    splitBlock();
    unsigned depth = registers_.depth();
    Error error = bindOperands(writtenOperands(*statements));
    if (!error)
      error = emitStatements(*statements, registers_, builder_);
    registers_.closeTo(depth);
    finish();
    return error;
  }

private:
  /// The call starts a block; `builder_` stands at the end of the one before it.
  void splitBlock() {
    BasicBlock *head = call_.getParent();
    tail_ = head->splitBasicBlock(&call_);
    head->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(head);
    builder_.SetCurrentDebugLocation(call_.getDebugLoc());
  }

  Error bindOperands(const StringSet<> &written);
  void store(Value *argument, AllocaInst *slot);
  void finish();
  Value *fieldOf(Type *type, AllocaInst *slot);

  CallInst &call_;
  const InlineAsm &asm_;
  Registers &registers_;
  std::string text_;
  IRBuilder<> builder_;
  BasicBlock *tail_ = nullptr;
  SmallVector<AllocaInst *, 4> outputs_;
};

unsigned bitsOf(Type *type) {
  return type->isPointerTy() ? 64 : unsigned(type->getPrimitiveSizeInBits());
}

/// Of what may be a pointer or of another width.
void AsmStatement::store(Value *argument, AllocaInst *slot) {
  Type *type = slot->getAllocatedType();
  Value *bits =
      argument->getType()->isPointerTy()
          ? builder_.CreatePtrToInt(argument, type)
          : builder_.CreateBitCast(argument, builder_.getIntNTy(bitsOf(argument->getType())));
  builder_.CreateStore(builder_.CreateZExtOrTrunc(bits, type), slot);
}

Error AsmStatement::bindOperands(const StringSet<> &written) {
  unsigned next = 0; // argument of the call
  auto *structure = dyn_cast<StructType>(call_.getType());
  for (const auto &[number, constraint] : enumerate(asm_.ParseConstraints())) {
    if (constraint.Type == InlineAsm::isClobber)
      break;
    if (constraint.isIndirect || constraint.Type == InlineAsm::isLabel)
      return fail("an operand in memory, or a label");
    if (constraint.Type == InlineAsm::isOutput) {
      Type *type = structure ? structure->getElementType(outputs_.size()) : call_.getType();
      outputs_.push_back(registers_.makeSlot(builder_, bitsOf(type)));
      registers_.bindOperand(number, {outputs_.back(), nullptr, bitsOf(type)});
      continue;
    }
    Value *argument = call_.getArgOperand(next++);
    if (!constraint.Codes.empty() && isDigit(constraint.Codes[0][0])) { // tied to an output
      unsigned output;
      StringRef(constraint.Codes[0]).getAsInteger(10, output);
      store(argument, outputs_[output]);
    } else if (written.contains("%" + utostr(number)) && constraint.Codes[0] != "n" &&
               constraint.Codes[0] != "i") {
      AllocaInst *slot = registers_.makeSlot(builder_, bitsOf(argument->getType()));
      store(argument, slot);
      registers_.bindOperand(number, {slot, nullptr, bitsOf(argument->getType())});
      continue;
    }
    registers_.bindOperand(number, {nullptr, argument, bitsOf(argument->getType())});
  }
  return Error::success();
}

Value *AsmStatement::fieldOf(Type *type, AllocaInst *slot) {
  Value *bits = builder_.CreateLoad(slot->getAllocatedType(), slot);
  return type->isPointerTy() ? builder_.CreateIntToPtr(bits, type)
                             : builder_.CreateBitCast(bits, type);
}

void AsmStatement::finish() {
  if (StringRef(asm_.getConstraintString()).contains("~{memory}"))
    builder_.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
  Value *result = nullptr;
  if (auto *structure = dyn_cast<StructType>(call_.getType())) {
    result = PoisonValue::get(structure);
    for (auto [i, slot] : enumerate(outputs_))
      result = builder_.CreateInsertValue(result, fieldOf(structure->getElementType(i), slot), i);
  } else if (!outputs_.empty()) {
    result = fieldOf(call_.getType(), outputs_[0]);
  }
  builder_.CreateBr(tail_);
  if (result)
    call_.replaceAllUsesWith(result);
  call_.eraseFromParent();
  registers_.clearOperands();
}

/// A pointer from a number that was made of a pointer: what it points into stays known.
///   inttoptr (add (ptrtoint %p), %n)   ->   getelementptr i8, %p, %n
Value *pointerOf(Value *number, IRBuilder<> &builder) {
  if (auto *cast = dyn_cast<PtrToIntOperator>(number))
    return cast->getPointerOperand();
  auto *sum = dyn_cast<BinaryOperator>(number);
  if (!sum || sum->getOpcode() != Instruction::Add)
    return nullptr;
  for (unsigned i : {0, 1})
    if (Value *base = pointerOf(sum->getOperand(i), builder))
      return builder.CreateGEP(builder.getInt8Ty(), base, sum->getOperand(1 - i));
  return nullptr;
}

void tidy(Function &function) {
  removeUnreachableBlocks(function);
  for (BasicBlock &block : make_early_inc_range(function))
    MergeBlockIntoPredecessor(&block);
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    Value *simpler = nullptr;
    if (auto *cast = dyn_cast<IntToPtrInst>(&instruction)) {
      IRBuilder<> builder(cast);
      simpler = pointerOf(cast->getOperand(0), builder);
    }
    if (!simpler)
      simpler = simplifyInstruction(&instruction, function.getDataLayout());
    if (simpler && simpler != &instruction)
      instruction.replaceAllUsesWith(simpler);
    if (isInstructionTriviallyDead(&instruction))
      instruction.eraseFromParent();
  }
}

/// The errors of the function's statements, one line each.
std::string lowerFunction(Function &function, unsigned &number) {
  SmallVector<CallInst *, 8> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&instruction); call && call->isInlineAsm())
      calls.push_back(call);
  if (calls.empty())
    return "";
  Registers registers(function);
  std::string errors;
  for (CallInst *call : calls) {
    std::string place = location(*call);
    if (Error error = AsmStatement(*call, registers, number++).run())
      errors += (errors.empty() ? "" : "\n") + place +
                ": error: inline PTX: " + toString(std::move(error));
  }
  registers.promote();
  tidy(function);
  return errors;
}

} // namespace

std::string ptxOf(const InlineAsm &statement, unsigned number) {
  StringRef text = statement.getAsmString();
  std::string written;
  while (!text.empty()) {
    if (!text.consume_front("$")) {
      written += text.front();
      text = text.drop_front();
    } else if (text.consume_front("$")) {
      written += '$';
    } else if (text.consume_front("{:uid}")) {
      written += utostr(number);
    } else if (text.consume_front("{")) { // ${0:c}: modifiers mean nothing to PTX
      written += '%';
      written += text.take_while(isDigit);
      text = text.drop_until([](char c) { return c == '}'; }).drop_front();
    } else {
      written += '%';
    }
  }
  return written;
}

Error lowerInlineAsm(Module &module) {
  inlineCarryFunctions(module);
  std::string errors;
  unsigned number = 0;
  for (Function &function : module)
    if (std::string error = lowerFunction(function, number); !error.empty())
      errors += (errors.empty() ? "" : "\n") + error;
  return errors.empty() ? Error::success() : fail(errors);
}

} // namespace heddle::frontend::ptx
