// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/lower/lower_device.h"

#include "base/abi/kernel_abi.h"
#include "base/abi/tensor_map.h"
#include "base/image/module_image.h"
#include "frontend/variable_note.h"
#include "simt/analysis/analyses.h"
#include "simt/analysis/async_copies.h"
#include "simt/analysis/mbarriers.h"
#include "simt/analysis/pass_notes.h"
#include "simt/analysis/texel_access.h"
#include "simt/canonical/root_powers.h"
#include "simt/lower/address_queries.h"
#include "simt/lower/call_targets.h"
#include "simt/lower/debugged_threads.h"
#include "simt/lower/end_threads.h"
#include "simt/lower/find_misaligned.h"
#include "simt/lower/float_checks.h"
#include "simt/lower/limit_alignment.h"
#include "simt/lower/lower_allocas.h"
#include "simt/lower/lower_nvvm.h"
#include "simt/lower/merge_arms.h"
#include "simt/lower/native.h"
#include "simt/lower/special_registers.h"
#include "simt/lower/wrap_shared.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// Those of addresses that are not made of a pointer which the function was given.
void markLibraryAccesses(Function &function) {
  StringRef name = function.getName();
  if (!name.starts_with("__heddle_") && !name.starts_with("__nv_") &&
      name != "cudaDeviceSynchronize") // polls a counter of the runtime's
    return;
  bool isTexture = name.starts_with("__heddle_texture");
  for (Instruction &instruction : instructions(function)) {
    const Value *pointer = getLoadStorePointerOperand(&instruction);
    if (!pointer || isa<Argument, AllocaInst>(getUnderlyingObject(pointer, 0)))
      continue;
    bool isOfDescriptor = instruction.hasMetadata(LLVMContext::MD_invariant_load);
    bool isTexel = isTexture && isa<LoadInst>(instruction) && !isOfDescriptor;
    (isTexel ? TexelAccess : LibraryAccess).put(instruction);
  }
}

class Lowering {
public:
  Lowering(Module &module, Function &kernel, const Options &options, TargetMachine &machine)
      : module_(module), context_(module.getContext()), kernel_(&kernel), options_(options),
        machine_(machine) {}

  Expected<ThreadProgram> run() {
    retarget();
    for_each(module_, limitAlignment);
    program_.notesMbarriers =
        keepMbarrierNotes(module_, options_.checks & (CheckSync | CheckRaces));
    readFunctionTable();
    lowerAllocas(module_);
    chooseNative(module_, machine_);
    if (options_.isEnabled("root-powers"))
      powersOfRoots(module_, machine_);
    if (options_.mode == Mode::Debug)
      describeThreads(module_);
    if (isDebugged(options_))
      markStatements(module_);
    if (options_.mode == Mode::Checked)
      for_each(module_, markLibraryAccesses);
    if (options_.mode != Mode::Checked)
      mergeArms(module_, machine_, options_.isOptimised());
    if (!(options_.checks & (CheckRaces | CheckMemory)))
      removeNotes(module_, AsyncNoteName);
    lowerNarrowed(module_, options_.checks & CheckFloat);
    if (options_.checks & CheckFloat)
      noteFloats(module_);
    inlineAll();
    if (Error error = endThreads(module_, *kernel_))
      return std::move(error);
    if (Error error = layOutShared())
      return std::move(error);
    if (Error error = addContext())
      return std::move(error);
    for (Function &function : module_)
      if (!function.isDeclaration()) {
        replaceSpecialRegisters(function);
        if (Error error = lowerNvvm(function, options_,
                                    hasHalves(machine_) && options_.isEnabled("native-halves")))
          return std::move(error);
        if (options_.checks & CheckFloat)
          checkFloats(function);
        wrapSharedAddresses(function);
      }
    if (options_.compileOptions & OptionFlushDenormals)
      flush();
    program_.body = kernel_;
    if (options_.mode != Mode::Checked && options_.isEnabled("find-misaligned"))
      findMisaligned(program_, options_.threadwise || !options_.isOptimised());
    return std::move(program_);
  }

private:
  void retarget();
  void flush();
  void readFunctionTable();
  void inlineAll();
  void inlineOnce(ArrayRef<GlobalValue *> kept);
  Error layOutShared();
  Error addContext();
  Function *withContext(Function &);
  void bindParams(Function &old, Function &body, ValueToValueMapTy &);
  void replaceSpecialRegisters(Function &);
  void noteShared(GlobalVariable &, Value &address);

