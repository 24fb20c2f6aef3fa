// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread reads that nothing has written.
//
// Method. Each object in memory has a shadow, a bit for each bit: 1 if nothing has written it. A
// store stores the shadow of its value, a load has the shadow that lies there, and values that are
// handed on keep it (unwritten_values.h). So a copy of a structure takes the state of its padding
// with it, and is no error. Where something depends on a value, its shadow is looked at.
//
//     object                    its shadow
//     a pointer parameter       at a fixed distance. Not looked at in launches in which all of the
//                               allocation was written before
//     shared memory             before the block's shared memory
//     a local variable          a variable beside it, if its address goes nowhere
//     a pointer of any origin   the distance if it is in device memory; otherwise the device is asked
//     constants, parameters, variables of the module: all was written
//
// The code need not be run at all (KernelLooksAtParams) where all that parameters point to was
// written, if it looks at nothing else, but for shared memory that is written before it is read in
// any case (written_shared.h): so all values are written, too.
//
// Local variables whose address goes to functions, or is stored, count as written.
#include "simt/check/insert_init_checks.h"

#include "base/abi/check_abi.h"
#include "base/abi/kernel_abi.h"
#include "frontend/variable_note.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/pass_notes.h"
#include "simt/check/accesses.h"
#include "simt/check/pointer_roots.h"
#include "simt/check/unwritten_values.h"
#include "simt/check/written_shared.h"
#include "simt/compilation.h"
#include "simt/lower/special_registers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using heddle::frontend::VariableNote;

namespace heddle::simt {

namespace {

struct InitObject {
  enum class Kind : uint8_t { Written, Param, Shared, Local, Any } kind = Kind::Any;
  Value *root = nullptr; ///< of Local and Param
  AccessSpace space = AccessSpace::Generic;
  StringRef name = {};
};

class InitInserter {
public:
  InitInserter(Compilation &kernel, Function &function, const WrittenShared *written)
      : kernel_(kernel), function_(function), layout_(function.getDataLayout()), written_(written),
        entry_(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()), values_(function) {}

  bool run();
  /// Nothing is looked at but memory that parameters point to.
  bool looksAtParamsOnly() const { return !looksElsewhere_; }

private:
  bool reports() const { return !(kernel_.options.checks & CheckWrites); }
  bool isOurs(const Instruction &) const;

  InitObject objectOf(Value *pointer);
  InitObject objectAt(Value *root);
  bool goesNowhere(AllocaInst &);
  AllocaInst *twinOf(AllocaInst &);
  void beginTwin(AllocaInst &variable, AllocaInst &twin, uint64_t bytes);

  Value *field(Value *object, uint64_t offset, Type *);
  Value *once(Value *&known, function_ref<Value *(IRBuilder<> &)> make);
  ShadowPlace deviceMemory(bool isWrite, bool asks);
  Value *trackedBytes(LoadInst &param);
  Value *zeros();
  Value *sink();
  Value *sharedBytes();
  Value *localShadow(IRBuilder<> &, Value *pointer, AllocaInst &, uint64_t bytes);
  /// Where the shadow of an access lies; null if there is none.
  Value *shadowAt(IRBuilder<> &, Value *pointer, const InitObject &, uint64_t bytes, bool isWrite,
                  bool spreads = false);

  Value *loadShadow(IRBuilder<> &, Value *pointer, Type *, Align);
  void storeShadow(IRBuilder<> &, Value *pointer, Value *shadow, Align);
  void check(Instruction *before, Value *shadow, Value *pointer, const Instruction &place,
             const Instruction *access);
  void visitLoad(LoadInst &);
  void visitStore(StoreInst &);
  void visitAtomic(Instruction &, Value *pointer, Value *operand, bool reads, Value *written);
  void visitMemory(MemIntrinsic &);
  void visitCall(CallInst &);
  void checkUse(Use &);

