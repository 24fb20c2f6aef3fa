// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/count/operation_of.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace heddle::jit {

using frontend::ptx::PtxType;
using frontend::ptx::Statement;
using frontend::ptx::TypeKind;
using model::CodeOperation;
using model::Operation;
using model::Space;
using model::ValueKind;

namespace {

Operation familyOf(StringRef opcode) {
  return StringSwitch<Operation>(opcode)
      .Cases({"mov", "cvta"}, Operation::Move)
      .Cases({"add", "sub", "neg", "abs", "addc", "subc"}, Operation::Add)
      .Cases({"mul", "mul24"}, Operation::Multiply)
      .Cases({"mad", "mad24", "madc", "fma"}, Operation::MultiplyAdd)
      .Case("div", Operation::Divide)
      .Case("rem", Operation::Remainder)
      .Case("rcp", Operation::Reciprocal)
      .Case("sqrt", Operation::SquareRoot)
      .Case("rsqrt", Operation::ReciprocalRoot)
      .Cases({"sin", "cos"}, Operation::Sine)
      .Cases({"ex2", "tanh"}, Operation::Exponential)
      .Case("lg2", Operation::Logarithm)
      .Cases({"min", "max"}, Operation::MinMax)
      .Cases({"set", "setp", "testp", "isspacep"}, Operation::Compare)
      .Cases({"selp", "slct"}, Operation::Select)
      .Cases({"and", "or", "xor", "not", "cnot", "lop3", "copysign"}, Operation::Logic)
      .Cases({"shl", "shr", "shf"}, Operation::Shift)
      .Cases({"bfe", "bfi", "prmt", "bmsk", "szext"}, Operation::BitField)
      .Cases({"popc", "clz", "bfind", "brev", "fns"}, Operation::BitCount)
      .Case("sad", Operation::SumOfDifferences)
      .Cases({"dp4a", "dp2a"}, Operation::DotProduct)
      .Case("cvt", Operation::Convert)
      .Cases({"ld", "ldu"}, Operation::Load)
      .Case("st", Operation::Store)
      .Case("atom", Operation::Atomic)
      .Case("red", Operation::Reduce)
      .Cases({"prefetch", "prefetchu", "applypriority", "discard"}, Operation::Prefetch)
      .Cases({"tex", "tld4", "txq"}, Operation::Texture)
      .Cases({"suld", "sust", "sured", "suq"}, Operation::Surface)
      .Case("shfl", Operation::Shuffle)
      .Cases({"vote", "activemask", "elect"}, Operation::Vote)
      .Case("match", Operation::Match)
      .Case("redux", Operation::WarpReduce)
      .Cases({"bar", "barrier"}, Operation::Barrier)
      .Case("mbarrier", Operation::Mbarrier)
      .Cases({"membar", "fence"}, Operation::Fence)
      .Cases({"mma", "wgmma"}, Operation::MatrixMultiply)
      .Cases({"ldmatrix", "stmatrix", "movmatrix"}, Operation::MatrixMemory)
      .Cases({"bra", "brx"}, Operation::Branch)
      .Case("call", Operation::Call)
      .Case("ret", Operation::Return)
      .Case("exit", Operation::Exit)
      .StartsWith("v", Operation::Video)
      .Default(Operation::Other);
}

/// Where modifiers say more than the opcode.
Operation refine(Operation family, const Statement &statement) {
  auto has = [&](StringRef part) { return is_contained(statement.parts, part); };
  StringRef opcode = statement.parts[0];
  if (family == Operation::Multiply && has("hi"))
    return Operation::MultiplyHigh;
  if (family == Operation::Barrier && has("warp"))
    return Operation::WarpBarrier;
  if (opcode == "cp")
    return has("wait_group") || has("wait_all") || has("commit_group") ? Operation::AsyncWait
                                                                       : Operation::AsyncCopy;
  if (opcode == "wmma")
    return has("mma") ? Operation::MatrixMultiply : Operation::MatrixMemory;
  return family;
}

Space spaceOf(const Statement &statement) {
  for (StringRef part : statement.parts) {
    StringRef name = part.split("::").first;
    Space space = StringSwitch<Space>(name)
                      .Case("global", Space::Global)
                      .Case("shared", Space::Shared)
                      .Case("local", Space::Local)
                      .Case("const", Space::Constant)
                      .Case("param", Space::Parameter)
                      .Default(Space::Generic);
    if (space != Space::Generic)
      return space;
  }
  StringRef opcode = statement.parts[0];
  return opcode == "tex" || opcode == "tld4" ? Space::Texture : Space::Generic;
}

uint16_t flagsOf(const Statement &statement) {
  uint16_t flags = 0;
  auto set = [&](std::initializer_list<StringRef> parts, model::OperationFlags flag) {
    for (StringRef part : parts)
      if (is_contained(statement.parts, part))
        flags |= flag;
  };
  set({"approx"}, model::IsApproximate);
  set({"full"}, model::IsFull);
  set({"wide"}, model::IsWide);
  set({"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"}, model::IsVolatile);
  set({"nc"}, model::IsReadOnly);
  set({"cg", "cs", "cv"}, model::BypassesL1);
  set({"uni"}, model::IsUniformBranch);
  set({"f16x2", "bf16x2"}, model::IsHalfPair);
  set({"exch", "cas"}, model::IsExchange);
  set({"addc", "subc", "madc", "cc"}, model::IsCarry);
  return flags;
}

ValueKind kindOf(const PtxType &type) {
  if (type.kind == TypeKind::Predicate)
    return ValueKind::Predicate;
  return type.isInteger() ? ValueKind::Integer : ValueKind::Float;
}

/// m16n8k16: multiplications and additions of a warp.
uint32_t workOf(const Statement &statement) {
  for (StringRef part : statement.parts) {
    StringRef rest = part;
    unsigned m, n, k;
    if (rest.consume_front("m") && !rest.consumeInteger(10, m) && rest.consume_front("n") &&
        !rest.consumeInteger(10, n) && rest.consume_front("k") && !rest.consumeInteger(10, k))
      return m * n * k;
  }
  return 0;
}

} // namespace