  Module &module_;
  LLVMContext &context_;
  Function *kernel_;
  const Options &options_;
  TargetMachine &machine_;
  ThreadProgram program_;
  DenseMap<GlobalVariable *, uint64_t> sharedOffsets_;
};

void Lowering::retarget() {
  module_.setTargetTriple(machine_.getTargetTriple());
  module_.setDataLayout(machine_.createDataLayout());
  for (Function &function : module_) {
    function.setCallingConv(CallingConv::C);
    for (const char *name : {"target-cpu", "target-features", "tune-cpu"})
      function.removeFnAttr(name);
    function.removeFnAttr(Attribute::NoInline);
    function.removeFnAttr(Attribute::OptimizeNone);
    if (!function.isDeclaration() && &function != kernel_)
      function.setLinkage(GlobalValue::InternalLinkage);
    function.setComdat(nullptr);
  }
  for (Function &function : module_)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        call->setCallingConv(CallingConv::C);
}

void Lowering::flush() {
  auto definitions =
      make_filter_range(module_, [](Function &function) { return !function.isDeclaration(); });
  program_.flushesByMode = none_of(definitions, computesInDouble);
  if (!program_.flushesByMode)
    for (Function &function : definitions)
      flushDenormals(function);
}

/// `!heddle.functions`: the functions whose address is taken, in the order of their numbers.
void Lowering::readFunctionTable() {
  NamedMDNode *list = module_.getNamedMetadata(FunctionsName);
  if (!list)
    return;
  for (MDNode *node : list->operands()) {
    auto *constant = dyn_cast_or_null<ValueAsMetadata>(
        node->getNumOperands() ? node->getOperand(0).get() : nullptr);
    auto *function = constant ? dyn_cast<Function>(constant->getValue()) : nullptr;
    program_.table.push_back(function == kernel_ ? nullptr : function); // launched, never called
  }
}

void Lowering::inlineAll() {
  const bool spellsOut = options_.isOptimised() && options_.isEnabled("spell-out-targets");
  if (spellsOut)
    spellOutTargets(module_, *kernel_, program_.table);
  // What calls itself, directly or in a circle, stays a function; so does what the device library
  // has for cases that are rare (`cold`), for it is long.
  SmallPtrSet<Function *, 8> staying;
  CallGraph graph(module_);
  for (auto scc = scc_begin(&graph); !scc.isAtEnd(); ++scc)
    if (scc.hasCycle())
      for (CallGraphNode *node : *scc)
        staying.insert(node->getFunction());
  for (Function &function : module_)
    if (function.hasFnAttribute(Attribute::Cold) && function.getName().starts_with("__heddle_"))
      staying.insert(&function);
  for (Function &function : module_)
    if (!function.isDeclaration() && &function != kernel_ && !staying.contains(&function))
      function.addFnAttr(Attribute::AlwaysInline);
    else
      function.removeFnAttr(Attribute::AlwaysInline);

  // Functions of the table are kept only if something here calls through a pointer.
  bool indirect = false;
  auto hasIndirectCall = [](Function &function) {
    return any_of(instructions(function), [](Instruction &instruction) {
      auto *call = dyn_cast<CallBase>(&instruction);
      return call && callsThroughPointer(*call);
    });
  };
  for (Function &function : module_)
    indirect |= !function.isDeclaration() && hasIndirectCall(function);
  SmallVector<GlobalValue *, 8> kept;
  if (indirect)
    for (Function *function : program_.table)
      if (function)
        kept.push_back(function);
  if (!indirect) {
    program_.table.clear();
    if (NamedMDNode *list = module_.getNamedMetadata(FunctionsName))
      list->eraseFromParent();
  }
  do
    inlineOnce(kept);
  while (bindKnownTargets(module_, program_.table));
  if (!spellsOut)
    return;
  if (inlineFirstLevel(*kernel_))
    inlineOnce(kept);
  Analyses analyses(machine_);
  passCopies(*kernel_, analyses.modules);
}

