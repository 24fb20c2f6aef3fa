// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Method. Intervals are computed from those of operands, and limited by the branches that lead to
// the place where the value is used: `i < n` says so only where it was asked. A value that a loop
// changes step by step lies between where it begins and what the loop's end allows, if no step
// leads out of its bits. What is not understood may be any number of its type.
#include "simt/check/proof/extremes.h"

#include "base/abi/kernel_abi.h"
#include "simt/check/accesses.h"
#include "simt/lower/lower_device.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MostDepth = 40;

unsigned bitsOf(const Value *value) { return value->getType()->getScalarSizeInBits(); }

bool isInteger(const Value *value) {
  return value->getType()->isIntegerTy() && bitsOf(value) <= 64;
}

} // namespace

Extremes::Extremes(Function &function, const Options &options, const LoopInfo &loops,
                   ScalarEvolution &scev, Guards &guards, ProofNodes &nodes)
    : function_(function), options_(options), loops_(loops), scev_(scev), guards_(guards),
      nodes_(nodes) {}

std::optional<uint32_t> Extremes::dimensionOf(const Value *value) const {
  for (uint32_t d = 0; d < 3; ++d)
    if (value == function_.getArg(ParamBlockX + d))
      return 3 + d;
  return threadDimension(value);
}

bool Extremes::isOfLaunch(Value *value, unsigned depth) {
  if (isa<ConstantInt>(value))
    return true;
  if (auto *load = dyn_cast<LoadInst>(value))
    return isInteger(value) && ofLoad(*load) != nodes_.any(bitsOf(value));
  auto *instruction = dyn_cast<Instruction>(value);
  bool isMade = instruction && isInteger(value) && depth &&
                isa<BinaryOperator, CastInst, FreezeInst>(instruction) &&
                !isa<PtrToIntInst>(instruction);
  return isMade && all_of(instruction->operands(),
                          [&](const Use &use) { return isOfLaunch(use.get(), depth - 1); });
}

uint32_t Extremes::of(Value *value, const BasicBlock *at) {
  if (!isInteger(value) || nodes_.areTooMany() || depth_ > MostDepth)
    return nodes_.any(isInteger(value) ? bitsOf(value) : 64);
  bool isNumber = isOfLaunch(value); // what branches say of it the launch shows
  if (isNumber)
    at = &function_.getEntryBlock();
  auto [known, isNew] = known_.try_emplace({value, at}, nodes_.any(bitsOf(value)));
  if (!isNew)
    return known->second;
  ++depth_;
  uint32_t node = computed(value, at);
  if (!isNumber)
    node = limited(node, value, guards_.at(at), at);
  --depth_;
  return known_[{value, at}] = node;
}

uint32_t Extremes::computed(Value *value, const BasicBlock *at) {
  unsigned bits = bitsOf(value);
  if (auto *number = dyn_cast<ConstantInt>(value))
    return nodes_.number(bits == 1 ? int64_t(number->getZExtValue()) : number->getSExtValue());
  if (std::optional<uint32_t> dimension = dimensionOf(value))
    return *dimension < 3 ? nodes_.span(0, int64_t(options_.blockDim[*dimension]) - 1)
                          : nodes_.add(ProofOp::BlockIdx, 0, 0, *dimension - 3);
  if (auto *load = dyn_cast<LoadInst>(value))
    return ofLoad(*load);
  if (auto *call = dyn_cast<IntrinsicInst>(value))
    return ofIntrinsic(*call, at);
  if (auto *binary = dyn_cast<BinaryOperator>(value))
    return ofBinary(*binary, at);
  if (auto *compare = dyn_cast<ICmpInst>(value))
    return ofComparison(*compare, at);
  if (auto *phi = dyn_cast<PHINode>(value))
    return ofPhi(*phi, at);
  if (auto *choice = dyn_cast<SelectInst>(value))
    return nodes_.add(ProofOp::Join, of(choice->getTrueValue(), at),
                      of(choice->getFalseValue(), at));
  if (isa<FreezeInst, SExtInst>(value) && isInteger(cast<Instruction>(value)->getOperand(0)) &&
      bitsOf(cast<Instruction>(value)->getOperand(0)) > 1)
    return of(cast<Instruction>(value)->getOperand(0), at);
  if (isa<ZExtInst>(value))
    return unsigned_(cast<Instruction>(value)->getOperand(0), at);
  if (isa<TruncInst>(value) && bits > 1 && bitsOf(cast<Instruction>(value)->getOperand(0)) <= 64)
    return nodes_.add(ProofOp::Wrap, of(cast<Instruction>(value)->getOperand(0), at), 0, bits);
  return nodes_.any(bits);
}

