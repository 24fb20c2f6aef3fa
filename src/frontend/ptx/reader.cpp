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
#include "frontend/ptx/features.h"
#include "frontend/ptx/forms.h"
#include "frontend/ptx/variables.h"

#include "llvm/IR/CallingConv.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// Labels, by scope: a brace begins one, and the same statements always begin the same ones.
class Labels {
public:
  Labels() : scopes_(1) {}
  /// False: the innermost scope has it.
  bool add(StringRef name, BasicBlock *block) {
    return scopes_[current_].blocks.try_emplace(name, block).second;
  }
  BasicBlock *find(StringRef name) const {
    for (unsigned at = current_;; at = scopes_[at].parent) {
      if (auto found = scopes_[at].blocks.find(name); found != scopes_[at].blocks.end())
        return found->second;
      if (at == 0)
        return nullptr;
    }
  }
  void rewind() { current_ = opened_ = 0; }
  void open() {
    if (++opened_ == scopes_.size())
      scopes_.push_back({current_, {}});
    current_ = opened_;
  }
  void close() { current_ = scopes_[current_].parent; }

private:
  struct Scope {
    unsigned parent = 0;
    StringMap<BasicBlock *> blocks;
  };
  std::vector<Scope> scopes_;
  unsigned current_ = 0, opened_ = 0;
};

class Reader {
public:
  Reader(Registers &registers, IRBuilder<> &builder, const Surroundings *surroundings)
      : registers_(registers), b_(builder), function_(*builder.GetInsertBlock()->getParent()),
        surroundings_(surroundings) {}

  Error run(ArrayRef<Statement> statements) {
    unsigned depth = registers_.depth();
    if (Error error = findLabels(statements))
      return error;
    for (const Statement &statement : statements) {
      if (surroundings_ && surroundings_->enter)
        surroundings_->enter(statement);
      Error error = emit(statement);
      if (error && surroundings_ && surroundings_->note)
        surroundings_->note(statement, std::move(error));
      else if (error)
        return error;
    }
    return registers_.depth() == depth ? Error::success() : fail("'{' without '}'");
  }

private:
  Error findLabels(ArrayRef<Statement> statements) {
    for (const Statement &statement : statements)
      if (statement.kind == Statement::Open)
        labels_.open();
      else if (statement.kind == Statement::Close)
        labels_.close();
      else if (statement.kind == Statement::Targets)
        addTargets(statement);
      else if (statement.kind == Statement::Prototype)
        registers_.declare(statement.name, {nullptr, nullptr, 0, "prototype", statement.signature});
      else if (statement.kind == Statement::Label &&
               !labels_.add(statement.name, makeBlock(statement.name)))
        return failAt(statement.at, "label '" + statement.name + "' is there twice");
    labels_.rewind();
    return Error::success();
  }

