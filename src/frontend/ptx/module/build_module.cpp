// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and variables of a PTX module. Kernels get pointers for parameters of 64 bits; those that
// are none become numbers again when the code is known (tidy_module.h).
#include "frontend/ptx/module/build_module.h"

#include "frontend/annotations.h"
#include "frontend/ptx/variables.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// Functions of the device library that PTX calls, with their types: p a pointer, i 32 bits, l 64 bits,
/// v nothing; the result first.
StringRef libraryTypes(StringRef name) {
  static const StringMap<StringRef> types = {
      {"vprintf", "ipp"}, {"malloc", "pl"}, {"free", "vp"}, {"__assertfail", "vppipl"}};
  return types.lookup(name);
}

FunctionType *libraryType(StringRef types, LLVMContext &context) {
  SmallVector<Type *, 6> all;
  for (char c : types)
    all.push_back(c == 'p'   ? (Type *)PointerType::get(context, 0)
                  : c == 'v' ? Type::getVoidTy(context)
                  : c == 'l' ? Type::getInt64Ty(context)
                             : Type::getInt32Ty(context));
  return FunctionType::get(all[0], ArrayRef(all).drop_front(), false);
}

/// Pointers for parameters that may be some.
FunctionType *kernelType(const Signature &signature, LLVMContext &context) {
  SmallVector<Type *, 8> params;
  for (const Variable &param : signature.params)
    params.push_back(isInMemory(param) || (param.type.bits() == 64 && !param.type.isFloat())
                         ? PointerType::get(context, 0)
                         : valueType(param, context));
  return FunctionType::get(Type::getVoidTy(context), params, false);
}

std::string numbersOf(ArrayRef<uint64_t> numbers) {
  return join(map_range(numbers, [](uint64_t n) { return utostr(n); }), ",");
}

} // namespace

ModuleBuilder::ModuleBuilder(Module &module, const ModuleText &text, StringRef whole,
                             Problems &problems)
    : module_(module), text_(text), problems_(problems), lines_(module, text, whole) {}

void ModuleBuilder::run() {
  makeFunctions();
  makeAliases();
  makeVariables();
  for (const ModuleFunction &function : text_.functions)
    if (function.hasBody && !problems_.isFatal())
      buildBody(function);
}

const Register *ModuleBuilder::find(StringRef name) const {
  auto found = names_.find(name);
  return found == names_.end() ? nullptr : &found->second;
}

GlobalValue::LinkageTypes ModuleBuilder::linkageOf(const ModuleFunction &function) const {
  if (function.isEntry || function.linkage == Linkage::Visible || !function.hasBody)
    return GlobalValue::ExternalLinkage;
  return function.linkage == Linkage::Weak ? GlobalValue::WeakAnyLinkage
                                           : GlobalValue::InternalLinkage;
}

void ModuleBuilder::setBounds(Function &function, const ModuleFunction &declared) const {
  auto set = [&](StringRef name, ArrayRef<uint64_t> numbers) {
    if (!numbers.empty() && numbers[0])
      function.addFnAttr(name, numbersOf(numbers));
  };
  set("nvvm.maxntid", declared.maxThreads);
  set("nvvm.reqntid", declared.exactThreads);
  set("nvvm.cluster_dim", declared.cluster);
  set("nvvm.minctasm", {declared.minBlocks});
  set("nvvm.maxnreg", {declared.maxRegisters});
  set("nvvm.maxclusterrank", {declared.maxClusterRank});
}

Function *ModuleBuilder::makeFunction(const ModuleFunction &declared) {
  LLVMContext &context = module_.getContext();
  StringRef library = declared.hasBody ? "" : libraryTypes(declared.name);
  FunctionType *type = declared.isEntry   ? kernelType(declared.signature, context)
                       : !library.empty() ? libraryType(library, context)
                                          : functionType(declared.signature, context);
  // The device library's own functions stay apart from those that the module defines.
  const bool isOwn = declared.hasBody && linkageOf(declared) == GlobalValue::InternalLinkage;
  auto *function =
      Function::Create(type, linkageOf(declared), (isOwn ? "ptx." : "") + declared.name, module_);
  if (library.empty())
    function->setAttributes(attributesOf(declared.signature, context));
  function->setConvergent();
  function->setDoesNotThrow();
  if (declared.signature.isNoReturn)
    function->setDoesNotReturn();
  if (declared.isEntry)
    function->setCallingConv(CallingConv::PTX_Kernel);
  setBounds(*function, declared);
  return function;
}

