// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements become IR one by one. Registers are slots (registers.h); a label is a block; what `@p`
// guards selects its results, if it has no other effects, and else is a block of its own:
//
//     @p  add.s32 %0, %1, 1;        %new = add i32 %x, 1;  %y = select i1 %p, i32 %new, i32 %old
//     @p  st.global.u32 [%2], %1;   br i1 %p, label %then, label %next
//
// LLVM has no block that control falls out of, and code behind `exit` or `bra` is a block that
// nothing leads to, which is taken out at the end.
#include "frontend/ptx/reader.h"

#include "base/abi/end_thread.h"
#include "base/coverage.h"
#include "frontend/error.h"
#include "frontend/ptx/emitter.h"

#include "llvm/IR/CallingConv.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

class Reader {
public:
  Reader(Registers &registers, IRBuilder<> &builder)
      : registers_(registers), b_(builder), function_(*builder.GetInsertBlock()->getParent()) {}

  Error run(ArrayRef<Statement> statements) {
    unsigned depth = registers_.depth();
    for (const Statement &statement : statements)
      if (statement.kind == Statement::Label &&
          !labels_.try_emplace(statement.name, makeBlock(statement.name)).second)
        return fail("label '" + statement.name + "' is there twice");
    for (const Statement &statement : statements)
      if (Error error = emit(statement))
        return error;
    return registers_.depth() == depth ? Error::success() : fail("'{' without '}'");
  }

private:
  BasicBlock *makeBlock(const Twine &name = "") {
    return BasicBlock::Create(b_.getContext(), name, &function_);
  }
  void goTo(BasicBlock *block) {
    b_.CreateBr(block);
    b_.SetInsertPoint(block);
  }

  Error emit(const Statement &statement) {
    switch (statement.kind) {
    case Statement::Open:
      registers_.open();
      return Error::success();
    case Statement::Close:
      return registers_.close() ? Error::success() : fail("'}' without '{'");
    case Statement::Label:
      goTo(labels_[statement.name]);
      return Error::success();
    case Statement::Declaration:
      return declare(statement);
    case Statement::Instruction:
      return emitInstruction(statement);
    }
    llvm_unreachable("all kinds are above");
  }

  /// .reg .v2 .b32 a, b<4>;
  Error declare(const Statement &statement) {
    unsigned elements = 1;
    std::optional<PtxType> type;
    for (StringRef part : ArrayRef(statement.parts).drop_front()) {
      if (part == "v2" || part == "v4")
        elements = part == "v2" ? 2 : 4;
      else if (part == "align" || type || !(type = findType(part)))
        return fail("'" + statement.name + "': '." + part + "' is not supported");
    }
    if (!type)
      return fail("'" + statement.name + "': expected a type");
    for (const Operand &name : statement.operands) {
      uint64_t copies = name.isNegated ? name.bits : 1;
      for (uint64_t i = 0; i < copies; ++i)
        if (Error error =
                declareOne(name.isNegated ? (name.name + Twine(i)).str() : name.name.str(),
                           type->bits(), elements))
          return error;
    }
    return Error::success();
  }

  Error declareOne(const std::string &name, unsigned bits, unsigned elements) {
    static const char *const suffixes[] = {".x", ".y", ".z", ".w"};
    for (unsigned i = 0; i < elements; ++i)
      if (!registers_.declare(b_, elements == 1 ? name : name + suffixes[i], bits))
        return fail("register '" + name + "' is declared twice");
    return Error::success();
  }

  Expected<Value *> guardOf(const Statement &statement) {
    if (statement.guard.empty())
      return nullptr;
    const Register *found = registers_.find(statement.guard);
    if (!found || found->bits != 1)
      return fail("'" + statement.name + "': '" + statement.guard + "' is no predicate");
    Value *guard = found->slot ? b_.CreateLoad(b_.getInt1Ty(), found->slot) : found->value;
    return statement.isGuardNegated ? b_.CreateNot(guard) : guard;
  }

  Error emitInstruction(const Statement &statement) {
    Expected<Value *> guard = guardOf(statement);
    if (!guard)
      return guard.takeError();
    StringRef opcode = statement.parts.front();
    if (opcode == "bra")
      return emitBranch(statement, *guard);
    if (!*guard)
      return emitUnguarded(statement, nullptr);
    const Opcode *known = findOpcode(statement.parts);
    if (known->effects == Effects::None)
      return emitUnguarded(statement, *guard);
    BasicBlock *then = makeBlock(), *next = makeBlock();
    b_.CreateCondBr(*guard, then, next);
    b_.SetInsertPoint(then);
    if (Error error = emitUnguarded(statement, nullptr))
      return error;
    goTo(next);
    return Error::success();
  }

  Error emitUnguarded(const Statement &statement, Value *guard) {
    StringRef opcode = statement.parts.front();
    if (opcode == "exit" || opcode == "ret")
      return emitEnd(statement);
    const Opcode *known = findOpcode(statement.parts);
    logCovered(("opcode " + known->name).str());
    Emitter emitter(b_, registers_, statement, *known, guard);
    known->lower(emitter);
    return emitter.finish();
  }

  /// bra[.uni] label;
  Error emitBranch(const Statement &statement, Value *guard) {
    auto found =
        statement.operands.size() == 1 ? labels_.find(statement.operands[0].name) : labels_.end();
    if (found == labels_.end())
      return fail("'" + statement.name + "': no label of this asm statement");
    for (StringRef modifier : ArrayRef(statement.parts).drop_front())
      if (modifier != "uni")
        return fail("'" + statement.name + "' is not supported");
    BasicBlock *next = makeBlock();
    if (guard)
      b_.CreateCondBr(guard, found->second, next);
    else
      b_.CreateBr(found->second);
    b_.SetInsertPoint(next);
    return Error::success();
  }

  /// exit ends the thread, which is more than the function unless that is the kernel.
  Error emitEnd(const Statement &statement) {
    if (statement.parts.size() > 1 && statement.parts[1] != "uni")
      return fail("'" + statement.name + "' is not supported");
    if (statement.parts[0] == "exit" && function_.getCallingConv() != CallingConv::PTX_Kernel) {
      emitEndOfThread();
    } else {
      if (!function_.getReturnType()->isVoidTy())
        return fail("'" + statement.name + "' in function '" + function_.getName() +
                    "', which has a result");
      b_.CreateRetVoid();
    }
    b_.SetInsertPoint(makeBlock());
    return Error::success();
  }

  void emitEndOfThread() {
    FunctionCallee end =
        function_.getParent()->getOrInsertFunction(EndThreadName, b_.getVoidTy());
    cast<Function>(end.getCallee())->setDoesNotReturn();
    cast<Function>(end.getCallee())->setConvergent();
    b_.CreateCall(end);
    b_.CreateUnreachable();
  }

  Registers &registers_;
  IRBuilder<> &b_;
  Function &function_;
  StringMap<BasicBlock *> labels_;
};

} // namespace

Error emitStatements(ArrayRef<Statement> statements, Registers &registers, IRBuilder<> &builder) {
  return Reader(registers, builder).run(statements);
}

} // namespace heddle::frontend::ptx
