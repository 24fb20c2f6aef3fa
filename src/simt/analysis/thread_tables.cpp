// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/thread_tables.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/shape.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

std::optional<int64_t> foldIntegers(unsigned opcode, int64_t a, int64_t b, unsigned bits) {
  uint64_t mask = maskTrailingOnes<uint64_t>(bits), x = uint64_t(a) & mask, y = uint64_t(b) & mask;
  auto number = [&](uint64_t value) { return SignExtend64(value & mask, bits); };
  switch (opcode) {
  case Instruction::Add:
    return number(x + y);
  case Instruction::Sub:
    return number(x - y);
  case Instruction::Mul:
    return number(x * y);
  case Instruction::And:
    return number(x & y);
  case Instruction::Or:
    return number(x | y);
  case Instruction::Xor:
    return number(x ^ y);
  default:
    break;
  }
  bool shifts =
      opcode == Instruction::Shl || opcode == Instruction::LShr || opcode == Instruction::AShr;
  if (shifts ? y >= bits : y == 0)
    return std::nullopt;
  switch (opcode) {
  case Instruction::Shl:
    return number(x << y);
  case Instruction::LShr:
    return number(x >> y);
  case Instruction::AShr:
    return a >> y;
  case Instruction::UDiv:
    return number(x / y);
  case Instruction::URem:
    return number(x % y);
  case Instruction::SDiv:
    return b == -1 ? std::nullopt : std::optional(a / b);
  case Instruction::SRem:
    return b == -1 ? std::nullopt : std::optional(a % b);
  default:
    return std::nullopt;
  }
}

/// The same of an intrinsic function of numbers.
static std::optional<int64_t> foldIntrinsic(Intrinsic::ID id, ArrayRef<int64_t> operands,
                                            unsigned bits) {
  auto number = [&](unsigned i) {
    return APInt(bits, uint64_t(operands[i]), /*isSigned=*/true, /*implicitTrunc=*/true);
  };
  APInt a = number(0);
  auto count = [](unsigned result, unsigned width) {
    return SignExtend64(uint64_t(result), width);
  };
  switch (id) {
  case Intrinsic::smin:
    return APIntOps::smin(a, number(1)).getSExtValue();
  case Intrinsic::smax:
    return APIntOps::smax(a, number(1)).getSExtValue();
  case Intrinsic::umin:
    return APIntOps::umin(a, number(1)).getSExtValue();
  case Intrinsic::umax:
    return APIntOps::umax(a, number(1)).getSExtValue();
  case Intrinsic::bitreverse:
    return a.reverseBits().getSExtValue();
  case Intrinsic::bswap:
    return a.byteSwap().getSExtValue();
  case Intrinsic::ctpop:
    return count(a.popcount(), bits);
  case Intrinsic::ctlz: // the second operand: not of zero
    return a.isZero() && operands[1] ? std::nullopt : std::optional(count(a.countl_zero(), bits));
  case Intrinsic::cttz:
    return a.isZero() && operands[1] ? std::nullopt : std::optional(count(a.countr_zero(), bits));
  case Intrinsic::abs:
    return a.isMinSignedValue() && operands[1] ? std::nullopt
                                               : std::optional(a.abs().getSExtValue());
  default:
    return std::nullopt;
  }
}

ThreadTable plusMultiple(ThreadTable a, const ThreadTable &b, int64_t factor) {
  for (auto [number, other] : zip(a, b))
    number = int64_t(uint64_t(number) + uint64_t(factor) * uint64_t(other));
  return a;
}

const ThreadTable *ThreadTables::of(Value *value) {
  if (auto known = tables_.find(value); known != tables_.end())
    return known->second.get();
  tables_[value] = nullptr; // a phi's circle ends here
  auto table = std::make_unique<ThreadTable>(threads());
  if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64 ||
      !fill(*value, *table))
    return nullptr;
  return (tables_[value] = std::move(table)).get();
}

bool ThreadTables::fill(Value &value, ThreadTable &table) {
  if (auto *constant = dyn_cast<ConstantInt>(&value)) {
    llvm::fill(table, constant->getSExtValue());
    return true;
  }
  if (auto *call = dyn_cast<CallInst>(&value); call && fillIndex(*call, table))
    return true;
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction ||
      !isa<BinaryOperator, SExtInst, ZExtInst, TruncInst, ICmpInst, SelectInst, IntrinsicInst>(
          instruction))
    return false;
  auto *call = dyn_cast<CallInst>(instruction);
  SmallVector<const ThreadTable *, 3> operands;
  for (Value *operand : call ? call->args() : instruction->operands())
    if (operands.push_back(of(operand)); !operands.back())
      return false;
  return fillResult(*instruction, operands, table);
}

bool ThreadTables::fillIndex(const CallInst &call, ThreadTable &table) {
  WarpBehaviour behaviour = warpBehaviour(call);
  for (auto [thread, number] : enumerate(table)) {
    unsigned index = thread;
    switch (behaviour) {
    case WarpBehaviour::ThreadIndexX:
      number = index % blockDim_[0];
      break;
    case WarpBehaviour::ThreadIndexY:
      number = index / blockDim_[0] % blockDim_[1];
      break;
    case WarpBehaviour::ThreadIndexZ:
      number = index / blockDim_[0] / blockDim_[1];
      break;
    case WarpBehaviour::LaneId:
      number = index % WarpSize;
      break;
    case WarpBehaviour::WarpId:
      number = index / WarpSize;
      break;
    default:
      return false;
    }
  }
  return true;
}

bool ThreadTables::fillResult(Instruction &instruction, ArrayRef<const ThreadTable *> operands,
                              ThreadTable &table) {
  if (operands.empty())
    return false;
  unsigned from = instruction.getOperand(0)->getType()->getIntegerBitWidth();
  unsigned bits = instruction.getType()->getIntegerBitWidth();
  for (auto [thread, number] : enumerate(table)) {
    auto operand = [&](unsigned i) { return (*operands[i])[thread]; };
    if (isa<SExtInst>(instruction)) {
      number = operand(0);
    } else if (isa<ZExtInst>(instruction)) {
      number = int64_t(uint64_t(operand(0)) & maskTrailingOnes<uint64_t>(from));
    } else if (isa<TruncInst>(instruction)) {
      number = SignExtend64(uint64_t(operand(0)), bits);
    } else if (auto *compare = dyn_cast<ICmpInst>(&instruction)) {
      APInt a(from, uint64_t(operand(0)), /*isSigned=*/true, /*implicitTrunc=*/true),
          b(from, uint64_t(operand(1)), true, true);
      number = ICmpInst::compare(a, b, compare->getPredicate()) ? -1 : 0;
    } else if (isa<SelectInst>(instruction)) {
      number = operand(0) ? operand(1) : operand(2);
    } else {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      std::optional<int64_t> result =
          call ? foldIntrinsic(
                     call->getIntrinsicID(),
                     map_to_vector(operands, [&](auto *table) { return (*table)[thread]; }), bits)
               : foldIntegers(instruction.getOpcode(), operand(0), operand(1), bits);
      if (!result)
        return false;
      number = *result;
    }
  }
  return true;
}

} // namespace heddle::simt