void Lowering::inlineOnce(ArrayRef<GlobalValue *> kept) {
  appendToCompilerUsed(module_, kept);
  Analyses analyses(machine_);
  ModulePassManager passes;
  passes.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
  passes.addPass(GlobalDCEPass());
  passes.run(module_, analyses.modules);
  if (GlobalVariable *used = module_.getGlobalVariable("llvm.compiler.used", true))
    used->eraseFromParent();
}

/// After so many bytes the pattern of the longest swizzle begins anew (PTX ISA, "Swizzling Modes").
constexpr unsigned SwizzleBytes = 1024;

/// Of an array that a warp reads and writes in vectors: a whole cache line, so that no vector lies
/// across two because of what was declared before it.
Align sharedAlign(const GlobalVariable &variable, uint64_t bytes) {
  constexpr uint64_t Line = 64;
  Align declared = std::max<Align>(variable.getAlign().valueOrOne(), Align(4));
  return bytes >= 2 * Line ? std::max(declared, Align(Line)) : declared;
}

/// Static shared variables get offsets; every `extern __shared__` array is the start of dynamic
/// shared memory.
Error Lowering::layOutShared() {
  const DataLayout &layout = module_.getDataLayout();
  uint64_t offset = 0;
  SmallVector<GlobalVariable *, 8> shared;
  for (GlobalVariable &variable : module_.globals())
    if (variable.getAddressSpace() == 3)
      shared.push_back(&variable);
  for (GlobalVariable *variable : shared) {
    if (variable->isDeclaration())
      continue;
    uint64_t bytes = layout.getTypeAllocSize(variable->getValueType());
    Align align = sharedAlign(*variable, bytes);
    offset = alignTo(offset, align);
    program_.sharedAlign = std::max<unsigned>(program_.sharedAlign, align.value());
    sharedOffsets_[variable] = offset;
    offset += bytes;
  }
  Align dynamicAlign(16);
  for (GlobalVariable *variable : shared)
    if (variable->isDeclaration() && !variable->use_empty())
      dynamicAlign = std::max<Align>(dynamicAlign, variable->getAlign().valueOrOne());
  program_.sharedAlign = std::max<unsigned>(program_.sharedAlign, dynamicAlign.value());
  if (const Function *copy = module_.getFunction(TensorCopyName); copy && !copy->use_empty())
    program_.sharedAlign = std::max(program_.sharedAlign, SwizzleBytes);
  offset = alignTo(offset, dynamicAlign);
  program_.staticShared = offset;
  for (GlobalVariable *variable : shared)
    if (variable->isDeclaration()) {
      sharedOffsets_[variable] = offset;
      program_.usesDynamicShared |= !variable->use_empty();
    }
  SmallVector<Constant *, 8> constants(shared.begin(), shared.end());
  convertUsersOfConstantsToInstructions(constants);
  return Error::success();
}

