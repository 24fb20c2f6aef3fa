// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/load/library.h"

#include "base/abi/device_runtime_names.h"
#include "base/coverage.h"
#include "frontend/annotations.h"
#include "frontend/error.h"
#include "frontend/layout.h"
#include "jit/load/fast_functions.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Linker/Linker.h"

#include <functional>
#include <set>

/// The bytes of devlib.bc, devlib_scalar.bc and devlib_gpu.bc, put into the library by library_data.S.
extern "C" const char heddleDevlibBegin[], heddleDevlibEnd[];
extern "C" const char heddleDevlibScalarBegin[], heddleDevlibScalarEnd[];
extern "C" const char heddleDevlibGpuBegin[], heddleDevlibGpuEnd[];

namespace heddle::jit {

using namespace llvm;

namespace {

bool isMissing(const Function &function) {
  return function.isDeclaration() && !function.isIntrinsic() && !function.use_empty();
}

bool needsLibrary(const Module &module) { return any_of(module, isMissing); }

std::set<std::string> missingOf(const Module &module) {
  std::set<std::string> names;
  for (const Function &function : make_filter_range(module, isMissing))
    names.insert(function.getName().str());
  return names;
}

/// Those that the program calls itself.
void logCalls(const Module &module) {
  for (const Function &function : make_filter_range(module, isMissing))
    logCovered(("function " + function.getName()).str());
}

void makeFunctionsInternal(Module &module, const SmallVectorImpl<std::string> &before) {
  for (Function &function : module)
    if (!function.isDeclaration() && !is_contained(before, function.getName())) {
      function.setLinkage(GlobalValue::InternalLinkage);
      function.setComdat(nullptr);
    }
}

/// `value` as `type`, which has the same elements under other names, or is the pointer of which PTX
/// has the number; null if it is neither.
Value *respell(IRBuilder<> &builder, Value *value, Type *type) {
  if (value->getType() == type)
    return value;
  if (value->getType()->isIntegerTy(64) && type->isPointerTy())
    return builder.CreateIntToPtr(value, type);
  if (value->getType()->isPointerTy() && type->isIntegerTy(64))
    return builder.CreatePtrToInt(value, type);
  auto *from = dyn_cast<StructType>(value->getType());
  auto *to = dyn_cast<StructType>(type);
  if (!from || !to || from->getNumElements() != to->getNumElements())
    return nullptr;
  Value *result = PoisonValue::get(type);
  for (unsigned i = 0; i < to->getNumElements(); ++i) {
    Value *element = respell(builder, builder.CreateExtractValue(value, i), to->getElementType(i));
    if (!element)
      return nullptr;
    result = builder.CreateInsertValue(result, element, i);
  }
  return result;
}

Error otherTypes(const Function &function) {
  return frontend::fail("'" + function.getName() +
                        "' of the device library is declared with other types in the program");
}

/// A struct in memory, for a function that takes it there: NVVM IR passes it as a value.
Value *spill(CallInst &call, Value *value, const Function &function, unsigned i) {
  IRBuilder<> entry(&*call.getFunction()->getEntryBlock().getFirstInsertionPt());
  AllocaInst *place = entry.CreateAlloca(value->getType());
  place->setAlignment(function.getParamAlign(i).value_or(place->getAlign()));
  new StoreInst(value, place, call.getIterator());
  return place;
}

/// The linker knows structs by their elements: where the module has two of four integers, the
/// library's may become the one that the module's calls do not have. What follows looks for calls
/// of a function's own type:
///
///   call %struct.__heddle_words @__heddle_texture(...)    of a function that returns %struct.uint4
///   ->
///   %r = call %struct.uint4 @__heddle_texture(...), and a %struct.__heddle_words of its elements
Error matchCalls(Function &function) {
  for (User *user : make_early_inc_range(function.users())) {
    auto *call = dyn_cast<CallInst>(user);
    if (!call || call->getCalledOperand() != &function ||
        call->getFunctionType() == function.getFunctionType())
      continue;
    IRBuilder<> before(call);
    SmallVector<Value *> arguments;
    if (call->arg_size() != function.arg_size())
      return otherTypes(function);
    for (auto [i, argument] : enumerate(call->args())) {
      const bool isInMemory =
          argument->getType()->isStructTy() && function.hasParamAttribute(i, Attribute::ByVal);
      arguments.push_back(isInMemory ? spill(*call, argument, function, i)
                                     : respell(before, argument, function.getArg(i)->getType()));
      if (!arguments.back())
        return otherTypes(function);
    }
    auto *matched = CallInst::Create(&function, arguments, "", call->getIterator());
    matched->setAttributes(call->getAttributes());
    for (unsigned i = 0; i < function.arg_size(); ++i)
      if (function.hasParamAttribute(i, Attribute::ByVal))
        matched->addParamAttr(i, function.getParamAttribute(i, Attribute::ByVal));
    matched->setTailCallKind(call->getTailCallKind());
    matched->setDebugLoc(call->getDebugLoc());
    IRBuilder<> builder(call);
    if (!call->use_empty()) {
      Value *result = respell(builder, matched, call->getType());
      if (!result)
        return otherTypes(function);
      call->replaceAllUsesWith(result);
    }
    call->eraseFromParent(); // Numba has results of what returns nothing
  }
  return Error::success();
}

/// A constant table moves to address space 0, where the host's data lies.
Error adoptTable(GlobalVariable &table) {
  if (!table.isConstant() || !table.hasInitializer())
    return frontend::fail("internal error: device library variable '" + table.getName() +
                          "' is not constant");
  table.setLinkage(GlobalValue::PrivateLinkage);
  table.setExternallyInitialized(false);
  table.setComdat(nullptr);
  if (table.getAddressSpace() == 0)
    return Error::success();
  auto *moved = new GlobalVariable(*table.getParent(), table.getValueType(), true,
                                   GlobalValue::PrivateLinkage, table.getInitializer(), "", &table);
  moved->setAlignment(table.getAlign());
  moved->takeName(&table);
  table.replaceAllUsesWith(ConstantExpr::getAddrSpaceCast(moved, table.getType()));
  table.eraseFromParent();
  return Error::success();
}

using Filter = function_ref<bool(StringRef)>;

/// Makes definitions of `module`'s declarations from a bitcode of the library's, of those functions that
/// `takes` names.
Error linkDefinitions(
    Module &module, StringRef bitcode, Filter takes = [](StringRef) { return true; }) {
  if (!needsLibrary(module) || bitcode.empty())
    return Error::success();
  SmallVector<std::string> before;
  for (const Function &function : module)
    if (!function.isDeclaration())
      before.push_back(function.getName().str());
  SmallPtrSet<const GlobalVariable *, 16> variables; // of the program, where there are any yet
  for (const GlobalVariable &variable : module.globals())
    variables.insert(&variable);
  Expected<std::unique_ptr<Module>> library =
      getLazyBitcodeModule(MemoryBufferRef(bitcode, "device library"), module.getContext());
  if (!library)
    return library.takeError();
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  for (Function &function : **library)
    if (function.isMaterializable() && !takes(function.getName())) {
      function.setIsMaterializable(false);
      function.deleteBody();
    }
  if (Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded))
    return frontend::fail("internal error: cannot link the device library");
  makeFunctionsInternal(module, before);
  for (Function &function : module)
    if (!is_contained(before, function.getName()))
      if (Error error = matchCalls(function))
        return error;
  frontend::eraseBookkeeping(module);
  for (GlobalVariable &variable : make_early_inc_range(module.globals()))
    if (variable.getAddressSpace() != frontend::SharedSpace && !frontend::isBookkeeping(variable) &&
        !variables.contains(&variable))
      if (Error error = adoptTable(variable))
        return error;
  return Error::success();
}

StringRef scalarBitcode() {
  return {heddleDevlibScalarBegin,
          static_cast<size_t>(heddleDevlibScalarEnd - heddleDevlibScalarBegin)};
}

StringRef gpuBitcode() {
  return {heddleDevlibGpuBegin, static_cast<size_t>(heddleDevlibGpuEnd - heddleDevlibGpuBegin)};
}

} // namespace

