// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: flat_index.h; cut_rows.cpp explains it.
#include "simt/thread/flat_index.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/order.h"
#include "simt/thread/clamps.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

/// Threads do not work together, and nothing orders them.
bool areApart(const ThreadProgram &program) {
  Function &thread = *program.body;
  if (program.staticShared > 0 || program.usesDynamicShared || program.maySpin || program.polls ||
      program.countsOnWarps || program.interchanged || program.neighbours > 1 ||
      !thread.getArg(ParamShared)->use_empty() || !thread.getArg(ParamBlock)->use_empty() ||
      !thread.getArg(ParamWarp)->use_empty())
    return false;
  return all_of(instructions(thread), isFreeOfOrder);
}

/// How a value follows from the two parts of a thread's number: `first` times blockIdx.x *
/// blockDim.x and `lane` times threadIdx.x, and something else.
struct Parts {
  int64_t first = 0, lane = 0;
  bool isNone() const { return first == 0 && lane == 0; }
  bool isSum() const { return first == lane; }
};

/// Finds the parts of all values; fails where one of them shows by itself.
class PartsFinder {
public:
  PartsFinder(Function &thread, unsigned threads) : thread_(thread), threads_(threads) {
    found_.rounds = roundsOf(thread, threads);
  }
  std::optional<FlatIndex> run();

private:
  bool visit(Instruction &);
  bool isFirst(Instruction &) const;
  std::optional<Parts> sum(const Instruction &, int sign) const;
  Parts of(const Value *value) const { return parts_.lookup(value); }
  bool showsBlock(const Value *value) const {
    const auto *cast = dyn_cast<CastInst>(value);
    return (cast ? cast->getOperand(0) : value) == thread_.getArg(ParamBlockX);
  }

  Function &thread_;
  unsigned threads_;
  FlatIndex found_;
  DenseMap<const Value *, Parts> parts_; ///< of those that are not whole sums
};

/// blockIdx.x * blockDim.x, of 32 bits or 64.
bool PartsFinder::isFirst(Instruction &instruction) const {
  const APInt *factor = nullptr;
  Value *block = nullptr;
  bool isProduct =
      match(&instruction, m_Mul(m_Value(block), m_APInt(factor))) && *factor == threads_;
  bool isShift = match(&instruction, m_Shl(m_Value(block), m_APInt(factor))) &&
                 isPowerOf2_32(threads_) && *factor == Log2_32(threads_);
  return (isProduct || isShift) && showsBlock(block);
}

std::optional<Parts> PartsFinder::sum(const Instruction &op, int sign) const {
  Parts a = of(op.getOperand(0)), b = of(op.getOperand(1));
  // A sum beside a part makes no part: (first + lane) + lane.
  for (const Value *operand : op.operands())
    if (auto whole = found_.sums.find(operand); whole != found_.sums.end()) {
      Parts &part = operand == op.getOperand(0) ? a : b;
      part = {whole->second, whole->second};
    }
  return Parts{a.first + sign * b.first, a.lane + sign * b.lane};
}