uint32_t Extremes::unsigned_(Value *value, const BasicBlock *at) {
  unsigned bits = bitsOf(value);
  uint32_t node = of(value, at);
  return bits == 1 || bits >= 64 ? node : nodes_.add(ProofOp::Unsign, node, 0, bits);
}

/// A parameter, or what describes the launch.
uint32_t Extremes::ofLoad(LoadInst &load) {
  unsigned bits = bitsOf(&load);
  APInt offset(64, 0);
  const Value *base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(
      function_.getDataLayout(), offset, /*AllowNonInbounds=*/true);
  if (!load.hasMetadata(LLVMContext::MD_invariant_load) || bits % 8 || offset.isNegative())
    return nodes_.any(bits);
  uint64_t at = offset.getZExtValue();
  if (base == function_.getArg(ParamLaunch)) {
    for (uint64_t d = 0; d < 3; ++d)
      if (bits == 32 && at == offsetof(Launch, gridDim) + 4 * d)
        return nodes_.add(ProofOp::GridDim, 0, 0, int64_t(d));
    return nodes_.any(bits);
  }
  const auto *params = dyn_cast<LoadInst>(base);
  bool isParam = params && params->getPointerOperand() == function_.getArg(ParamLaunch) &&
                 offsetof(Launch, params) == 0;
  return isParam ? nodes_.add(ProofOp::Param, uint32_t(at), 0, bits / 8) : nodes_.any(bits);
}

uint32_t Extremes::exact(Value *value, const BasicBlock *at) {
  auto *binary = dyn_cast<BinaryOperator>(value);
  if (!binary || !isInteger(value))
    return of(value, at);
  auto both = [&](ProofOp op) {
    return nodes_.add(op, of(binary->getOperand(0), at), of(binary->getOperand(1), at));
  };
  switch (binary->getOpcode()) {
  case Instruction::Add:
    return both(ProofOp::Add);
  case Instruction::Sub:
    return difference(*binary, at);
  case Instruction::Mul:
    return both(ProofOp::Multiply);
  case Instruction::Or:
    if (cast<PossiblyDisjointInst>(binary)->isDisjoint())
      return both(ProofOp::Add);
    break;
  case Instruction::Shl:
    if (auto *by = dyn_cast<ConstantInt>(binary->getOperand(1)); by && by->getZExtValue() < 62)
      return nodes_.add(ProofOp::Multiply, of(binary->getOperand(0), at),
                        nodes_.number(int64_t(1) << by->getZExtValue()));
    break;
  default:
    break;
  }
  return of(value, at);
}

/// What is known of both sides together counts.
///
///     if (i >= n) ... i - n        0 or more
///     i - (i & 15)                 i & ~15
uint32_t Extremes::difference(BinaryOperator &binary, const BasicBlock *at) {
  Value *left = binary.getOperand(0), *right = binary.getOperand(1);
  if (auto *mask = dyn_cast<BinaryOperator>(right);
      mask && mask->getOpcode() == Instruction::And &&
      (mask->getOperand(0) == left || mask->getOperand(1) == left))
    return nodes_.add(ProofOp::Without, of(left, at),
                      of(mask->getOperand(mask->getOperand(0) == left), at));
  uint32_t node = nodes_.add(ProofOp::Subtract, of(left, at), of(right, at));
  GuardList guards = guards_.at(at);
  for (const Guard &guard : guards) {
    if (guard.value != left || guard.bound != right)
      continue;
    if (guard.predicate == CmpInst::ICMP_SGE || guard.predicate == CmpInst::ICMP_SGT)
      node = nodes_.add(ProofOp::AtLeast, node, nodes_.number(guard.predicate == CmpInst::ICMP_SGT),
                        -guard.added);
  }
  return node;
}

