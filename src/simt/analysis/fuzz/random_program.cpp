// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/fuzz/random_program.h"

#include "base/abi/kernel_abi.h"
#include "simt/lower/lower_device.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/NoFolder.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned Widths[] = {8, 16, 32, 64};

class Maker {
public:
  Maker(Module &module, Random &random)
      : module_(module), random_(random), builder_(module.getContext()) {}

  RandomProgram make(unsigned expressions) {
    LLVMContext &context = module_.getContext();
    Type *i32 = builder_.getInt32Ty(), *pointer = builder_.getPtrTy();
    SmallVector<Type *, 12> types = {pointer, pointer, pointer, i32, i32, i32, i32};
    for (unsigned bits : Widths)
      types.push_back(builder_.getIntNTy(bits));
    types.push_back(pointer);
    auto *type = FunctionType::get(builder_.getVoidTy(), types, false);
    program_.thread = Function::Create(type, Function::ExternalLinkage, "thread", module_);
    auto block = [&](const char *name) {
      return BasicBlock::Create(context, name, program_.thread);
    };
    program_.entry = block("entry"), program_.then = block("then"), program_.join = block("join");
    program_.loop = block("loop"), program_.exit = block("exit");
    unsigned share = std::max(1u, expressions / 5);
    makeEntry(share);
    std::vector<Value *> before = values_;
    builder_.SetInsertPoint(program_.then);
    grow(share);
    builder_.CreateBr(program_.join);
    std::vector<Value *> inThen = values_;
    values_ = before;
    builder_.SetInsertPoint(program_.join);
    for (unsigned i = 0; i < 2; ++i) {
      Value *from = pickOf(inThen), *other = ofType(from->getType(), before);
      PHINode *phi = builder_.CreatePHI(from->getType(), 2);
      phi->addIncoming(from, program_.then);
      phi->addIncoming(other, program_.entry);
      values_.push_back(phi);
    }
    grow(share);
    makeLoop(share);
    grow(share);
    builder_.CreateRetVoid();
    program_.expressions = 0;
    for (BasicBlock &each : *program_.thread)
      program_.expressions += each.size();
    return program_;
  }

private:
  unsigned below(unsigned count) { return unsigned(random_() % count); }
  bool oneIn(unsigned count) { return below(count) == 0; }