  /// Functions of one list have one signature.
  void addTargets(const Statement &list) {
    targets_[list.name] = &list;
    const Register *first =
        list.operands.empty() ? nullptr : registers_.find(list.operands[0].name);
    if (first && first->space == "function")
      registers_.declare(list.name, {nullptr, nullptr, 0, "prototype", first->signature});
  }

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
      labels_.open();
      registers_.open();
      return Error::success();
    case Statement::Close:
      labels_.close();
      return registers_.close() ? Error::success() : fail("'}' without '{'");
    case Statement::Label:
      goTo(labels_.find(statement.name));
      return Error::success();
    case Statement::Declaration:
      for (const Variable &variable : statement.variables)
        if (Error error = declareVariable(variable, registers_, b_))
          return error;
      return Error::success();
    case Statement::Prototype:
    case Statement::Targets:
    case Statement::Location:
      return Error::success();
    case Statement::Instruction:
      return emitInstruction(statement);
    }
    llvm_unreachable("all kinds are above");
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
    const Opcode *known = findOpcode(statement.parts);
    if (!known && surroundings_ && !isInstruction(statement.parts.front()))
      return fail("Not a name of any known instruction: '" + statement.parts.front() + "'");
    if (!known)
      return fail("'" + statement.name + "' is not supported");
    if (known->name == "bra")
      return emitBranch(statement, *guard);
    if (!*guard)
      return emitUnguarded(statement, nullptr);
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
    if (opcode == "brx")
      return emitSwitch(statement);
    const Opcode *known = findOpcode(statement.parts);
    logCovered(("opcode " + known->name).str());
    const Dialect dialect = surroundings_ ? surroundings_->dialect : Dialect();
    std::string problem = problemOfFeature(statement.parts, statement.name, dialect);
    if (problem.empty())
      problem =
          problemOfForm(known->name, ArrayRef(statement.parts).drop_front(known->words), dialect);
    if (!problem.empty())
      return fail(problem);
    Emitter emitter(b_, registers_, statement, *known, guard);
    known->lower(emitter);
    return emitter.finish();
  }

  /// bra[.uni] label;
  Error emitBranch(const Statement &statement, Value *guard) {
    BasicBlock *target =
        statement.operands.size() == 1 ? labels_.find(statement.operands[0].name) : nullptr;
    if (!target && surroundings_)
      return statement.operands.size() == 1 && registers_.find(statement.operands[0].name)
                 ? fail("Label expected for argument 0 of instruction 'bra'")
                 : fail("Unknown symbol '" +
                        (statement.operands.empty() ? "" : statement.operands[0].name) + "'");
    if (!target)
      return fail("'" + statement.name + "': no label of this asm statement");
    for (StringRef modifier : ArrayRef(statement.parts).drop_front())
      if (modifier != "uni")
        return fail("'" + statement.name + "' is not supported");
    BasicBlock *next = makeBlock();
    if (guard)
      b_.CreateCondBr(guard, target, next);
    else
      b_.CreateBr(target);
    b_.SetInsertPoint(next);
    return Error::success();
  }

  /// brx.idx index, targets;   an index beyond the last is undefined
  Error emitSwitch(const Statement &statement) {
    auto list =
        statement.operands.size() == 2 ? targets_.find(statement.operands[1].name) : targets_.end();
    if (list == targets_.end() || list->second->operands.empty())
      return fail("'" + statement.name + "': expected an index and a list of targets");
    SmallVector<BasicBlock *, 16> blocks;
    for (const Operand &target : list->second->operands) {
      blocks.push_back(labels_.find(target.name));
      if (!blocks.back())
        return fail("Unknown symbol '" + target.name + "'");
    }
    Emitter emitter(b_, registers_, statement, *findOpcode(statement.parts), nullptr);
    emitter.take("uni");
    Value *index = emitter.bits(0, 32);
    if (Error error = emitter.finish())
      return error;
    SwitchInst *choice = b_.CreateSwitch(index, blocks.back(), unsigned(blocks.size()));
    for (auto [i, block] : enumerate(ArrayRef(blocks).drop_back()))
      choice->addCase(b_.getInt32(unsigned(i)), block);
    b_.SetInsertPoint(makeBlock());
    return Error::success();
  }

  /// exit ends the thread, which is more than the function unless that is the kernel.
  Error emitEnd(const Statement &statement) {
    if (statement.parts.size() > 1 && statement.parts[1] != "uni")
      return fail("'" + statement.name + "' is not supported");
    if (statement.parts[0] == "exit" && function_.getCallingConv() != CallingConv::PTX_Kernel) {
      emitEndOfThread();
    } else if (surroundings_ && surroundings_->result) {
      Value *given = surroundings_->result(b_);
      given ? b_.CreateRet(given) : b_.CreateRetVoid();
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
    FunctionCallee end = function_.getParent()->getOrInsertFunction(EndThreadName, b_.getVoidTy());
    cast<Function>(end.getCallee())->setDoesNotReturn();
    cast<Function>(end.getCallee())->setConvergent();
    b_.CreateCall(end);
    b_.CreateUnreachable();
  }

  Registers &registers_;
  IRBuilder<> &b_;
  Function &function_;
  const Surroundings *surroundings_;
  Labels labels_;
  StringMap<const Statement *> targets_;
};

} // namespace

Error emitStatements(ArrayRef<Statement> statements, Registers &registers, IRBuilder<> &builder,
                     const Surroundings *surroundings) {
  return Reader(registers, builder, surroundings).run(statements);
}

} // namespace heddle::frontend::ptx