uint32_t Extremes::ofBinary(BinaryOperator &binary, const BasicBlock *at) {
  unsigned bits = bitsOf(&binary);
  Value *left = binary.getOperand(0), *right = binary.getOperand(1);
  auto both = [&](ProofOp op) { return nodes_.add(op, of(left, at), of(right, at)); };
  auto wrapped = [&](uint32_t node) { return nodes_.add(ProofOp::Wrap, node, 0, bits); };
  auto withoutSign = [&](ProofOp op) {
    return wrapped(nodes_.add(op, unsigned_(left, at), unsigned_(right, at)));
  };
  if (bits == 1)
    return nodes_.any(1);
  switch (binary.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
    return wrapped(exact(&binary, at));
  case Instruction::Shl:
    return isa<ConstantInt>(right) && cast<ConstantInt>(right)->getZExtValue() < 62
               ? wrapped(exact(&binary, at))
               : nodes_.any(bits);
  case Instruction::SDiv:
    return wrapped(both(ProofOp::Divide));
  case Instruction::SRem:
    return wrapped(both(ProofOp::Remainder));
  case Instruction::UDiv:
    return withoutSign(ProofOp::Divide);
  case Instruction::URem:
    return withoutSign(ProofOp::Remainder);
  case Instruction::LShr:
    return withoutSign(ProofOp::ShiftRight);
  case Instruction::AShr:
    return wrapped(both(ProofOp::ShiftRight));
  case Instruction::And:
    return wrapped(both(ProofOp::And));
  case Instruction::Or:
    return wrapped(cast<PossiblyDisjointInst>(binary).isDisjoint() ? exact(&binary, at)
                                                                   : both(ProofOp::Or));
  case Instruction::Xor:
    return wrapped(both(ProofOp::Xor));
  default:
    return nodes_.any(bits);
  }
}

uint32_t Extremes::ofIntrinsic(IntrinsicInst &call, const BasicBlock *at) {
  unsigned bits = bitsOf(&call);
  auto both = [&](ProofOp op) {
    return nodes_.add(op, of(call.getArgOperand(0), at), of(call.getArgOperand(1), at));
  };
  switch (call.getIntrinsicID()) {
  case Intrinsic::smin:
    return both(ProofOp::Smaller);
  case Intrinsic::smax:
    return both(ProofOp::Greater);
  case Intrinsic::umin:
  case Intrinsic::umax:
    if (bits == 1)
      return nodes_.any(bits);
    return nodes_.add(
        ProofOp::Wrap,
        nodes_.add(call.getIntrinsicID() == Intrinsic::umin ? ProofOp::Smaller : ProofOp::Greater,
                   unsigned_(call.getArgOperand(0), at), unsigned_(call.getArgOperand(1), at)),
        0, bits);
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
    return nodes_.span(0, 31);
  default:
    return nodes_.any(bits);
  }
}

uint32_t Extremes::ofComparison(ICmpInst &compare, const BasicBlock *at) {
  Value *left = compare.getOperand(0), *right = compare.getOperand(1);
  if (!isInteger(left) || bitsOf(left) == 1)
    return nodes_.any(1);
  bool isUnsigned = compare.isUnsigned();
  auto side = [&](Value *value) { return isUnsigned ? unsigned_(value, at) : of(value, at); };
  uint32_t a = side(left), b = side(right), one = nodes_.number(1);
  auto negated = [&](uint32_t node) { return nodes_.add(ProofOp::Subtract, one, node); };
  switch (compare.getPredicate()) {
  case CmpInst::ICMP_EQ:
    return nodes_.add(ProofOp::Equal, a, b);
  case CmpInst::ICMP_NE:
    return negated(nodes_.add(ProofOp::Equal, a, b));
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_ULT:
    return nodes_.add(ProofOp::Less, a, b);
  case CmpInst::ICMP_SGE:
  case CmpInst::ICMP_UGE:
    return negated(nodes_.add(ProofOp::Less, a, b));
  case CmpInst::ICMP_SGT:
  case CmpInst::ICMP_UGT:
    return nodes_.add(ProofOp::Less, b, a);
  default:
    return negated(nodes_.add(ProofOp::Less, b, a));
  }
}