bool PartsFinder::visit(Instruction &instruction) {
  if (found_.rounds && &instruction == found_.rounds->number) {
    auto first = found_.sums.find(found_.rounds->guard.number);
    if (first != found_.sums.end() && first->second == 1)
      found_.sums[&instruction] = 1;
    else
      found_.rounds.reset(); // it counts something else
    return true;
  }
  if (isFirst(instruction)) {
    found_.firsts.insert(&instruction);
    parts_[&instruction] = {1, 0};
    return true;
  }
  if (const auto *call = dyn_cast<CallInst>(&instruction);
      call && callKind(*call) == CallKind::ThreadIndex) {
    if (threadDimension(call) != 0u)
      return false;
    parts_[call] = {0, 1};
    return true;
  }
  if (isa<CastInst>(instruction) && instruction.getOperand(0) == thread_.getArg(ParamBlockX))
    return all_of(instruction.users(),
                  [&](User *user) { return isFirst(*cast<Instruction>(user)); });
  if (isa<ZExtInst, SExtInst>(instruction)) // of what does not wrap: cut_rows.cpp sees to it
    if (auto whole = found_.sums.find(instruction.getOperand(0));
        whole != found_.sums.end() && whole->second == 1)
      found_.sums[&instruction] = 1;
  bool hasPart = any_of(instruction.operands(), [&](Value *v) { return !of(v).isNone(); });
  if (!hasPart)
    return !is_contained(instruction.operand_values(), thread_.getArg(ParamBlockX));
  std::optional<Parts> result;
  switch (instruction.getOpcode()) {
  case Instruction::ZExt:
  case Instruction::SExt: { // of what does not wrap: cut_rows.cpp sees to it
    auto *part = cast<Instruction>(instruction.getOperand(0));
    // In a launch of more threads than the type counts, a block of 2^k of them is on one side.
    bool isFirstOf = found_.firsts.contains(part) && isPowerOf2_32(threads_);
    if (!isFirstOf && !isa<CallInst>(part))
      return false;
    result = of(part);
    break;
  }
  case Instruction::Mul:
  case Instruction::Shl: {
    const auto *factor = dyn_cast<ConstantInt>(instruction.getOperand(1));
    bool isShift = instruction.getOpcode() == Instruction::Shl;
    if (!factor || factor->isNegative() || factor->getValue().ugt(isShift ? 8 : 256))
      return false;
    int64_t times = isShift ? int64_t(1) << factor->getZExtValue() : factor->getSExtValue();
    Parts part = of(instruction.getOperand(0));
    if (std::max(std::abs(part.first), std::abs(part.lane)) > 1 << 20)
      return false;
    result = Parts{part.first * times, part.lane * times};
    break;
  }
  case Instruction::Or:
    if (!cast<PossiblyDisjointInst>(instruction).isDisjoint())
      return false;
    [[fallthrough]];
  case Instruction::Add:
    result = sum(instruction, 1);
    break;
  case Instruction::Sub:
    result = sum(instruction, -1);
    break;
  default:
    return false;
  }
  if (!result->isSum())
    parts_[&instruction] = *result;
  else if (result->first != 0)
    found_.sums[&instruction] = result->first;
  return true;
}

std::optional<FlatIndex> PartsFinder::run() {
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&thread_))
    for (Instruction &instruction : *block)
      if (!visit(instruction))
        return {};
  // What is carried around a loop has been looked at before what it comes from.
  for (Instruction &instruction : instructions(thread_))
    if (isa<PHINode>(instruction) &&
        any_of(instruction.operands(), [&](Value *v) { return !of(v).isNone(); }))
      return {};
  if (found_.firsts.empty())
    return {};
  return found_;
}

} // namespace

std::optional<FlatIndex> flatIndexOf(const ThreadProgram &program, const Options &options) {
  auto [x, y, z] = options.blockDim;
  if (x < WarpSize || y * z > 1 || !options.isOptimised() || !areApart(program))
    return {};
  return PartsFinder(*program.body, x).run();
}

static constexpr unsigned MostComparisons = 6; ///< that pieces end by

RowForms::RowForms(Function &thread, const FlatIndex &flat) : thread_(thread), flat_(flat) {
  for (Instruction &instruction : instructions(thread))
    of(&instruction);
  if (!cuts_.empty())
    findComparisons();
}

/// Choices of indices that go on in one case only stay: they are clamps (version_clamps.cpp).
bool RowForms::chooseSteps(Value &condition) {
  return any_of(condition.users(), [&](User *user) {
    auto *select = dyn_cast<SelectInst>(user);
    if (select && select->getCondition() == &condition && !select->getType()->isIntegerTy(1)) {
      AlongRow left = of(select->getTrueValue()), right = of(select->getFalseValue());
      return select->getType()->isIntegerTy() &&
             (left.step != right.step || left.kind == AlongRow::Unknown ||
              right.kind == AlongRow::Unknown);
    }
    bool isLogic = user->getType()->isIntegerTy(1) && isa<SelectInst, BinaryOperator>(user);
    return isLogic ? chooseSteps(*user) : isa<CastInst>(user);
  });
}