StringRef libraryBitcode() {
  return {heddleDevlibBegin, static_cast<size_t>(heddleDevlibEnd - heddleDevlibBegin)};
}

Function *declarePure(Module &module, StringRef name, Type *type, unsigned arity) {
  SmallVector<Type *, 2> arguments(arity, type);
  auto *function = cast<Function>(
      module.getOrInsertFunction(name, FunctionType::get(type, arguments, false)).getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setDoesNotAccessMemory();
  return function;
}

Error linkLibrary(Module &module, bool fast) {
  if (fast)
    chooseFastFunctions(module);
  if (logsCoverage())
    logCalls(module);
  return linkDefinitions(module, libraryBitcode());
}

// The scalar part calls the library, which calls other functions of the scalar part. What depends on
// the machine is a GPU's. The device runtime is libcudadevrt.a's, as for nvcc's PTX.
Error linkWholeLibrary(Module &module, Filter isInstruction) {
  if (Error error = linkDefinitions(module, gpuBitcode(), isInstruction))
    return error;
  if (logsCoverage())
    logCalls(module);
  for (StringRef bitcode :
       {libraryBitcode(), scalarBitcode(), libraryBitcode(), scalarBitcode(), gpuBitcode()})
    if (Error error = linkDefinitions(module, bitcode, std::not_fn(isDeviceRuntime)))
      return error;
  return Error::success();
}

// What the GPU has instructions for comes first, for the functions of the CPU's library, too.
Error linkGpuLibrary(Module &module, bool fast) {
  if (fast)
    chooseFastFunctions(module);
  std::set<std::string> before, missing = missingOf(module);
  while (missing != before) {
    for (StringRef bitcode : {gpuBitcode(), libraryBitcode(), gpuBitcode(), scalarBitcode()})
      if (Error error = linkDefinitions(module, bitcode))
        return error;
    before = std::exchange(missing, missingOf(module));
  }
  for (const std::string &name : missing)
    if (StringRef(name).starts_with("__heddle_") || StringRef(name).starts_with("__nv_"))
      return frontend::fail("'" + name + "' is not supported on a GPU yet");
  return Error::success();
}

} // namespace heddle::jit
