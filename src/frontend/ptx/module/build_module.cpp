// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and variables of a PTX module. Kernels get pointers for parameters of 64 bits; those that
// are none become numbers again when the code is known (tidy_module.h).
#include "frontend/ptx/module/build_module.h"

#include "frontend/annotations.h"
#include "frontend/call_types.h"
#include "frontend/functions.h"
#include "frontend/ptx/variables.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InstIterator.h"

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

/// What depends on the machine (devlib/native.h, devlib/gpu/machine.cpp), of which PTX that Heddle has
/// written holds bodies for GPUs: f a float, b a bool. A question mark: it is no pure function.
StringRef nativeTypes(StringRef name) {
  static const StringMap<StringRef> types = {{"__heddle_scale", "ffff"},
                                             {"__heddle_has_exponents", "b"},
                                             {"__heddle_exponent", "ff"},
                                             {"__heddle_mantissa", "ff"},
                                             {"__heddle_has_estimates", "b"},
                                             {"__heddle_rsqrt_estimate", "ff"},
                                             {"__heddle_reciprocal_estimate", "ff"},
                                             {"__heddle_dot", "iii"},
                                             {"__heddle_dot_unsigned", "iii"},
                                             {"__heddle_int_of", "if"},
                                             {"__heddle_is_parameter", "?bp"},
                                             {"__heddle_shared_memory", "?p"},
                                             {"__heddle_shared_offset", "?lp"},
                                             {"__heddle_grid_sync", "?v"},
                                             {"__heddle_is_cooperative", "?b"},
                                             {"__heddle_block_arrive", "?v"},
                                             {"__heddle_block_wait", "?v"},
                                             {"__heddle_cas128", "?vpppp"},
                                             {"__heddle_load_pair", "?vpp"},
                                             {"__heddle_store_pair", "?vpll"},
                                             {"__heddle_mbarrier_change", "?lpiil"},
                                             {"__heddle_mbarrier_note", "?vpil"},
                                             {"__heddle_async_note", "?vpil"},
                                             {"__heddle_device_call", "?iip"},
                                             {"__heddle_tensor_copy", "?ip"}};
  return types.lookup(name);
}

/// How PTX has a value of such a type.
Type *registerType(char type, LLVMContext &context) {
  return type == 'v'                  ? Type::getVoidTy(context)
         : type == 'l' || type == 'p' ? Type::getInt64Ty(context)
                                      : Type::getInt32Ty(context);
}

Type *libraryType(char type, LLVMContext &context) {
  switch (type) {
  case 'p':
    return PointerType::get(context, 0);
  case 'v':
    return Type::getVoidTy(context);
  case 'l':
    return Type::getInt64Ty(context);
  case 'f':
    return Type::getFloatTy(context);
  case 'b':
    return Type::getInt1Ty(context);
  default:
    return Type::getInt32Ty(context);
  }
}

FunctionType *libraryType(StringRef types, LLVMContext &context) {
  SmallVector<Type *, 6> all;
  for (char type : types)
    all.push_back(libraryType(type, context));
  return FunctionType::get(all[0], ArrayRef(all).drop_front(), false);
}