  Compilation &kernel_;
  Function &function_;
  const DataLayout &layout_;
  const WrittenShared *written_; ///< null: not known
  Instruction *entry_;
  UnwrittenValues values_;
  bool looksElsewhere_ = false;
  DenseMap<AllocaInst *, AllocaInst *> twins_; ///< null: it has none
  DenseMap<Value *, Value *> tracked_;
  DenseMap<std::pair<Value *, BasicBlock *>, bool> checked_;
  Value *low_ = nullptr, *bytes_ = nullptr, *distance_ = nullptr, *zeros_ = nullptr;
  Value *sink_ = nullptr, *sharedBytes_ = nullptr, *sharedLow_ = nullptr,
        *sharedDistance_ = nullptr;
};

/// Of the launch, of parameters, and what the device library knows to be there.
bool InitInserter::isOurs(const Instruction &access) const {
  if (LibraryAccess.isOn(access) || TexelAccess.isOn(access))
    return !isa<StoreInst>(access);
  const auto *load = dyn_cast<LoadInst>(&access);
  const Value *pointer = getLoadStorePointerOperand(&access);
  if (!pointer)
    return false;
  const Value *object = getUnderlyingObject(pointer, 0);
  if (object == function_.getArg(ParamLaunch) || object == function_.getArg(ParamBlock) ||
      isa<GlobalVariable>(object))
    return true;
  const auto *base = dyn_cast<LoadInst>(object);
  bool isBlock =
      base && base->hasMetadata(LLVMContext::MD_invariant_load) &&
      base->getPointerOperand()->stripInBoundsConstantOffsets() == function_.getArg(ParamLaunch);
  return isBlock && load && load->hasMetadata(LLVMContext::MD_invariant_load);
}

Value *InitInserter::field(Value *object, uint64_t offset, Type *type) {
  IRBuilder<> builder(entry_);
  Value *value = loadField(builder, type, object, offset, /*invariant=*/true);
  LibraryAccess.put(*cast<LoadInst>(value));
  return value;
}

Value *InitInserter::once(Value *&known, function_ref<Value *(IRBuilder<> &)> make) {
  if (!known) {
    IRBuilder<> builder(entry_);
    known = make(builder);
  }
  return known;
}

ShadowPlace InitInserter::deviceMemory(bool isWrite, bool asks) {
  Type *pointer = PointerType::get(function_.getContext(), 0);
  Type *i64 = Type::getInt64Ty(function_.getContext());
  constexpr uint64_t At = offsetof(CheckedLaunch, shadow);
  auto load = [&](uint64_t offset, Type *type) {
    Value *check = field(function_.getArg(ParamLaunch), offsetof(Launch, check), pointer);
    return field(check, At + offset, type);
  };
  if (!low_) {
    low_ = load(offsetof(ShadowedMemory, low), i64);
    bytes_ = load(offsetof(ShadowedMemory, bytes), i64);
    distance_ = load(offsetof(ShadowedMemory, distance), i64);
    zeros_ = load(offsetof(ShadowedMemory, zeros), pointer);
  }
  return {low_, bytes_, distance_, isWrite ? sink() : zeros_, asks};
}

Value *InitInserter::zeros() {
  deviceMemory(false, false);
  return zeros_;
}

Value *InitInserter::trackedBytes(LoadInst &load) {
  auto param = kernel_.thread.paramLoads.find(&load);
  if (param == kernel_.thread.paramLoads.end())
    return nullptr;
  uint64_t slot = checkedParam(kernel_.thread.checkedParams, param->second) * sizeof(uint64_t);
  return once(tracked_[&load], [&](IRBuilder<> &builder) {
    Type *pointer = builder.getPtrTy();
    Value *check = field(function_.getArg(ParamLaunch), offsetof(Launch, check), pointer);
    Value *tracked =
        field(check, offsetof(CheckedLaunch, shadow) + offsetof(ShadowedMemory, tracked), pointer);
    return field(tracked, slot, builder.getInt64Ty());
  });
}

Value *InitInserter::sharedBytes() {
  return once(sharedBytes_, [&](IRBuilder<> &builder) {
    Value *bytes =
        field(function_.getArg(ParamLaunch), offsetof(Launch, sharedBytes), builder.getInt32Ty());
    return builder.CreateZExt(bytes, builder.getInt64Ty());
  });
}

/// -sharedShadowDistance(bytes)
static Value *sharedDistance(IRBuilder<> &builder, Value *bytes) {
  Value *units = builder.CreateUDiv(builder.CreateAdd(bytes, builder.getInt64(ShadowMargin - 1)),
                                    builder.getInt64(ShadowMargin));
  Value *distance = builder.CreateMul(builder.CreateAdd(units, builder.getInt64(1)),
                                      builder.getInt64(ShadowMargin));
  return builder.CreateNeg(distance);
}

/// For the shadow of writes that are not looked at.
Value *InitInserter::sink() {
  Value *bytes = sharedBytes();
  return once(sink_, [&](IRBuilder<> &builder) {
    Value *shared =
        field(function_.getArg(ParamBlock), offsetof(Block, shared), builder.getInt64Ty());
    Value *place = builder.CreateAdd(shared, sharedDistance(builder, bytes));
    place = builder.CreateSub(place, builder.getInt64(3 * ShadowMargin));
    return builder.CreateIntToPtr(place, builder.getPtrTy());
  });
}

InitObject InitInserter::objectAt(Value *root) {
  using Kind = InitObject::Kind;
  if (auto *alloca = dyn_cast<AllocaInst>(root))
    return twinOf(*alloca) ? InitObject{Kind::Local, alloca, AccessSpace::Local, alloca->getName()}
                           : InitObject{Kind::Written, nullptr};
  if (auto *load = dyn_cast<LoadInst>(root))
    if (kernel_.thread.paramLoads.count(load))
      return {Kind::Param, load, AccessSpace::Global};
  if (auto *address = dyn_cast<Instruction>(root))
    if (auto variable = VariableNote::get(*address))
      return {variable->space == AccessSpace::Shared ? Kind::Shared : Kind::Written, nullptr,
              variable->space, variable->name};
  return {};
}

InitObject InitInserter::objectOf(Value *pointer) {
  InitObject found;
  bool isFirst = true;
  bool isOne = forEachRoot(pointer, [&](Value *root) {
    InitObject object = objectAt(root);
    if (!isFirst && (object.kind != found.kind || object.root != found.root))
      return false;
    if (!isFirst && object.name != found.name)
      object.name = {};
    found = object;
    isFirst = false;
    return true;
  });
  return isOne ? found : InitObject();
}

/// All that is done with the address is known here, and done with no other one.
bool InitInserter::goesNowhere(AllocaInst &variable) {
  SmallVector<Value *, 8> open = {&variable};
  SmallPtrSet<Value *, 8> seen;
  while (!open.empty()) {
    Value *value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (Use &use : value->uses()) {
      auto *user = cast<Instruction>(use.getUser());
      if (isa<GetElementPtrInst>(user) && use.getOperandNo() == 0) {
        open.push_back(user);
      } else if (isa<AddrSpaceCastInst, FreezeInst>(user)) {
        open.push_back(user);
      } else if (isa<LoadInst, ICmpInst>(user) ||
                 (isa<StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(user) &&
                  use.getOperandNo() == (isa<StoreInst>(user) ? 1u : 0u))) {
        continue;
      } else if (auto *call = dyn_cast<CallInst>(user);
                 call && (callKind(*call) == CallKind::Drop ||
                          (isa<MemSetInst>(call) && isa<ConstantInt>(call->getArgOperand(2))))) {
        continue;
      } else {
        return false;
      }
    }
  }
  return true;
}

AllocaInst *InitInserter::twinOf(AllocaInst &variable) {
  auto known = twins_.find(&variable);
  if (known != twins_.end())
    return known->second;
  constexpr uint64_t Most = 16384;
  std::optional<TypeSize> size = variable.getAllocationSize(layout_);
  twins_[&variable] = nullptr;
  if (!reports() || !size || size->getFixedValue() > Most || !goesNowhere(variable))
    return nullptr;
  uint64_t bytes = size->getFixedValue();
  IRBuilder<> builder(&function_.getEntryBlock(), function_.getEntryBlock().begin());
  auto *made = builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), bytes + MostShadowed),
                                    nullptr, variable.getName() + ".unwritten");
  made->setAlignment(variable.getAlign());
  beginTwin(variable, *made, bytes);
  return twins_[&variable] = made;
}