uint32_t Extremes::limited(uint32_t node, Value *value, const GuardList &guards,
                           const BasicBlock *at) {
  for (const Guard &guard : guards)
    if (guard.value == value)
      node = limited(node, guard, at);
  return node;
}

uint32_t Extremes::limited(uint32_t node, const Guard &guard, const BasicBlock *at) {
  if (bitsOf(guard.value) == 1)
    return node;
  uint32_t bound = of(guard.bound, at);
  int64_t added = guard.added;
  switch (guard.predicate) {
  case CmpInst::ICMP_SLT:
    return nodes_.add(ProofOp::AtMost, node, bound, -1 - added);
  case CmpInst::ICMP_SLE:
    return nodes_.add(ProofOp::AtMost, node, bound, -added);
  case CmpInst::ICMP_SGT:
    return nodes_.add(ProofOp::AtLeast, node, bound, 1 - added);
  case CmpInst::ICMP_SGE:
    return nodes_.add(ProofOp::AtLeast, node, bound, -added);
  case CmpInst::ICMP_EQ:
    return nodes_.add(ProofOp::AtLeast, nodes_.add(ProofOp::AtMost, node, bound, -added), bound,
                      -added);
  case CmpInst::ICMP_NE:
    return added ? node : nodes_.add(ProofOp::Besides, node, bound);
  case CmpInst::ICMP_ULT:
    return nodes_.add(ProofOp::Below, node, bound, added);
  case CmpInst::ICMP_ULE:
    return nodes_.add(ProofOp::Below, node, nodes_.add(ProofOp::Add, bound, nodes_.number(1)),
                      added);
  default:
    return node;
  }
}

uint32_t Extremes::ofPhi(PHINode &phi, const BasicBlock *at) {
  const Loop *loop = loops_.getLoopFor(phi.getParent());
  if (loop && loop->getHeader() == phi.getParent())
    return ofLoopValue(phi, *loop);
  std::optional<uint32_t> all;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    Value *value = phi.getIncomingValue(i);
    const BasicBlock *from = phi.getIncomingBlock(i);
    if (isa<UndefValue>(value))
      return nodes_.any(bitsOf(&phi));
    uint32_t one = limited(of(value, from), value, guards_.onEdge(from, phi.getParent()), from);
    all = all ? nodes_.add(ProofOp::Join, *all, one) : one;
  }
  return all.value_or(nodes_.any(bitsOf(&phi)));
}

/// Of what an offset adds to its pointer.
std::optional<uint32_t> Extremes::added(const GEPOperator &place, const BasicBlock *at) {
  SmallMapVector<Value *, APInt, 4> terms;
  APInt constant(64, 0);
  if (!place.collectOffset(function_.getDataLayout(), 64, terms, constant))
    return std::nullopt;
  uint32_t sum = nodes_.number(constant.getSExtValue());
  for (auto &[index, scale] : terms) {
    if (!isInteger(index))
      return std::nullopt;
    uint32_t term =
        nodes_.add(ProofOp::Multiply, of(index, at), nodes_.number(scale.getSExtValue()));
    sum = nodes_.add(ProofOp::Add, sum, term);
  }
  return sum;
}

std::optional<uint32_t> Extremes::offset(Value *pointer, const Value *root, const BasicBlock *at) {
  if (pointer == root)
    return nodes_.number(0);
  if (nodes_.areTooMany() || depth_ > MostDepth)
    return std::nullopt;
  if (isa<AddrSpaceCastInst, FreezeInst>(pointer))
    return offset(cast<Instruction>(pointer)->getOperand(0), root, at);
  if (auto *phi = dyn_cast<PHINode>(pointer))
    return ofPointer(*phi, root);
  auto *place = dyn_cast<GEPOperator>(pointer);
  if (!place)
    return std::nullopt;
  std::optional<uint32_t> more = added(*place, at);
  std::optional<uint32_t> base = more ? offset(place->getPointerOperand(), root, at) : more;
  return base ? std::optional(nodes_.add(ProofOp::Add, *base, *more)) : std::nullopt;
}

} // namespace heddle::simt