/// The device runtime's function of a declared name: nvcc 12 and later call cudaMalloc
/// __cudaCDP2Malloc.
std::string runtimeName(const ModuleFunction &declared) {
  StringRef name = declared.name;
  const bool isNew = !declared.hasBody && name.consume_front("__cudaCDP2");
  return ((isNew ? "cuda" : "") + name).str();
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
    : module_(module), text_(text), problems_(problems), lines_(module, text, whole) {
  // A definition goes before declarations.
  for (const ModuleFunction &function : text.functions)
    if (Declared &known = declared_[function.name]; !known.function || function.hasBody)
      known.function = &function;
  for (const ModuleVariable &variable : text.variables)
    if (Declared &known = declared_[variable.variable.name];
        !known.variable || variable.linkage != Linkage::Extern)
      known.variable = &variable;
  for (auto [name, target] : text.aliases)
    declared_[name].aliased = target;
}

void ModuleBuilder::buildAll() {
  makeAliases();
  for (const ModuleFunction &function : text_.functions)
    if (function.hasBody)
      find(function.name);
  makeVariables();
  buildPending();
}

void ModuleBuilder::buildIndex() { makeVariables(); }

void ModuleBuilder::buildKernel(StringRef name) {
  find(name);
  do
    buildPending();
  while (nameTargets());
}

void ModuleBuilder::buildPending() {
  while (!pending_.empty() && !problems_.isFatal()) {
    std::vector<const ModuleFunction *> bodies;
    bodies.swap(pending_);
    for (const ModuleFunction *function : bodies)
      if (!problems_.isFatal())
        buildBody(*function);
  }
}

void ModuleBuilder::findIndirectCalls(const Function &function) {
  for (const Instruction &instruction : instructions(function))
    if (const auto *call = dyn_cast<CallBase>(&instruction); call && call->isIndirectCall())
      indirect_.insert(call->getFunctionType());
}

/// Calls the device library's function of the name, if it is one of the machine's.
bool ModuleBuilder::callNative(const ModuleFunction &declared, Function &function) {
  LLVMContext &context = module_.getContext();
  StringRef types = nativeTypes(declared.name);
  const bool isPure = !types.consume_front("?");
  if (types.empty() || !function.hasLocalLinkage() || function.arg_size() + 1 != types.size() ||
      function.getReturnType() != registerType(types[0], context) ||
      !all_of(function.args(), [&](Argument &one) {
        return one.getType() == registerType(types[one.getArgNo() + 1], context);
      }))
    return false;
  FunctionCallee native = module_.getOrInsertFunction(declared.name, libraryType(types, context));
  if (auto *callee = cast<Function>(native.getCallee()); isPure) {
    callee->setDoesNotAccessMemory();
    callee->addFnAttr(Attribute::WillReturn);
    callee->setDoesNotThrow();
  }
  IRBuilder<> builder(BasicBlock::Create(context, "entry", &function));
  SmallVector<Value *, 4> arguments;
  for (Argument &argument : function.args())
    arguments.push_back(builder.CreateBitOrPointerCast(
        &argument, native.getFunctionType()->getParamType(argument.getArgNo())));
  CallInst *call = builder.CreateCall(native, arguments);
  if (!isPure)
    call->setConvergent();
  if (types[0] == 'v')
    builder.CreateRetVoid();
  else if (types[0] == 'b')
    builder.CreateRet(builder.CreateZExt(call, builder.getInt32Ty()));
  else
    builder.CreateRet(builder.CreateBitOrPointerCast(call, function.getReturnType()));
  return true;
}

bool ModuleBuilder::nameTargets() {
  for (const ModuleFunction &function : text_.functions)
    if (function.hasBody && !function.isEntry && !names_.contains(function.name) &&
        indirect_.contains(functionType(function.signature, module_.getContext())))
      find(function.name);
  return !pending_.empty() && !problems_.isFatal();
}

void ModuleBuilder::numberFunctions() {
  LLVMContext &context = module_.getContext();
  NamedMDNode *list = module_.getOrInsertNamedMetadata(FunctionsMetadata);
  MDNode *none = MDNode::get(context, {nullptr});
  Type *i64 = Type::getInt64Ty(context);
  uint64_t number = 0;
  for (const ModuleFunction &function : text_.functions) {
    if (!function.hasBody)
      continue;
    const uint64_t place = number++;
    auto known = names_.find(function.name);
    list->addOperand(
        known == names_.end()
            ? none
            : MDNode::get(context, {ValueAsMetadata::get(known->second.value),
                                    ConstantAsMetadata::get(ConstantInt::get(i64, place))}));
  }
}

const Register *ModuleBuilder::find(StringRef name) {
  if (auto found = names_.find(name); found != names_.end())
    return &found->second;
  auto declared = declared_.find(name);
  if (declared == declared_.end())
    return nullptr;
  const Declared what = declared->second;
  if (!what.aliased.empty()) {
    declared->second.aliased = ""; // it may be its own
    const Register *meant = find(what.aliased);
    return meant ? &(names_[name] = *meant) : nullptr;
  }
  if (what.function) {
    Function *function = makeFunction(*what.function);
    if (what.function->hasBody)
      pending_.push_back(what.function);
    return &(names_[name] = {nullptr, function, 64, "function",
                             std::make_shared<Signature>(what.function->signature)});
  }
  GlobalVariable *variable = what.variable ? makeVariable(*what.variable) : nullptr;
  if (!variable)
    return nullptr;
  const Variable &found = what.variable->variable;
  StringRef space = found.opaque.empty() ? found.space : found.opaque;
  return &(names_[name] = {nullptr, variable, 64, space, nullptr, found.sampler});
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
  if (declared.isExplicitCluster)
    function.addFnAttr("heddle.explicitcluster");
  if (declared.countsClusters)
    function.addFnAttr("nvvm.blocksareclusters");
}

Function *ModuleBuilder::makeFunction(const ModuleFunction &declared) {
  LLVMContext &context = module_.getContext();
  StringRef library = declared.hasBody ? "" : libraryTypes(declared.name);
  FunctionType *type = declared.isEntry   ? kernelType(declared.signature, context)
                       : !library.empty() ? libraryType(library, context)
                                          : functionType(declared.signature, context);
  // The device library's own functions stay apart from those that the module defines.
  const bool isOwn = declared.hasBody && linkageOf(declared) == GlobalValue::InternalLinkage;
  const std::string name = (isOwn ? "ptx." : "") + runtimeName(declared);
  if (Function *known = declared.hasBody ? nullptr : module_.getFunction(name);
      known && (known->getFunctionType() == type || known->getName().starts_with("__heddle_")))
    return known; // by the other name of the runtime's, or one that the reader calls, too
  auto *function = Function::Create(type, linkageOf(declared), name, module_);
  if (library.empty())
    function->setAttributes(attributesOf(declared.signature, context));
  function->addFnAttr(PtxFunction);
  function->setConvergent();
  function->setDoesNotThrow();
  if (declared.signature.isNoReturn)
    function->setDoesNotReturn();
  if (declared.isEntry)
    function->setCallingConv(CallingConv::PTX_Kernel);
  setBounds(*function, declared);
  return function;
}

void ModuleBuilder::makeAliases() {
  for (auto [name, target] : text_.aliases) {
    const Register *found = find(name);
    if (found && found->space == "function")
      GlobalAlias::create(name, cast<Function>(found->value));
    else
      problems_.error(target.data(), "Unknown symbol '" + target + "'");
  }
}

/// Initial values may name variables further down: all are there before values are read.
void ModuleBuilder::makeVariables() {
  std::vector<GlobalVariable *> managed;
  std::vector<std::pair<const Variable *, GlobalVariable *>> made;
  for (const ModuleVariable &declared : text_.variables) {
    const Variable &variable = declared.variable;
    const Register *found = declared.linkage == Linkage::Extern ? nullptr : find(variable.name);
    auto *global = found ? dyn_cast<GlobalVariable>(found->value) : nullptr;
    if (!global)
      continue;
    made.push_back({&variable, global});
    if (variable.isManaged)
      managed.push_back(global);
  }
  for (auto [variable, global] : made)
    if (Error error =
            setInitialValue(*global, *variable, [&](StringRef name) { return find(name); }))
      problems_.note(std::move(error), variable->name.data());
  markManaged(managed);
}

/// Null: it is wrong.
GlobalVariable *ModuleBuilder::makeVariable(const ModuleVariable &declared) {
  const Variable &variable = declared.variable;
  if (variable.space == "local" || variable.space == "param" || variable.space == "reg") {
    problems_.error(variable.name.data(), "Module-scoped variables in ." + variable.space +
                                              " state space are not allowed with ABI");
    return nullptr;
  }
  auto global = makeGlobal(module_, variable, variable.name, declared.linkage == Linkage::Extern);
  if (!global) {
    problems_.note(global.takeError(), variable.name.data());
    return nullptr;
  }
  if (declared.linkage != Linkage::Internal && !(*global)->isDeclaration() &&
      variable.space != "shared")
    (*global)->setLinkage(declared.linkage == Linkage::Visible ? GlobalValue::ExternalLinkage
                                                               : GlobalValue::WeakAnyLinkage);
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
