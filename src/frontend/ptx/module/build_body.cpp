// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a function. Parameters and results are memory of the function, which `ld.param` and
// `st.param` access like any other, or registers; what the optimizer then makes of them is values:
//
//     .func (.param .b32 r) f(.param .b64 a)     define i32 @f(i64 %0)
//     ld.param.u64 %rd1, [a];              ->    %a = alloca [8 x i8]; store i64 %0, ptr %a
#include "frontend/ptx/module/build_module.h"
#include "frontend/ptx/reader.h"
#include "frontend/ptx/variables.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// The parameters and results of the function that is built, as names.
class Frame {
public:
  Frame(Function &function, const ModuleFunction &declared, Registers &registers,
        IRBuilder<> &builder)
      : function_(function), declared_(declared), registers_(registers), b_(builder) {}

  Error declareAll() {
    const unsigned first = givesInMemory(declared_.signature);
    for (auto [i, param] : enumerate(declared_.signature.params))
      if (Error error = declareParameter(param, *function_.getArg(unsigned(i) + first)))
        return error;
    for (const Variable &result : declared_.signature.results)
      if (Error error = declareOne(result))
        return error;
    return Error::success();
  }

  /// What `ret` gives; null: nothing, or memory.
  Value *result(IRBuilder<> &b) const {
    Value *whole = nullptr;
    const auto &results = declared_.signature.results;
    if (givesInMemory(declared_.signature)) {
      writeResults(b);
      return nullptr;
    }
    Type *type = function_.getReturnType();
    for (auto [i, variable] : enumerate(results)) {
      const Register *found = registers_.find(variable.name);
      Type *of = results.size() == 1 ? type : type->getStructElementType(unsigned(i));
      Value *value = b.CreateLoad(of, found->slot ? found->slot : found->value);
      if (results.size() == 1)
        return value;
      whole = b.CreateInsertValue(whole ? whole : PoisonValue::get(type), value, unsigned(i));
    }
    return whole;
  }

private:
  void writeResults(IRBuilder<> &b) const {
    const auto &results = declared_.signature.results;
    for (auto [variable, offset] : zip_equal(results, resultOffsets(declared_.signature))) {
      const Register &found = *registers_.find(variable.name);
      b.CreateMemCpy(b.CreateConstGEP1_64(b.getInt8Ty(), function_.getArg(0), offset), Align(1),
                     found.slot ? found.slot : found.value, Align(1), variable.bytes());
    }
  }

  Error declareOne(const Variable &variable) {
    if (variable.vector > 1)
      return failAt(variable.name.data(), "'" + variable.name + "' cannot be a vector");
    return declareVariable(variable, registers_, b_);
  }

  Error declareParameter(const Variable &param, Argument &argument) {
    if (argument.hasByValAttr()) {
      if (!registers_.declare(param.name, {nullptr, &argument, 64, "param", nullptr}))
        return failAt(param.name.data(), "Duplicate definition of variable '" + param.name + "'");
      return Error::success();
    }
    if (Error error = declareOne(param))
      return error;
    const Register *found = registers_.find(param.name);
    b_.CreateStore(&argument, found->slot ? found->slot : found->value);
    return Error::success();
  }

  Function &function_;
  const ModuleFunction &declared_;
  Registers &registers_;
  IRBuilder<> &b_;
};

} // namespace

void ModuleBuilder::buildBody(const ModuleFunction &declared) {
  auto &function = *cast<Function>(find(declared.name)->value);
  if (callNative(declared, function))
    return;
  Expected<std::vector<Statement>> statements = parse(declared.body);
  if (!statements)
    return problems_.note(statements.takeError(), declared.body.end());
  lines_.enter(function, declared, *statements);
  IRBuilder<> builder(BasicBlock::Create(module_.getContext(), "entry", &function));
  Registers registers(function);
  registers.setOuter([&](StringRef name) { return find(name); });
  Frame frame(function, declared, registers, builder);
  if (Error error = frame.declareAll())
    return problems_.note(std::move(error), declared.name.data());
  Surroundings surroundings;
  if (!declared.signature.results.empty() && !declared.isEntry)
    surroundings.result = [&](IRBuilder<> &b) { return frame.result(b); };
  surroundings.enter = [&](const Statement &statement) {
    builder.SetCurrentDebugLocation(lines_.at(statement));
  };
  surroundings.note = [&](const Statement &statement, Error error) {
    problems_.note(std::move(error), statement.at);
  };
  surroundings.dialect = {text_.version < 14, text_.sm, text_.target, text_.version};
  registers.open(); // whose names may hide parameters
  Error error = emitStatements(*statements, registers, builder, &surroundings);
  Value *given = surroundings.result ? frame.result(builder) : nullptr;
  given ? builder.CreateRet(given) : builder.CreateRetVoid();
  if (error)
    return problems_.note(std::move(error), declared.body.end());
  if (problems_.any())
    return;
  registers.promote();
  findIndirectCalls(function);
}

} // namespace heddle::frontend::ptx