void RowForms::findComparisons() {
  std::optional<Guard> guard = this->guard();
  for (Instruction &instruction : instructions(thread_)) {
    auto *compare = dyn_cast<ICmpInst>(&instruction);
    if (!compare || comparisons_.size() == MostComparisons ||
        (guard && guard->branch->getCondition() == compare))
      continue;
    AlongRow left = of(compare->getOperand(0)), right = of(compare->getOperand(1));
    if (left.kind == AlongRow::Fixed)
      std::swap(left, right);
    if (left.kind == AlongRow::Line && right.kind == AlongRow::Fixed && left.step == 1 &&
        compare->getOperand(0)->getType()->getIntegerBitWidth() >= 32 && !chooseSteps(*compare))
      comparisons_.insert(compare);
  }
}

/// Given with the launch: always there, and the same.
bool RowForms::isParameter(const LoadInst &load) const {
  const Value *object = getUnderlyingObject(load.getPointerOperand());
  const auto *params = dyn_cast<LoadInst>(object);
  return load.hasMetadata(LLVMContext::MD_invariant_load) && load.getType()->isIntegerTy() &&
         (object == thread_.getArg(ParamLaunch) ||
          (params && params->getPointerOperand() == thread_.getArg(ParamLaunch)));
}

AlongRow RowForms::of(Value *value) {
  if (isa<ConstantInt>(value))
    return {AlongRow::Fixed};
  if (auto *argument = dyn_cast<Argument>(value)) {
    unsigned number = argument->getArgNo();
    return {number == ParamBlockY || number == ParamBlockZ ? AlongRow::Fixed : AlongRow::Unknown};
  }
  auto *instruction = dyn_cast<Instruction>(value);
  if (flat_.rounds && value == flat_.rounds->number)
    return of(flat_.rounds->guard.number);
  if (!instruction || !value->getType()->isIntegerTy() || isa<PHINode>(value))
    return {};
  if (auto known = known_.find(value); known != known_.end())
    return known->second;
  AlongRow found = find(*instruction);
  return known_[value] = found;
}

AlongRow RowForms::ofSum(BinaryOperator &op, AlongRow left, AlongRow right) {
  int64_t sign = op.getOpcode() == Instruction::Sub ? -1 : 1;
  int64_t step = left.step + sign * right.step;
  return {step == 0 ? AlongRow::Uniform : AlongRow::Line, step, false,
          left.length ? left.length : right.length};
}

/// The divisor, however it is guarded.
static const Value *lengthOf(const BinaryOperator &division) {
  const Value *divisor = dividesBy(division);
  while (isa<FreezeInst, ZExtInst, SExtInst>(divisor))
    divisor = cast<Instruction>(divisor)->getOperand(0);
  return divisor;
}

AlongRow RowForms::ofDivision(BinaryOperator &division) {
  AlongRow number = of(division.getOperand(0)), divisor = of(division.getOperand(1));
  const auto *constant = dyn_cast<ConstantInt>(division.getOperand(1));
  bool isUnsigned =
      division.getOpcode() == Instruction::UDiv || division.getOpcode() == Instruction::URem;
  bool isSafe = constant ? constant->getValue().isStrictlyPositive()
                         : dividesBy(division) != division.getOperand(1);
  if (!isSafe || divisor.kind == AlongRow::Unknown || division.getType()->getIntegerBitWidth() < 32)
    return {};
  if (number.kind == AlongRow::Fixed || number.kind == AlongRow::Uniform) {
    if (number.kind == AlongRow::Uniform || divisor.kind == AlongRow::Uniform)
      fixed_.insert(&division);
    bool isSmall = number.isSmall || (isUnsigned && isRemainder(division));
    return {std::max(number.kind, divisor.kind), 0, isSmall && divisor.kind == AlongRow::Fixed};
  }
  if (number.kind != AlongRow::Line || divisor.kind != AlongRow::Fixed || number.step < 1 ||
      number.step > 16 || (constant && constant->getValue().ult(WarpSize)))
    return {};
  const Value *length = lengthOf(division);
  if (number.length && number.length != length) {
    steps_.insert(&division);
    return {};
  }
  cuts_.insert(&division);
  bool isSmall = number.isSmall || isUnsigned;
  return isRemainder(division) ? AlongRow{AlongRow::Line, number.step, isSmall, length}
                               : AlongRow{AlongRow::Uniform, 0, isSmall};
}