CodeOperation operationOf(const Statement &statement) {
  CodeOperation operation = {};
  std::fill(std::begin(operation.results), std::end(operation.results), model::None);
  std::fill(std::begin(operation.sources), std::end(operation.sources), model::None);
  operation.access = operation.line = model::None;
  operation.operation = refine(familyOf(statement.parts[0]), statement);
  operation.space = spaceOf(statement);
  operation.flags = flagsOf(statement);
  operation.elements = 1;
  for (uint8_t count : {2, 4, 8})
    if (is_contained(statement.parts, "v" + utostr(count)))
      operation.elements = count;
  SmallVector<PtxType, 2> types;
  for (StringRef part : statement.parts)
    if (auto type = frontend::ptx::findType(part))
      types.push_back(*type);
  if (!types.empty()) { // of a conversion the result's comes first
    bool converts = operation.operation == Operation::Convert && types.size() > 1;
    const PtxType &type = converts ? types.front() : types.back();
    operation.kind = kindOf(type);
    operation.bits = uint8_t(type.elementBits);
    if (type.isSigned())
      operation.flags |= model::IsSigned;
    if (converts) {
      operation.fromKind = kindOf(types.back());
      operation.fromBits = uint8_t(types.back().elementBits);
    }
  }
  if (operation.operation == Operation::MatrixMultiply)
    operation.work = workOf(statement);
  return operation;
}

bool isAccess(const CodeOperation &operation) {
  switch (operation.operation) {
  case Operation::Load:
  case Operation::Store:
    return operation.space != Space::Parameter;
  case Operation::Texture:
    return operation.space == Space::Texture;
  case Operation::Atomic:
  case Operation::Reduce:
    return true;
  default:
    return false;
  }
}

} // namespace heddle::jit