/// Nothing is written where its life begins.
void InitInserter::beginTwin(AllocaInst &variable, AllocaInst &twin, uint64_t bytes) {
  SmallVector<Instruction *, 4> begins;
  for (User *user : variable.users())
    if (auto *call = dyn_cast<IntrinsicInst>(user);
        call && call->getIntrinsicID() == Intrinsic::lifetime_start)
      begins.push_back(call);
  if (begins.empty())
    begins.push_back(entry_);
  IRBuilder<> atEntry(entry_);
  LibraryAccess.put(
      *atEntry.CreateMemSet(&twin, atEntry.getInt8(0), bytes + MostShadowed, twin.getAlign()));
  for (Instruction *begin : begins) {
    IRBuilder<> builder(begin == entry_ ? entry_ : begin->getNextNode());
    LibraryAccess.put(*builder.CreateMemSet(&twin, builder.getInt8(0xff), bytes, twin.getAlign()));
  }
}

/// Of what lies outside of the variable the shadow is the end of its twin.
Value *InitInserter::localShadow(IRBuilder<> &builder, Value *pointer, AllocaInst &variable,
                                 uint64_t bytes) {
  AllocaInst *twin = twinOf(variable);
  uint64_t size = variable.getAllocationSize(layout_)->getFixedValue();
  Type *i64 = builder.getInt64Ty();
  APInt offset(64, 0);
  Value *place = nullptr;
  if (pointer->stripAndAccumulateConstantOffsets(layout_, offset, true) == &variable) {
    uint64_t constant = offset.getZExtValue();
    bool isInside = constant <= size && bytes <= size - constant;
    place = builder.getInt64(isInside ? constant : size);
  } else {
    SmallVector<GetElementPtrInst *, 4> steps;
    Value *base = pointer;
    while (auto *gep = dyn_cast<GetElementPtrInst>(base)) {
      steps.push_back(gep);
      base = gep->getPointerOperand();
    }
    if (base == &variable) {
      place = builder.getInt64(0);
      for (GetElementPtrInst *step : steps)
        place = builder.CreateAdd(
            place, builder.CreateSExtOrTrunc(emitGEPOffset(&builder, layout_, step), i64));
    } else {
      place = builder.CreateSub(builder.CreatePtrToInt(pointer, i64),
                                builder.CreatePtrToInt(&variable, i64));
    }
    Value *isInside = builder.CreateICmpULE(place, builder.getInt64(size - bytes));
    if (bytes > size)
      isInside = builder.getFalse();
    place = builder.CreateSelect(isInside, place, builder.getInt64(size));
  }
  return builder.CreateGEP(builder.getInt8Ty(), twin, place);
}