/// Gives every function the context parameters and passes them along at every call of a device
/// function. A call that has not the types of its function is none that can be given them.
Error Lowering::addContext() {
  SmallVector<Function *, 8> old;
  for (Function &function : module_)
    if (!function.isDeclaration())
      old.push_back(&function);
  DenseMap<Function *, Function *> map;
  for (Function *function : old)
    map[function] = withContext(*function);
  for (Function *function : old) {
    Function *now = map[function];
    SmallVector<CallInst *, 8> calls;
    for (Instruction &instruction : instructions(*now))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (callsThroughPointer(*call) ||
            (call->getCalledFunction() && map.contains(call->getCalledFunction())))
          calls.push_back(call);
    for (CallInst *call : calls) {
      SmallVector<Value *, 12> arguments;
      for (unsigned i = 0; i < ContextParams; ++i)
        arguments.push_back(now->getArg(i));
      append_range(arguments, call->args());
      SmallVector<Type *, 12> types;
      for (Value *argument : arguments)
        types.push_back(argument->getType());
      Function *callee = call->getCalledFunction();
      FunctionType *type = FunctionType::get(call->getType(), types, false);
      CallInst *fresh = CallInst::Create(type, callee ? map[callee] : call->getCalledOperand(),
                                         arguments, "", call->getIterator());
      fresh->setDebugLoc(call->getDebugLoc());
      call->replaceAllUsesWith(fresh);
      call->eraseFromParent();
    }
  }
  for (Function *&entry : program_.table)
    if (entry)
      entry = map.lookup(entry);
  if (NamedMDNode *list = module_.getNamedMetadata(FunctionsName))
    list->eraseFromParent();
  Function *kernel = kernel_;
  kernel_ = map[kernel];
  for (Function *function : old)
    function->dropAllReferences();
  for (Function *function : old) {
    for (User *user : function->users())
      if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledOperand() == function)
        return errorAt(*call, "'" + function->getName() +
                                  "' is defined with other types than this call of it has");
    function->replaceAllUsesWith(PoisonValue::get(function->getType()));
    function->eraseFromParent();
  }
  return Error::success();
}

Function *Lowering::withContext(Function &old) {
  Type *pointer = PointerType::get(context_, 0);
  Type *i32 = Type::getInt32Ty(context_);
  SmallVector<Type *, 12> types = {pointer, pointer, pointer, i32, i32, i32, i32};
  bool isKernel = &old == kernel_;
  if (!isKernel)
    append_range(types, old.getFunctionType()->params());
  FunctionType *type = FunctionType::get(old.getReturnType(), types, false);
  Function *now =
      Function::Create(type, GlobalValue::InternalLinkage, old.getName() + ".thread", module_);
  static const char *const names[] = {"launch",     "block",      "shared",    "warp",
                                      "blockIdx.x", "blockIdx.y", "blockIdx.z"};
  for (unsigned i = 0; i < ContextParams; ++i)
    now->getArg(i)->setName(names[i]);
  ValueToValueMapTy map;
  BasicBlock *entry = nullptr;
  if (isKernel) {
    entry = BasicBlock::Create(context_, "params", now);
    bindParams(old, *now, map);
  } else {
    for (auto [argument, i] : zip(old.args(), seq<unsigned>(ContextParams, types.size())))
      map[&argument] = now->getArg(i);
  }
  SmallVector<ReturnInst *, 4> returns;
  CloneFunctionInto(now, &old, map, CloneFunctionChangeType::LocalChangesOnly, returns);
  now->setDSOLocal(true);
  if (entry) {
    BasicBlock *first = cast<BasicBlock>(map[&old.getEntryBlock()]);
    BranchInst::Create(first, entry);
  }
  now->setAttributes(AttributeList());
  describeProgram(*now);
  return now;
}