bool RowForms::hasPositiveDivisor(BinaryOperator &division) {
  return cuts_.contains(&division) || steps_.contains(&division) ||
         (fixed_.contains(&division) && of(division.getOperand(1)).kind == AlongRow::Fixed);
}

/// Of a choice that comes with a division by a number: what it is where the number is above zero.
Value *RowForms::decidedArm(SelectInst &select) {
  for (Value *arm : {select.getTrueValue(), select.getFalseValue()}) {
    Value *inner = arm;
    while (auto *choice = dyn_cast<SelectInst>(inner)) {
      auto known = arms_.find(choice);
      if (known == arms_.end())
        break;
      inner = known->second;
    }
    auto *division = dyn_cast<BinaryOperator>(inner);
    if (!division || !hasPositiveDivisor(*division))
      continue;
    Value *number = dividesBy(*division);
    std::optional<bool> decided =
        ofPositive(select.getCondition(), [&](const Value *value) { return value == number; });
    if (decided)
      return *decided ? select.getTrueValue() : select.getFalseValue();
  }
  return nullptr;
}

/// A thread's number itself, and not a sum of it and others.
bool RowForms::isNumber(const Instruction &sum) const {
  if (isa<ZExtInst, SExtInst>(sum) && flat_.sums.contains(sum.getOperand(0)))
    return isNumber(*cast<Instruction>(sum.getOperand(0)));
  return all_of(sum.operands(), [&](Value *part) {
    if (isa<ZExtInst, SExtInst>(part))
      part = cast<Instruction>(part)->getOperand(0);
    auto *instruction = dyn_cast<Instruction>(part);
    return instruction && (flat_.firsts.contains(instruction) || isa<CallInst>(instruction));
  });
}

AlongRow RowForms::find(Instruction &instruction) {
  if (auto sum = flat_.sums.find(&instruction); sum != flat_.sums.end())
    return {AlongRow::Line, sum->second, isNumber(instruction)};
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return {isParameter(*load) ? AlongRow::Fixed : AlongRow::Unknown};
  bool isComputed =
      isa<BinaryOperator, CastInst, ICmpInst, SelectInst, FreezeInst, MinMaxIntrinsic>(instruction);
  if (!isComputed)
    return {};
  if (instruction.isIntDivRem())
    return ofDivision(cast<BinaryOperator>(instruction));
  AlongRow::Kind most = AlongRow::Fixed;
  for (Value *operand : instruction.operands()) {
    if (isa<Function>(operand))
      continue;
    AlongRow form = of(operand);
    if (form.kind == AlongRow::Unknown && !isa<SelectInst>(instruction))
      return {};
    most = form.kind == AlongRow::Unknown ? AlongRow::Line : std::max(most, form.kind);
  }
  if (auto *select = dyn_cast<SelectInst>(&instruction)) {
    if (Value *arm = decidedArm(*select)) {
      arms_[select] = arm;
      return of(arm);
    }
  }
  if (most != AlongRow::Line)
    return {most};
  AlongRow left = of(instruction.getOperand(0));
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
    return ofSum(cast<BinaryOperator>(instruction), left, of(instruction.getOperand(1)));
  case Instruction::Mul:
    if (const auto *factor = dyn_cast<ConstantInt>(instruction.getOperand(1));
        factor && factor->getValue().abs().ult(1 << 16) && std::abs(left.step) < 1 << 16)
      return {AlongRow::Line, left.step * factor->getSExtValue(), false, left.length};
    return {};
  case Instruction::ZExt:
  case Instruction::SExt:
    return left.isSmall ? left : AlongRow{};
  case Instruction::Freeze:
    return left;
  case Instruction::Trunc:
    return {left.kind, left.step, false, left.length};
  default:
    return {};
  }
}

