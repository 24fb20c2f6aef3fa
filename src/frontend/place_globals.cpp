// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/place_globals.h"

#include "frontend/annotations.h"
#include "frontend/error.h"
#include "frontend/functions.h"
#include "frontend/layout.h"
#include "frontend/variable_note.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/ReplaceConstant.h"

namespace heddle::frontend {

using namespace llvm;

namespace {

constexpr const char *GlobalsFunction = "heddle.globals";

/// `declare align A dereferenceable(N) ptr @heddle.globals() memory(none) speculatable ...`
Function *declareGlobals(Module &module, const ImageHeader &header) {
  LLVMContext &context = module.getContext();
  AttrBuilder onFunction(context), onResult(context);
  onFunction.addMemoryAttr(MemoryEffects::none());
  for (Attribute::AttrKind kind :
       {Attribute::Speculatable, Attribute::WillReturn, Attribute::NoUnwind})
    onFunction.addAttribute(kind);
  onResult.addAlignmentAttr(header.globalsAlign);
  onResult.addAttribute(Attribute::NoUndef);
  onResult.addAttribute(Attribute::NonNull);
  onResult.addDereferenceableAttr(header.globalsBytes);
  auto *type = FunctionType::get(PointerType::get(context, 0), false);
  auto *function = cast<Function>(module.getOrInsertFunction(GlobalsFunction, type).getCallee());
  function->addFnAttrs(onFunction);
  function->addRetAttrs(onResult);
  return function;
}

/// The addresses that one function body uses, made once at its entry. Each goes right behind what
/// it is made from: instructions further on may be erased.
class EntryAddresses {
public:
  EntryAddresses(Function &body, Function &globals)
      : base_(IRBuilder<>(&*body.getEntryBlock().getFirstNonPHIOrDbgOrAlloca())
                  .CreateCall(&globals, {}, "globals")) {}

  Instruction *of(const ImageVariable &variable, const GlobalVariable &global) {
    Instruction *&address = addresses_[&global];
    if (!address)
      address = make(variable, global.getName());
    return address;
  }

  static Value *castTo(Instruction *address, Type *type) {
    return IRBuilder<>(address->getNextNode()).CreateAddrSpaceCast(address, type);
  }

private:
  Instruction *make(const ImageVariable &variable, StringRef name) {
    IRBuilder<> builder(base_->getNextNode());
    Type *byte = builder.getInt8Ty();
    auto *address = GetElementPtrInst::CreateInBounds(
        byte, base_, builder.getInt64(variable.offset), name, builder.GetInsertPoint());
    AccessSpace space =
        variable.space == VariableSpace::Constant ? AccessSpace::Constant : AccessSpace::Global;
    VariableNote note = {space, variable.size, false, name};
    if (variable.space != VariableSpace::Managed) {
      note.put(*address);
      return address;
    }
    LoadInst *storage = builder.CreateAlignedLoad(builder.getPtrTy(), address, Align(8));
    MDNode *empty = MDNode::get(builder.getContext(), {});
    storage->setMetadata(LLVMContext::MD_invariant_load, empty);
    storage->setMetadata(LLVMContext::MD_nonnull, empty);
    note.put(*storage);
    return storage;
  }

  Instruction *base_;
  DenseMap<const GlobalVariable *, Instruction *> addresses_;
};

class Placer {
public:
  Placer(Module &module, const ImageView &image) : module_(module), image_(image) {
    for (const ImageVariable &variable : image.variables())
      variables_[image.string(variable.name)] = &variable;
  }

  Error run() {
    eraseBookkeeping(module_);
    for (GlobalVariable &global : module_.globals())
      if (global.getAddressSpace() != SharedSpace && !isBookkeeping(global))
        if (Error error = take(global))
          return error;
    std::vector<Constant *> constants(placed_.begin(), placed_.end());
    convertUsersOfConstantsToInstructions(constants);
    globals_ = declareGlobals(module_, image_.header());
    for (GlobalVariable *global : placed_)
      replace(*global);
    for (GlobalVariable *global : placed_)
      global->eraseFromParent();
    replaceFunctionAddresses();
    answerConstantQueries();
    return Error::success();
  }

private:
  /// Takes a variable's initial value away: the image holds it, and what it refers to need not
  /// exist here.
  Error take(GlobalVariable &global) {
    if (!variables_.contains(global.getName()))
      return fail("internal error: device variable '" + global.getName() + "' is not in its image");
    if (isConstantMemory(global))
      constants_.insert(&global);
    global.setLinkage(GlobalValue::ExternalLinkage);
    global.setComdat(nullptr);
    global.setInitializer(nullptr);
    placed_.push_back(&global);
    return Error::success();
  }

