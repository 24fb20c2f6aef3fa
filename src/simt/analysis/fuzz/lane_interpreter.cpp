// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/fuzz/lane_interpreter.h"

#include "base/abi/kernel_abi.h"
#include "simt/lower/lower_device.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

unsigned bitsOf(const Type *type) { return type->isIntegerTy() ? type->getIntegerBitWidth() : 64; }

} // namespace

LaneInterpreter::LaneInterpreter(const RandomProgram &program, const LaneFacts &facts,
                                 unsigned first, std::vector<uint64_t> arguments)
    : program_(program), facts_(facts), first_(first), arguments_(std::move(arguments)) {}

const LaneInterpreter::Numbers &LaneInterpreter::of(const Value *value) {
  auto [known, isNew] = numbers_.try_emplace(value);
  if (!isNew)
    return known->second;
  LaneNumber number;
  uint64_t mask = maskTrailingOnes<uint64_t>(bitsOf(value->getType()));
  if (const auto *constant = dyn_cast<ConstantInt>(value))
    number.bits = constant->getZExtValue();
  else if (const auto *argument = dyn_cast<Argument>(value))
    number.bits = arguments_[argument->getArgNo()] & mask;
  return known->second = Numbers(facts_.width, number);
}

void LaneInterpreter::runBlock(const BasicBlock &block,
                               const std::vector<const BasicBlock *> &from) {
  std::vector<std::pair<const Value *, Numbers>> phis;
  for (const PHINode &phi : block.phis()) {
    Numbers numbers(facts_.width);
    for (unsigned lane = 0; lane < facts_.width; ++lane)
      numbers[lane] = of(phi.getIncomingValueForBlock(from[lane]))[lane];
    phis.push_back({&phi, std::move(numbers)});
  }
  for (auto &[phi, numbers] : phis)
    numbers_[phi] = std::move(numbers);
  for (const Instruction &instruction : block) {
    if (isa<PHINode, StoreInst>(instruction) || instruction.isTerminator())
      continue;
    Numbers numbers(facts_.width);
    for (const Value *operand : instruction.operands())
      of(operand);
    for (unsigned lane = 0; lane < facts_.width; ++lane)
      numbers[lane] = compute(instruction, lane);
    numbers_[&instruction] = std::move(numbers);
  }
}

std::vector<bool> LaneInterpreter::decide(const BasicBlock &block, std::vector<bool> &active) {
  const Numbers &condition = of(cast<BranchInst>(block.getTerminator())->getCondition());
  std::vector<bool> yes(facts_.width);
  for (unsigned lane = 0; lane < facts_.width; ++lane) {
    yes[lane] = condition[lane].bits;
    active[lane] = active[lane] && !condition[lane].poison; // undefined behaviour
  }
  return yes;
}

void LaneInterpreter::run(
    std::function<void(const BasicBlock &, const std::vector<bool> &)> visit) {
  unsigned width = facts_.width;
  unsigned threads = facts_.blockDim[0] * facts_.blockDim[1] * facts_.blockDim[2];
  std::vector<bool> active(width);
  for (unsigned lane = 0; lane < width; ++lane)
    active[lane] = first_ + lane < threads;
  std::vector<const BasicBlock *> from(width);
  runBlock(*program_.entry, from);
  visit(*program_.entry, active);
  std::vector<bool> yes = decide(*program_.entry, active), inside = active;
  for (unsigned lane = 0; lane < width; ++lane)
    inside[lane] = active[lane] && yes[lane];
  from.assign(width, program_.entry);
  runBlock(*program_.then, from);
  visit(*program_.then, inside);
  for (unsigned lane = 0; lane < width; ++lane)
    from[lane] = yes[lane] ? program_.then : program_.entry;
  runBlock(*program_.join, from);
  visit(*program_.join, active);
  // Lanes that left go on computing. What they had when they left is what they have behind.
  DenseMap<const Value *, Numbers> left;
  from.assign(width, program_.join);
  std::vector<bool> loops = active, end(width);
  for (bool more = true; more;) {
    runBlock(*program_.loop, from);
    visit(*program_.loop, loops);
    from.assign(width, program_.loop);
    std::vector<bool> again = decide(*program_.loop, loops);
    more = false;
    for (unsigned lane = 0; lane < width; ++lane)
      more |= loops[lane] && again[lane];
    for (const PHINode &phi : program_.exit->phis()) {
      const Value *value = phi.getIncomingValue(0);
      Numbers now = of(value);
      Numbers &kept = left[&phi];
      kept.resize(width);
      for (unsigned lane = 0; lane < width; ++lane)
        if (!end[lane])
          kept[lane] = now[lane];
    }
    for (unsigned lane = 0; lane < width; ++lane) {
      end[lane] = end[lane] || (loops[lane] && !again[lane]);
      loops[lane] = loops[lane] && again[lane];
    }
  }
  runBlock(*program_.exit, from);
  for (auto &[phi, numbers] : left)
    numbers_[phi] = std::move(numbers);
  for (const Instruction &instruction : *program_.exit)
    if (!isa<PHINode, StoreInst>(instruction) && !instruction.isTerminator()) {
      Numbers numbers(width);
      for (const Value *operand : instruction.operands())
        of(operand);
      for (unsigned lane = 0; lane < width; ++lane)
        numbers[lane] = compute(instruction, lane);
      numbers_[&instruction] = std::move(numbers);
    }
  visit(*program_.exit, end);
}