bool RowForms::leaveDivisions() {
  return any_of(instructions(thread_), [&](Instruction &instruction) {
    return instruction.isIntDivRem() && of(&instruction).kind == AlongRow::Unknown &&
           of(instruction.getOperand(1)).kind != AlongRow::Unknown &&
           !isa<ConstantInt>(instruction.getOperand(1)) &&
           !steps_.contains(cast<BinaryOperator>(&instruction));
  });
}

bool RowForms::isAddressFrom(SetVector<const Value *> reached) {
  for (unsigned i = 0; i < reached.size(); ++i)
    for (const User *user : reached[i]->users()) {
      const auto *instruction = dyn_cast<Instruction>(user);
      if (!instruction)
        continue;
      if (getLoadStorePointerOperand(instruction) == reached[i])
        return true;
      if (isa<BinaryOperator, CastInst, SelectInst, FreezeInst, MinMaxIntrinsic, GetElementPtrInst,
              PHINode>(instruction))
        reached.insert(instruction);
    }
  return false;
}

bool RowForms::reachAccess() const {
  return isAddressFrom(SetVector<const Value *>(cuts_.begin(), cuts_.end()));
}

bool RowForms::goByLanes() {
  auto isVarying = [](AlongRow form) {
    return form.kind == AlongRow::Line || form.kind == AlongRow::Unknown;
  };
  SetVector<const Value *> sources;
  for (Instruction &instruction : instructions(thread_)) {
    if (instruction.getOpcode() == Instruction::Mul) {
      AlongRow left = of(instruction.getOperand(0)), right = of(instruction.getOperand(1));
      bool isLine = left.kind == AlongRow::Line || right.kind == AlongRow::Line;
      if (isLine && of(&instruction).kind == AlongRow::Unknown)
        sources.insert(&instruction);
    }
    const auto *load = dyn_cast<LoadInst>(&instruction);
    const auto *gep = load ? dyn_cast<GetElementPtrInst>(load->getPointerOperand()) : nullptr;
    if (gep && load->getType()->isIntegerTy() && !isParameter(*load) &&
        any_of(gep->indices(), [&](Value *index) { return isVarying(of(index)); }))
      sources.insert(load);
  }
  return isAddressFrom(std::move(sources));
}

Value *RowForms::decided(Value *value) const {
  for (;;) {
    auto *select = dyn_cast<SelectInst>(value);
    auto arm = select ? arms_.find(select) : arms_.end();
    if (arm != arms_.end())
      value = arm->second;
    else if (auto *frozen = dyn_cast<FreezeInst>(value))
      value = frozen->getOperand(0);
    else
      return value;
  }
}

bool RowForms::isThreadsNumber(Value *value) {
  AlongRow form = of(value);
  return form.kind == AlongRow::Line && form.step == 1 && form.isSmall && !form.length;
}

std::optional<Guard> RowForms::guard() {
  if (flat_.rounds)
    return flat_.rounds->guard;
  for (BasicBlock *next : successors(&thread_.getEntryBlock())) {
    std::optional<Guard> guard = guardBefore(thread_.getEntryBlock(), next);
    if (!guard || of(guard->bound).kind != AlongRow::Fixed)
      continue;
    const BasicBlock *other = guard->branch->getSuccessor(guard->goesOnIf ? 1 : 0);
    if (isThreadsNumber(guard->number) && isa<ReturnInst>(*other->begin()))
      return guard;
  }
  return {};
}

} // namespace heddle::simt