  void makeEntry(unsigned count) {
    builder_.SetInsertPoint(program_.entry);
    for (Intrinsic::ID id :
         {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
          Intrinsic::nvvm_read_ptx_sreg_tid_z})
      for (unsigned i = 0; i < 2; ++i)
        values_.push_back(builder_.CreateIntrinsic(id, ArrayRef<Type *>(), {}));
    if (oneIn(3))
      values_.push_back(
          builder_.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, ArrayRef<Type *>(), {}));
    for (Argument &argument : program_.thread->args())
      if (argument.getArgNo() >= ParamBlockX)
        values_.push_back(&argument);
    grow(count);
    builder_.CreateCondBr(condition(), program_.then, program_.join);
  }

  void makeLoop(unsigned count) {
    Value *times = builder_.CreateAnd(ofType(builder_.getInt32Ty(), values_), 7);
    BasicBlock *before = builder_.GetInsertBlock();
    std::vector<std::pair<PHINode *, Value *>> variables;
    std::vector<Value *> outside = values_;
    builder_.CreateBr(program_.loop);
    builder_.SetInsertPoint(program_.loop);
    PHINode *turn = builder_.CreatePHI(builder_.getInt32Ty(), 2);
    turn->addIncoming(builder_.getInt32(0), before);
    values_.push_back(turn);
    for (unsigned i = 0; i < 2; ++i) {
      Value *start = pickOf(outside);
      PHINode *variable = builder_.CreatePHI(start->getType(), 2);
      variable->addIncoming(start, before);
      variables.push_back({variable, start});
      values_.push_back(variable);
    }
    grow(count);
    for (auto [variable, start] : variables) {
      Value *next = variable;
      if (variable->getType()->isIntegerTy())
        next = oneIn(3) ? ofType(variable->getType(), values_)
                        : withFlags(builder_.CreateAdd(
                              variable, oneIn(2) ? constant(variable->getType())
                                                 : ofType(variable->getType(), outside)));
      else
        next = builder_.CreateGEP(builder_.getInt8Ty(), variable,
                                  ofType(builder_.getInt64Ty(), outside));
      variable->addIncoming(next, program_.loop);
    }
    Value *next = builder_.CreateAdd(turn, builder_.getInt32(1), "", true, true);
    turn->addIncoming(next, program_.loop);
    std::vector<Value *> inside = values_;
    builder_.CreateCondBr(builder_.CreateICmpULT(turn, times), program_.loop, program_.exit);
    builder_.SetInsertPoint(program_.exit);
    values_ = outside;
    for (unsigned i = 0; i < 3; ++i) { // loop-closed form
      Value *from = pickOf(inside);
      PHINode *phi = builder_.CreatePHI(from->getType(), 1);
      phi->addIncoming(from, program_.loop);
      values_.push_back(phi);
    }
  }

  Value *pickOf(const std::vector<Value *> &values) {
    // What was made last, mostly: deep expressions.
    unsigned recent = std::min<unsigned>(values.size(), 6);
    return oneIn(2) ? values[values.size() - 1 - below(recent)] : values[below(values.size())];
  }

  /// Any value, cut or extended to the type.
  Value *ofType(Type *type, const std::vector<Value *> &values) {
    for (unsigned tries = 0; tries < 12; ++tries)
      if (Value *value = pickOf(values); value->getType() == type)
        return value;
    if (type->isPointerTy())
      return program_.thread->getArg(program_.thread->arg_size() - 1);
    for (unsigned tries = 0; tries < 8; ++tries) {
      Value *value = pickOf(values);
      // What is made here must be there where the values are.
      if (value->getType()->isIntegerTy() && &values == &values_)
        return converted(value, type);
    }
    return constant(type);
  }

  Value *converted(Value *value, Type *type) {
    unsigned from = value->getType()->getIntegerBitWidth(), to = type->getIntegerBitWidth();
    if (from == to)
      return value;
    return from > to  ? builder_.CreateTrunc(value, type)
           : oneIn(2) ? builder_.CreateSExt(value, type)
                      : builder_.CreateZExt(value, type, "", oneIn(4));
  }

  ConstantInt *constant(Type *type) {
    unsigned bits = type->getIntegerBitWidth();
    uint64_t number;
    switch (below(6)) {
    case 0:
      number = below(5);
      break;
    case 1:
      number = uint64_t(1) << below(bits);
      break;
    case 2:
      number = (uint64_t(1) << below(bits)) - 1;
      break;
    case 3:
      number = -uint64_t(below(40));
      break;
    case 4:
      number = below(300);
      break;
    default:
      number = random_();
    }
    return cast<ConstantInt>(ConstantInt::get(type, APInt(bits, number, false, true)));
  }

  Value *condition() {
    Type *type = builder_.getIntNTy(Widths[below(4)]);
    Value *a = ofType(type, values_), *b = oneIn(2) ? constant(type) : ofType(type, values_);
    auto first = CmpInst::FIRST_ICMP_PREDICATE;
    auto predicate = CmpInst::Predicate(first + below(CmpInst::LAST_ICMP_PREDICATE - first + 1));
    return builder_.CreateICmp(predicate, a, b);
  }

  Value *withFlags(Value *value) {
    auto *sum = dyn_cast<OverflowingBinaryOperator>(value);
    auto *instruction = dyn_cast<Instruction>(value);
    if (sum && instruction) {
      instruction->setHasNoSignedWrap(oneIn(3));
      instruction->setHasNoUnsignedWrap(oneIn(4));
    }
    return value;
  }

  void grow(unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      if (Value *value = expression(); value && !isa<Constant>(value))
        values_.push_back(value);
  }

  Value *ofOneNumber(Value *a) {
    Intrinsic::ID ids[] = {Intrinsic::bitreverse, Intrinsic::ctpop, Intrinsic::ctlz,
                           Intrinsic::cttz, Intrinsic::abs};
    unsigned which = below(5);
    return which < 2 ? builder_.CreateUnaryIntrinsic(ids[which], a)
                     : builder_.CreateBinaryIntrinsic(ids[which], a, builder_.getInt1(oneIn(3)));
  }

  Value *expression() {
    Type *type = builder_.getIntNTy(Widths[below(4)]);
    unsigned bits = type->getIntegerBitWidth();
    auto any = [&] { return ofType(type, values_); };
    Value *a = any();
    switch (below(20)) {
    case 0:
    case 1:
    case 2:
      return withFlags(builder_.CreateAdd(a, oneIn(2) ? constant(type) : any()));
    case 3:
      return withFlags(oneIn(3) ? builder_.CreateSub(constant(type), a)
                                : builder_.CreateSub(a, any()));
    case 4:
    case 5:
      return withFlags(builder_.CreateMul(a, oneIn(3) ? any() : constant(type)));
    case 6:
      return withFlags(builder_.CreateShl(a, ConstantInt::get(type, below(bits))));
    case 7:
      return builder_.CreateLShr(a, ConstantInt::get(type, below(bits)), "", oneIn(5));
    case 8:
      return builder_.CreateAShr(a, ConstantInt::get(type, below(bits)), "", oneIn(5));
    case 9:
      return builder_.CreateAnd(a, oneIn(4) ? any() : constant(type));
    case 10: {
      if (oneIn(2))
        return builder_.CreateOr(a, oneIn(4) ? any() : constant(type));
      unsigned low = 1 + below(bits - 1);
      Value *high = builder_.CreateShl(a, ConstantInt::get(type, low));
      APInt mask = APInt::getLowBitsSet(bits, std::min(bits, low + oneIn(4)));
      auto *value = dyn_cast<PossiblyDisjointInst>(
          builder_.CreateOr(high, builder_.CreateAnd(any(), ConstantInt::get(type, mask))));
      if (value)
        value->setIsDisjoint(true);
      return value;
    }
    case 11:
      return builder_.CreateXor(a, oneIn(4) ? any() : constant(type));
    case 12: {
      Value *divisor = builder_.CreateOr(constant(type), ConstantInt::get(type, 1));
      return oneIn(2) ? builder_.CreateUDiv(a, divisor) : builder_.CreateURem(a, divisor);
    }
    case 13: {
      Value *divisor = ConstantInt::get(type, 1 + below(100));
      return oneIn(2) ? builder_.CreateSDiv(a, divisor) : builder_.CreateSRem(a, divisor);
    }
    case 14:
      return builder_.CreateSelect(condition(), a, any());
    case 15: {
      if (oneIn(3))
        return ofOneNumber(a);
      Intrinsic::ID ids[] = {Intrinsic::smin, Intrinsic::smax, Intrinsic::umin, Intrinsic::umax};
      return builder_.CreateBinaryIntrinsic(ids[below(4)], a, any());
    }
    case 16: {
      Type *narrow = builder_.getIntNTy(1 + below(bits - 1));
      Value *low = builder_.CreateTrunc(a, narrow);
      return oneIn(2) ? builder_.CreateZExt(low, type) : builder_.CreateSExt(low, type);
    }
    case 17: {
      Type *element = builder_.getIntNTy(Widths[below(4)]);
      Type *index = builder_.getIntNTy(Widths[below(4)]);
      Value *base = ofType(builder_.getPtrTy(), values_);
      Value *address =
          builder_.CreateGEP(element, base, ofType(index, values_), "",
                             oneIn(2) ? GEPNoWrapFlags::inBounds() : GEPNoWrapFlags::none());
      builder_.CreateStore(builder_.getInt8(0), address);
      return oneIn(3) ? address : nullptr; // mostly only accesses come of it
    }
    case 18:
      return oneIn(2) ? builder_.CreateFreeze(a)
                      : builder_.CreatePtrToInt(ofType(builder_.getPtrTy(), values_), type);
    default:
      if (oneIn(2)) // an index
        return converted(ofType(builder_.getInt32Ty(), values_), builder_.getInt64Ty());
      return converted(a, builder_.getIntNTy(Widths[below(4)]));
    }
  }

  Module &module_;
  Random &random_;
  IRBuilder<NoFolder> builder_;
  RandomProgram program_;
  std::vector<Value *> values_;
};

} // namespace

RandomProgram makeRandomProgram(Module &module, Random &random, unsigned expressions) {
  return Maker(module, random).make(expressions);
}

} // namespace heddle::simt