/// Kernel parameters: loads from the launch's parameter block, at the offsets that the image states
/// (each at its natural alignment, PTX ISA "Kernel Function Parameters"). A by-value struct that
/// the kernel only reads stays where it is, as a __grid_constant__ one does; one that it writes to,
/// or whose address it passes on, gets a copy for each thread.
void Lowering::bindParams(Function &old, Function &body, ValueToValueMapTy &map) {
  const DataLayout &layout = module_.getDataLayout();
  IRBuilder<> builder(&body.getEntryBlock());
  Value *params = loadField(builder, builder.getPtrTy(), body.getArg(ParamLaunch),
                            offsetof(Launch, params), true);
  uint64_t offset = 0;
  for (Argument &argument : old.args()) {
    Type *type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
    Align align = argument.hasByValAttr() ? argument.getParamAlign().valueOrOne()
                                          : layout.getABITypeAlign(type);
    offset = alignTo(offset, align);
    Value *address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), params, offset);
    uint64_t size = layout.getTypeAllocSize(type);
    offset += size;
    if (!argument.hasByValAttr()) {
      LoadInst *load = builder.CreateAlignedLoad(type, address, align);
      load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(context_, {}));
      map[&argument] = load;
      if (type->isPointerTy())
        program_.paramLoads[load] = uint32_t(offset - size);
      continue;
    }
    bool gridConstant = old.getAttributes().hasParamAttr(argument.getArgNo(), "nvvm.grid_constant");
    if (auto *place = dyn_cast<Instruction>(address))
      frontend::VariableNote{AccessSpace::Param, size, false, argument.getName()}.put(*place);
    if (gridConstant || (argument.onlyReadsMemory() && argument.hasAttribute(Attribute::ReadOnly) &&
                         argument.hasNoCaptureAttr())) {
      map[&argument] = address;
      continue;
    }
    AllocaInst *copy = builder.CreateAlloca(type);
    copy->setAlignment(align);
    builder.CreateMemCpy(copy, align, address, align, size);
    map[&argument] = copy;
  }
  program_.paramBytes = offset;
}

void Lowering::noteShared(GlobalVariable &variable, Value &address) {
  bool isDynamic = variable.isDeclaration();
  uint64_t bytes = isDynamic ? sharedOffsets_[&variable]
                             : module_.getDataLayout().getTypeAllocSize(variable.getValueType());
  if (auto *instruction = dyn_cast<Instruction>(&address))
    frontend::VariableNote{AccessSpace::Shared, bytes, isDynamic, variable.getName()}.put(
        *instruction);
}

void Lowering::replaceSpecialRegisters(Function &function) {
  IRBuilder<> entry(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Value *globals = nullptr;
  bool isInCluster = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    for (Use &use : instruction.operands()) {
      auto *variable = dyn_cast<GlobalVariable>(use.get());
      if (!variable || !sharedOffsets_.contains(variable))
        continue;
      Value *address = entry.CreateConstInBoundsGEP1_64(
          entry.getInt8Ty(), function.getArg(ParamShared), sharedOffsets_[variable]);
      noteShared(*variable, *address);
      use.set(entry.CreateAddrSpaceCast(address, variable->getType()));
    }
    auto *call = dyn_cast<CallInst>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee)
      continue;
    Value *value = nullptr;
    if (Value *query = lowerAddressQuery(*call, program_.paramBytes)) {
      value = query;
      if (isClusterQuery(*call) && !std::exchange(isInCluster, true))
        emitInCluster(entry);
    } else if (callee->getName() == GlobalsName) {
      if (!globals)
        globals = loadField(entry, entry.getPtrTy(), function.getArg(ParamLaunch),
                            offsetof(Launch, globals), true);
      value = globals;
    } else if (callee->isIntrinsic()) {
      IRBuilder<> builder(call);
      value = specialRegister(function, builder, callee->getIntrinsicID(), options_);
    }
    if (!value)
      continue;
    call->replaceAllUsesWith(value);
    if (entry.GetInsertPoint() == call->getIterator()) // a called function may begin with it
      entry.SetInsertPoint(call->getNextNode());
    call->eraseFromParent();
  }
}

} // namespace

Expected<ThreadProgram> lowerDevice(Module &module, Function &kernel, const Options &options,
                                    TargetMachine &machine) {
  return Lowering(module, kernel, options, machine).run();
}

} // namespace heddle::simt