Value *InitInserter::shadowAt(IRBuilder<> &builder, Value *pointer, const InitObject &object,
                              uint64_t bytes, bool isWrite, bool spreads) {
  Value *plain = builder.CreateAddrSpaceCast(pointer, builder.getPtrTy());
  bool isCertain =
      object.kind == InitObject::Kind::Shared && written_ && written_->holds(object.name);
  looksElsewhere_ |= object.kind != InitObject::Kind::Written &&
                     object.kind != InitObject::Kind::Param && !isCertain;
  switch (object.kind) {
  case InitObject::Kind::Written:
    return nullptr;
  case InitObject::Kind::Local:
    return localShadow(builder, pointer, *cast<AllocaInst>(object.root), bytes);
  case InitObject::Kind::Param: {
    ShadowPlace place = deviceMemory(isWrite, false);
    Value *tracked = trackedBytes(*cast<LoadInst>(object.root));
    if (!spreads)
      place.bytes = tracked;
    return emitShadow(builder, plain, place);
  }
  case InitObject::Kind::Shared: {
    Value *size = sharedBytes();
    Value *low = once(sharedLow_, [&](IRBuilder<> &entry) {
      Value *shared =
          field(function_.getArg(ParamBlock), offsetof(Block, shared), entry.getInt64Ty());
      return entry.CreateSub(shared, entry.getInt64(ShadowMargin));
    });
    Value *distance =
        once(sharedDistance_, [&](IRBuilder<> &entry) { return sharedDistance(entry, size); });
    Value *all = builder.CreateAdd(size, builder.getInt64(ShadowMargin));
    return emitShadow(builder, plain, {low, all, distance, isWrite ? sink() : zeros(), false});
  }
  case InitObject::Kind::Any:
    return emitShadow(builder, plain, deviceMemory(isWrite, true));
  }
  llvm_unreachable("all kinds handled");
}

Value *InitInserter::loadShadow(IRBuilder<> &builder, Value *pointer, Type *type, Align align) {
  Value *place =
      shadowAt(builder, pointer, objectOf(pointer), layout_.getTypeStoreSize(type), false);
  if (!place)
    return nullptr;
  LoadInst *shadow = builder.CreateAlignedLoad(type, place, align);
  LibraryAccess.put(*shadow);
  return shadow;
}

void InitInserter::storeShadow(IRBuilder<> &builder, Value *pointer, Value *shadow, Align align) {
  bool spreads = !isa<Constant>(shadow);
  InitObject object = objectOf(pointer);
  Value *place = shadowAt(builder, pointer, object, layout_.getTypeStoreSize(shadow->getType()),
                          true, spreads);
  if (!place)
    return;
  LibraryAccess.put(*builder.CreateAlignedStore(shadow, place, align));
  if (!spreads || object.kind == InitObject::Kind::Local || object.kind == InitObject::Kind::Shared)
    return;
  Value *plain = builder.CreateAddrSpaceCast(pointer, builder.getPtrTy());
  CallInst *call = emitUninitialized(builder, builder.CreateIsNotNull(shadow), plain);
  CheckedSite.put(*call, {0, 1, AccessKind::Write, AccessSpace::Generic, false, {}});
}

