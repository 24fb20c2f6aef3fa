// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our device library is written for processors with wide vectors: what it does for a sine is not
// what a GPU's does. So its functions are not counted by what they execute, but as
// library_functions.def has them. Those that are an instruction or a few of any machine are taken
// as they are.
#include "jit/count/library_calls.h"

#include "jit/load/library.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>

using namespace llvm;

namespace heddle::jit {

using model::CodeOperation;
using model::Operation;
using model::ValueKind;

namespace {

struct LibraryFunction {
  const char *name;
  unsigned bits;
  const char *operations;
};
constexpr LibraryFunction Functions[] = {
#define HEDDLE_FUNCTION(NAME, BITS, OPERATIONS) {NAME, BITS, OPERATIONS},
#include "jit/count/library_functions.def"
};

const LibraryFunction *find(StringRef name) {
  const auto *found =
      find_if(Functions, [&](const LibraryFunction &function) { return name == function.name; });
  return found == std::end(Functions) ? nullptr : found;
}

/// __nv_fadd_rz, __nv_double2int_rn: an instruction that rounds in a direction.
LibraryFunction roundingFunction(StringRef name) {
  constexpr std::pair<StringLiteral, const char *> Kinds[] = {
      {"add", "1 add"},   {"sub", "1 add"},    {"mul", "1 mul"},
      {"fma", "1 fma"},   {"div", "1 divide"}, {"rsqrt", nullptr},
      {"sqrt", "1 sqrt"}, {"rcp", "1 rcp"},    {"2", "1 convert"}};
  if (name.starts_with("__nv_") && is_contained({"_rn", "_rz", "_ru", "_rd"}, name.take_back(3)))
    for (auto [part, operations] : Kinds)
      if (operations && name.contains(part))
        return {"", name.starts_with("__nv_d") || name.contains("double") ? 64u : 32u, operations};
  return {"", 0, nullptr};
}

constexpr unsigned MostInstructions = 8;

/// A few instructions in a row that touch no memory but what they are given: sincosf, of two
/// others.
bool isSimple(const Function &function) {
  if (find(function.getName()) || function.size() != 1 ||
      function.front().size() > MostInstructions)
    return false;
  return all_of(function.front(), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (call)
      return isa<IntrinsicInst>(call)
                 ? !call->mayReadOrWriteMemory()
                 : call->getCalledFunction() && find(call->getCalledFunction()->getName());
    const auto *store = dyn_cast<StoreInst>(&instruction);
    return !instruction.mayReadOrWriteMemory() ||
           (store && isa<Argument>(store->getPointerOperand()));
  });
}

} // namespace

Error inlineSimpleLibrary(Module &module, bool fast) {
  StringSet<> own;
  for (const Function &function : module)
    if (!function.isDeclaration())
      own.insert(function.getName());
  SmallPtrSet<const GlobalVariable *, 16> variables;
  for (const GlobalVariable &variable : module.globals())
    variables.insert(&variable);
  if (Error error = linkLibrary(module, fast))
    return error;
  for (Function &function : module)
    if (!function.isDeclaration() && !own.contains(function.getName()) && !isSimple(function))
      function.deleteBody();
  for (Function &function : module)
    if (find(function.getName())) { // they are in no one's way
      function.setDoesNotThrow();
      function.setWillReturn();
      if (function.getName().starts_with("__nv_"))
        function.setDoesNotAccessMemory();
      else
        function.setOnlyReadsMemory();
    }
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    variable.removeDeadConstantUsers();
    if (!variables.contains(&variable) && variable.use_empty())
      variable.eraseFromParent();
  }
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  return Error::success();
}

/// "4 fma, 2 add.int, 5 registers": operations of the function's width, or of integers of 32 bits,
/// and what they need beside their arguments and results.
SmallVector<CodeOperation, 8> operationsOfLibrary(StringRef name) {
  SmallVector<CodeOperation, 8> operations;
  const LibraryFunction *function = find(name), rounding = roundingFunction(name);
  if (!function && rounding.operations)
    function = &rounding;
  if (!function)
    return operations;
  SmallVector<StringRef, 8> parts;
  StringRef(function->operations).split(parts, ", ");
  for (StringRef part : parts) {
    auto [number, word] = part.split(' ');
    bool isInteger = word.consume_back(".int");
    unsigned count = 0;
    number.getAsInteger(10, count);
    if (word == "registers") {
      operations.back().work = count;
      continue;
    }
    CodeOperation operation = {};
    std::fill(std::begin(operation.results), std::end(operation.results), model::None);
    std::fill(std::begin(operation.sources), std::end(operation.sources), model::None);
    operation.access = operation.line = model::None;
    operation.elements = 1;
    operation.kind = isInteger ? ValueKind::Integer : ValueKind::Float;
    operation.bits = isInteger ? 32 : uint8_t(function->bits);
    operation.fromKind = ValueKind::Integer, operation.fromBits = 32;
    operation.operation = StringSwitch<Operation>(word)
                              .Case("fma", Operation::MultiplyAdd)
                              .Case("mul", Operation::Multiply)
                              .Case("add", Operation::Add)
                              .Case("compare", Operation::Compare)
                              .Case("select", Operation::Select)
                              .Case("logic", Operation::Logic)
                              .Case("shift", Operation::Shift)
                              .Case("move", Operation::Move)
                              .Case("minmax", Operation::MinMax)
                              .Case("convert", Operation::Convert)
                              .Case("divide", Operation::Divide)
                              .Case("exp2", Operation::Exponential)
                              .Case("log2", Operation::Logarithm)
                              .Case("sine", Operation::Sine)
                              .Case("rcp", Operation::Reciprocal)
                              .Case("sqrt", Operation::SquareRoot)
                              .Case("rsqrt", Operation::ReciprocalRoot)
                              .Case("branch", Operation::Branch)
                              .Case("texture", Operation::Texture)
                              .Default(Operation::Other);
    bool isSpecial = is_contained({Operation::Exponential, Operation::Logarithm, Operation::Sine,
                                   Operation::Reciprocal, Operation::ReciprocalRoot},
                                  operation.operation);
    if (isSpecial)
      operation.flags |= model::IsApproximate;
    if (operation.operation == Operation::Texture)
      operation.space = model::Space::Texture;
    operations.append(count, operation);
  }
  return operations;
}

} // namespace heddle::jit