LaneNumber LaneInterpreter::compute(const Instruction &instruction, unsigned lane) {
  auto operand = [&](unsigned i) { return of(instruction.getOperand(i))[lane]; };
  unsigned bits = bitsOf(instruction.getType());
  uint64_t mask = maskTrailingOnes<uint64_t>(bits);
  if (const auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return computeBinary(*binary, operand(0), operand(1));
  if (const auto *address = dyn_cast<GetElementPtrInst>(&instruction))
    return computeAddress(*address, lane);
  if (const auto *call = dyn_cast<CallInst>(&instruction))
    return computeCall(*call, lane);
  LaneNumber a = operand(0);
  if (isa<FreezeInst>(instruction)) // which number it is then is open
    return a;
  if (const auto *change = dyn_cast<CastInst>(&instruction)) {
    unsigned from = bitsOf(change->getSrcTy());
    if (isa<SExtInst>(change))
      return {uint64_t(SignExtend64(a.bits, from)) & mask, a.poison};
    if (isa<ZExtInst>(change))
      return {a.bits, a.poison || (change->hasNonNeg() && SignExtend64(a.bits, from) < 0)};
    return {a.bits & mask, a.poison};
  }
  LaneNumber b = operand(1);
  if (const auto *compare = dyn_cast<ICmpInst>(&instruction)) {
    unsigned from = bitsOf(compare->getOperand(0)->getType());
    bool holds =
        ICmpInst::compare(APInt(from, a.bits), APInt(from, b.bits), compare->getPredicate());
    return {holds, a.poison || b.poison};
  }
  LaneNumber chosen = a.bits ? b : operand(2); // select
  return {chosen.bits, a.poison || chosen.poison};
}

LaneNumber LaneInterpreter::computeBinary(const BinaryOperator &op, LaneNumber x, LaneNumber y) {
  unsigned bits = bitsOf(op.getType());
  APInt a(bits, x.bits), b(bits, y.bits), result(bits, 0);
  bool poison = x.poison || y.poison, isSigned = false, isUnsigned = false;
  const auto *wraps = dyn_cast<OverflowingBinaryOperator>(&op);
  const auto *exact = dyn_cast<PossiblyExactOperator>(&op);
  switch (op.getOpcode()) {
  case Instruction::Add:
    (void)a.sadd_ov(b, isSigned), result = a.uadd_ov(b, isUnsigned);
    break;
  case Instruction::Sub:
    (void)a.ssub_ov(b, isSigned), result = a.usub_ov(b, isUnsigned);
    break;
  case Instruction::Mul:
    (void)a.smul_ov(b, isSigned), result = a.umul_ov(b, isUnsigned);
    break;
  case Instruction::Shl:
    (void)a.sshl_ov(b, isSigned), (void)a.ushl_ov(b, isUnsigned), result = a.shl(b);
    break;
  case Instruction::LShr:
    result = a.lshr(b);
    poison |= exact->isExact() && result.shl(b) != a;
    break;
  case Instruction::AShr:
    result = a.ashr(b);
    poison |= exact->isExact() && result.shl(b) != a;
    break;
  case Instruction::And:
    result = a & b;
    break;
  case Instruction::Or: {
    bool isSum = cast<PossiblyDisjointInst>(op).isDisjoint();
    result = isSum ? a + b : a | b; // as the widener makes it
    poison |= isSum && a.intersects(b);
    break;
  }
  case Instruction::Xor:
    result = a ^ b;
    break;
  case Instruction::UDiv:
    result = a.udiv(b);
    break;
  case Instruction::URem:
    result = a.urem(b);
    break;
  case Instruction::SDiv:
    result = a.sdiv(b);
    break;
  default:
    result = a.srem(b);
    break;
  }
  poison |= wraps &&
            ((wraps->hasNoSignedWrap() && isSigned) || (wraps->hasNoUnsignedWrap() && isUnsigned));
  return {result.getZExtValue(), poison};
}

LaneNumber LaneInterpreter::computeAddress(const GetElementPtrInst &address, unsigned lane) {
  LaneNumber base = of(address.getPointerOperand())[lane], index = of(address.getOperand(1))[lane];
  uint64_t size = address.getDataLayout().getTypeAllocSize(address.getSourceElementType());
  int64_t number = SignExtend64(index.bits, bitsOf(address.getOperand(1)->getType()));
  uint64_t sum = base.bits + size * uint64_t(number);
  auto isOutside = [&](uint64_t from, uint64_t to) {
    return AbsoluteValue(int64_t(to - from)) > ShortObject;
  };
  bool isPoison =
      object_ && address.isInBounds() &&
      (isOutside(*object_, base.bits) || isOutside(*object_, sum) || isOutside(base.bits, sum));
  return {sum, base.poison || index.poison || isPoison};
}

LaneNumber LaneInterpreter::computeCall(const CallInst &call, unsigned lane) {
  unsigned thread = first_ + lane, x = facts_.blockDim[0], y = facts_.blockDim[1];
  auto operand = [&](unsigned i) { return of(call.getArgOperand(i))[lane]; };
  auto choose = [&](CmpInst::Predicate predicate) {
    unsigned bits = bitsOf(call.getType());
    LaneNumber a = operand(0), b = operand(1);
    bool first = ICmpInst::compare(APInt(bits, a.bits), APInt(bits, b.bits), predicate);
    return LaneNumber{first ? a.bits : b.bits, a.poison || b.poison};
  };
  unsigned bits = call.getType()->getIntegerBitWidth();
  auto count = [&](unsigned (*zeros)(const APInt &)) { // the second operand: not of zero
    LaneNumber a = operand(0);
    APInt number(bits, a.bits);
    return LaneNumber{zeros(number), a.poison || (number.isZero() && operand(1).bits)};
  };
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return {thread % x};
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return {thread / x % y};
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return {thread / x / y};
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
    return {thread % WarpSize};
  case Intrinsic::smin:
    return choose(CmpInst::ICMP_SLT);
  case Intrinsic::smax:
    return choose(CmpInst::ICMP_SGT);
  case Intrinsic::umin:
    return choose(CmpInst::ICMP_ULT);
  case Intrinsic::bitreverse:
    return {APInt(bits, operand(0).bits).reverseBits().getZExtValue(), operand(0).poison};
  case Intrinsic::ctpop:
    return {unsigned(llvm::popcount(operand(0).bits)), operand(0).poison};
  case Intrinsic::ctlz:
    return count([](const APInt &number) { return number.countl_zero(); });
  case Intrinsic::cttz:
    return count([](const APInt &number) { return number.countr_zero(); });
  case Intrinsic::abs: {
    APInt number(bits, operand(0).bits);
    return {number.abs().getZExtValue(),
            operand(0).poison || (number.isMinSignedValue() && operand(1).bits)};
  }
  default:
    return choose(CmpInst::ICMP_UGT);
  }
}

} // namespace heddle::simt