/// Looks at a value in front of an instruction. `access` has read it; null if several have.
void InitInserter::check(Instruction *before, Value *shadow, Value *pointer,
                         const Instruction &place, const Instruction *access) {
  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(place.getDebugLoc());
  InitObject object = pointer ? objectOf(pointer) : InitObject();
  bool isLocal = object.kind == InitObject::Kind::Local; // their addresses had better go nowhere
  Value *plain = pointer && !isLocal ? builder.CreateAddrSpaceCast(pointer, builder.getPtrTy())
                                     : Constant::getNullValue(builder.getPtrTy());
  CallInst *call = emitUninitialized(builder, builder.CreateIsNotNull(shadow), plain);
  uint64_t bytes = layout_.getTypeStoreSize(access ? access->getType() : shadow->getType());
  bool isAtomic = access && isa<AtomicRMWInst, AtomicCmpXchgInst>(access);
  if (isAtomic)
    bytes = layout_.getTypeStoreSize(shadow->getType());
  CheckedSite.put(*call, {bytes, 1, isAtomic ? AccessKind::Atomic : AccessKind::Read, object.space,
                          false, object.name});
}

void InitInserter::visitLoad(LoadInst &load) {
  if (!reports())
    return;
  Type *type = shadowType(load.getType(), layout_);
  bool isFollowed = type != nullptr;
  if (!type) {
    uint64_t bits = layout_.getTypeStoreSizeInBits(load.getType()).getFixedValue();
    if (bits > 128)
      return;
    type = Type::getIntNTy(load.getContext(), unsigned(bits));
  }
  IRBuilder<> builder(&load);
  Value *shadow = loadShadow(builder, load.getPointerOperand(), type, load.getAlign());
  if (!shadow)
    return;
  if (!isFollowed || values_.isUsedAnyway(load))
    check(&load, shadow, load.getPointerOperand(), load, &load);
  else
    values_.addSource(load, shadow);
}

void InitInserter::visitStore(StoreInst &store) {
  Value *value = store.getValueOperand();
  Value *shadow = values_.shadowOf(value);
  if (!shadow) {
    uint64_t bits = layout_.getTypeStoreSizeInBits(value->getType()).getFixedValue();
    if (bits > 8 * MostShadowed)
      return;
    Type *type = shadowType(value->getType(), layout_);
    shadow =
        Constant::getNullValue(type ? type : Type::getIntNTy(store.getContext(), unsigned(bits)));
  }
  IRBuilder<> builder(&store);
  storeShadow(builder, store.getPointerOperand(), shadow, store.getAlign());
}

/// The memory is read before it is written.
void InitInserter::visitAtomic(Instruction &atomic, Value *pointer, Value *operand, bool reads,
                               Value *written) {
  Type *type = shadowType(operand->getType(), layout_);
  if (!type)
    return;
  IRBuilder<> builder(&atomic);
  Align align = layout_.getABITypeAlign(type);
  if (reads && reports())
    if (Value *shadow = loadShadow(builder, pointer, type, align))
      check(&atomic, shadow, pointer, atomic, &atomic);
  storeShadow(builder, pointer, written ? written : Constant::getNullValue(type), align);
}

void InitInserter::visitMemory(MemIntrinsic &memory) {
  IRBuilder<> builder(&memory);
  InitObject to = objectOf(memory.getRawDest());
  if (to.kind == InitObject::Kind::Local) {
    auto *length = dyn_cast<ConstantInt>(memory.getLength());
    uint64_t bytes = length ? length->getZExtValue() : 0;
    Value *place = localShadow(builder, memory.getRawDest(), *cast<AllocaInst>(to.root), bytes);
    uint64_t size = cast<AllocaInst>(to.root)->getAllocationSize(layout_)->getFixedValue();
    if (bytes <= size)
      LibraryAccess.put(*builder.CreateMemSet(place, builder.getInt8(0), bytes, MaybeAlign()));
    return;
  }
  Value *null = Constant::getNullValue(builder.getPtrTy());
  Value *from = null;
  if (auto *copy = dyn_cast<MemTransferInst>(&memory))
    if (objectOf(copy->getRawSource()).kind != InitObject::Kind::Written)
      from = builder.CreateAddrSpaceCast(copy->getRawSource(), builder.getPtrTy());
  if (to.kind == InitObject::Kind::Written)
    return;
  looksElsewhere_ = true;
  emitShadowCopy(builder, builder.CreateAddrSpaceCast(memory.getRawDest(), builder.getPtrTy()),
                 from, builder.CreateZExtOrTrunc(memory.getLength(), builder.getInt64Ty()));
}