/// A definition first, for declarations may come before it.
void ModuleBuilder::makeFunctions() {
  for (bool withBody : {true, false})
    for (const ModuleFunction &declared : text_.functions)
      if (declared.hasBody == withBody && !names_.contains(declared.name))
        names_[declared.name] = {nullptr, makeFunction(declared), 64, "function",
                                 std::make_shared<Signature>(declared.signature)};
}

void ModuleBuilder::makeAliases() {
  for (auto [name, target] : text_.aliases) {
    const Register *found = find(target);
    if (!found || found->space != "function") {
      problems_.error(target.data(), "Unknown symbol '" + target + "'");
      continue;
    }
    Register meant = *found;
    auto *function = cast<Function>(meant.value);
    if (auto *declared = names_.contains(name) ? cast<Function>(names_[name].value) : nullptr) {
      declared->replaceAllUsesWith(function);
      declared->eraseFromParent();
    }
    GlobalAlias::create(name, function);
    names_[name] = meant;
  }
}

/// Initial values may name variables further down: all are there before values are read.
void ModuleBuilder::makeVariables() {
  std::vector<GlobalVariable *> managed;
  std::vector<std::pair<const Variable *, GlobalVariable *>> made;
  for (const ModuleVariable &declared : text_.variables) {
    GlobalVariable *global = makeVariable(declared);
    if (!global)
      continue;
    made.push_back({&declared.variable, global});
    if (declared.variable.isManaged)
      managed.push_back(global);
  }
  for (auto [variable, global] : made)
    if (Error error =
            setInitialValue(*global, *variable, [&](StringRef name) { return find(name); }))
      problems_.note(std::move(error), variable->name.data());
  markManaged(managed);
}

/// Null: it is declared elsewhere in the module, or wrong.
GlobalVariable *ModuleBuilder::makeVariable(const ModuleVariable &declared) {
  const Variable &variable = declared.variable;
  const bool isExtern = declared.linkage == Linkage::Extern;
  if (variable.space == "local" || variable.space == "param" || variable.space == "reg") {
    problems_.error(variable.name.data(), "Module-scoped variables in ." + variable.space +
                                              " state space are not allowed with ABI");
    return nullptr;
  }
  if (const Register *known = find(variable.name)) {
    auto *global = dyn_cast<GlobalVariable>(known->value);
    if (isExtern || !global || !global->isDeclaration()) // a definition goes before declarations
      return nullptr;
  }
  auto global = makeGlobal(module_, variable, variable.name, isExtern);
  if (!global) {
    problems_.note(global.takeError(), variable.name.data());
    return nullptr;
  }
  if (declared.linkage != Linkage::Internal && !(*global)->isDeclaration() &&
      variable.space != "shared")
    (*global)->setLinkage(declared.linkage == Linkage::Visible ? GlobalValue::ExternalLinkage
                                                               : GlobalValue::WeakAnyLinkage);
  Register &known = names_[variable.name];
  if (known.value) {
    (*global)->takeName(known.value);
    cast<GlobalVariable>(known.value)->eraseFromParent();
  }
  known = {nullptr, *global, 64, variable.space, nullptr};
  return *global;
}

/// As our headers do (annotations.h).
void ModuleBuilder::markManaged(ArrayRef<GlobalVariable *> variables) {
  if (variables.empty())
    return;
  LLVMContext &context = module_.getContext();
  Type *pointer = PointerType::get(context, 0);
  Constant *text = ConstantDataArray::getString(context, "heddle_managed");
  auto *word = new GlobalVariable(module_, text->getType(), true, GlobalValue::PrivateLinkage, text,
                                  ".str.managed");
  word->setSection("llvm.metadata");
  SmallVector<Constant *, 4> rows;
  for (GlobalVariable *variable : variables)
    rows.push_back(ConstantStruct::getAnon({ConstantExpr::getAddrSpaceCast(variable, pointer), word,
                                            word, ConstantInt::get(Type::getInt32Ty(context), 0),
                                            ConstantPointerNull::get(cast<PointerType>(pointer))}));
  auto *type = ArrayType::get(rows[0]->getType(), rows.size());
  auto *list = new GlobalVariable(module_, type, false, GlobalValue::AppendingLinkage,
                                  ConstantArray::get(type, rows), "llvm.global.annotations");
  list->setSection("llvm.metadata");
}

} // namespace heddle::frontend::ptx