  static bool isConstantMemory(const GlobalVariable &global) {
    return global.getAddressSpace() == ConstantSpace ||
           (global.isConstant() && !global.isExternallyInitialized());
  }

  void replace(GlobalVariable &global) {
    const ImageVariable &variable = *variables_[global.getName()];
    std::vector<Use *> uses;
    for (Use &use : global.uses())
      uses.push_back(&use);
    SmallSetVector<Value *, 8> addresses;
    for (Use *use : uses) {
      auto *user = cast<Instruction>(use->getUser());
      Instruction *address = entryOf(*user->getFunction()).of(variable, global);
      addresses.insert(address);
      replaceUse(*use, *user, address);
    }
    if (constants_.contains(&global))
      for (Value *address : addresses)
        markLoadsInvariant(*address);
  }

  /// Constant memory does not change while a kernel runs.
  static void markLoadsInvariant(Value &address) {
    for (User *user : address.users()) {
      if (auto *load = dyn_cast<LoadInst>(user); load && !load->isVolatile())
        load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(load->getContext(), {}));
      else if (isa<GetElementPtrInst, AddrSpaceCastInst>(user))
        markLoadsInvariant(*user);
    }
  }

  /// `addrspacecast` to generic space folds away; any other user gets an address of the type it
  /// had.
  static void replaceUse(Use &use, Instruction &user, Instruction *address) {
    if (isa<AddrSpaceCastInst>(user) && user.getType() == address->getType()) {
      user.replaceAllUsesWith(address);
      user.eraseFromParent();
      return;
    }
    bool fits = use->getType() == address->getType();
    use.set(fits ? address : EntryAddresses::castTo(address, use->getType()));
  }

  /// Direct calls stay. Uses in metadata are no uses of the function's value.
  void replaceFunctionAddresses() {
    std::vector<Function *> functions = numberedFunctions(module_);
    Type *number = Type::getInt64Ty(module_.getContext());
    for (size_t i = 0; i != functions.size(); ++i) {
      if (!functions[i])
        continue;
      Constant *address = ConstantInt::get(number, functionAddress(i));
      address = ConstantExpr::getIntToPtr(address, functions[i]->getType());
      functions[i]->replaceUsesWithIf(address, [](Use &use) {
        auto *call = dyn_cast<CallBase>(use.getUser());
        return !call || !call->isCallee(&use);
      });
    }
  }

  /// isspacep.const: whether an address lies in a __constant__ variable. What does so is not
  /// global.
  void answerConstantQueries() {
    std::vector<IntrinsicInst *> queries;
    for (Function &function : module_)
      for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
            call && (call->getIntrinsicID() == Intrinsic::nvvm_isspacep_const ||
                     call->getIntrinsicID() == Intrinsic::nvvm_isspacep_global))
          queries.push_back(call);
    for (IntrinsicInst *query : queries) {
      IRBuilder<> builder(query->getNextNode());
      Value *isConstant = inConstant(builder, query->getArgOperand(0));
      if (query->getIntrinsicID() == Intrinsic::nvvm_isspacep_const) {
        query->replaceAllUsesWith(isConstant);
        query->eraseFromParent();
        continue;
      }
      Value *isGlobal = builder.CreateSelect(isConstant, builder.getFalse(), query);
      query->replaceUsesWithIf(isGlobal, [&](Use &use) { return use.getUser() != isGlobal; });
    }
  }

  Value *inConstant(IRBuilder<> &builder, Value *pointer) {
    Type *i64 = builder.getInt64Ty();
    Value *base = builder.CreatePtrToInt(builder.CreateCall(globals_), i64);
    Value *offset = builder.CreateSub(builder.CreatePtrToInt(pointer, i64), base);
    Value *result = builder.getFalse();
    for (const ImageVariable &variable : image_.variables())
      if (variable.space == VariableSpace::Constant)
        result = builder.CreateOr(
            result,
            builder.CreateICmpULT(builder.CreateSub(offset, builder.getInt64(variable.offset)),
                                  builder.getInt64(variable.size)));
    return result;
  }

  EntryAddresses &entryOf(Function &body) {
    std::unique_ptr<EntryAddresses> &entry = entries_[&body];
    if (!entry)
      entry = std::make_unique<EntryAddresses>(body, *globals_);
    return *entry;
  }

  Module &module_;
  const ImageView &image_;
  StringMap<const ImageVariable *> variables_;
  std::vector<GlobalVariable *> placed_;
  DenseSet<GlobalVariable *> constants_;
  DenseMap<Function *, std::unique_ptr<EntryAddresses>> entries_;
  Function *globals_ = nullptr;
};

} // namespace

Error placeGlobals(Module &module, const ImageView &image) { return Placer(module, image).run(); }

} // namespace heddle::frontend