/// Two words at once.
void InitInserter::visitCall(CallInst &call) {
  CallKind kind = callKind(call);
  looksElsewhere_ |= (kind == CallKind::Device && !isSample(call)) || kind == CallKind::Indirect ||
                     kind == CallKind::DeviceCall || kind == CallKind::Allocate ||
                     kind == CallKind::Release || kind == CallKind::TensorCopy;
  if (kind != CallKind::LoadPair && kind != CallKind::StorePair && kind != CallKind::Cas128)
    return;
  IRBuilder<> builder(&call);
  Value *pointer = call.getArgOperand(0);
  Type *type = builder.getInt128Ty();
  if (kind != CallKind::StorePair && reports())
    if (Value *shadow = loadShadow(builder, pointer, type, Align(16)))
      check(&call, shadow, pointer, call, nullptr);
  if (kind != CallKind::LoadPair)
    storeShadow(builder, pointer, Constant::getNullValue(type), Align(16));
}

void InitInserter::checkUse(Use &use) {
  Value *shadow = values_.shadowOf(use.get());
  auto *user = cast<Instruction>(use.getUser());
  if (!shadow || !checked_.insert({{use.get(), user->getParent()}, true}).second)
    return;
  Instruction *origin = values_.originOf(use.get());
  Value *pointer = origin ? getLoadStorePointerOperand(origin) : nullptr;
  if (auto *address = dyn_cast_or_null<Instruction>(pointer);
      address && !values_.isAtHand(*address, *user))
    pointer = nullptr;
  check(user, shadow, pointer, origin ? *origin : *user, origin);
}

bool InitInserter::run() {
  SmallVector<Instruction *, 64> all;
  for (Instruction &instruction : instructions(function_))
    if (!isOurs(instruction))
      all.push_back(&instruction);
  for (Instruction *instruction : all)
    if (auto *load = dyn_cast<LoadInst>(instruction))
      visitLoad(*load);
  values_.solve();
  for (Instruction *instruction : all)
    if (auto *store = dyn_cast<StoreInst>(instruction))
      visitStore(*store);
    else if (auto *rmw = dyn_cast<AtomicRMWInst>(instruction)) {
      bool isExchange = rmw->getOperation() == AtomicRMWInst::Xchg;
      visitAtomic(*rmw, rmw->getPointerOperand(), rmw->getValOperand(),
                  !isExchange || !rmw->use_empty(), values_.shadowOf(rmw->getValOperand()));
    } else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(instruction))
      visitAtomic(*swap, swap->getPointerOperand(), swap->getNewValOperand(), true, nullptr);
    else if (auto *memory = dyn_cast<MemIntrinsic>(instruction))
      visitMemory(*memory);
    else if (auto *call = dyn_cast<CallInst>(instruction))
      visitCall(*call);
  for (Use *use : values_.uses())
    checkUse(*use);
  return !all.empty();
}

bool usesShared(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    auto variable = VariableNote::get(instruction);
    return variable && variable->space == AccessSpace::Shared;
  });
}

} // namespace

PreservedAnalyses InsertInitChecks::run(Compilation &kernel, FunctionAnalysisManager &) {
  if (!(kernel.options.checks & CheckInit))
    return PreservedAnalyses::all();
  bool isAlone = count_if(kernel.module, [](const Function &function) {
                   return !function.isDeclaration() && usesShared(function);
                 }) == 1;
  bool any = false;
  kernel.thread.looksAtParamsOnly = true;
  for (Function &function : kernel.module) {
    if (function.isDeclaration())
      continue;
    std::optional<WrittenShared> written;
    if (isAlone && &function == kernel.thread.body) {
      written.emplace(function, kernel.options.blockDim);
      kernel.thread.writtenDynamicBytes = written->dynamicBytes();
    }
    InitInserter inserter(kernel, function, written ? &*written : nullptr);
    any |= inserter.run();
    kernel.thread.looksAtParamsOnly &= inserter.looksAtParamsOnly();
  }
  return changed(any);
}

} // namespace heddle::simt
