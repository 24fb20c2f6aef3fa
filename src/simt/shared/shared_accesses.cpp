// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/shared/shared_accesses.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// Constant distances of addresses, or vectors of addresses, from the start of shared memory.
class Places {
public:
  explicit Places(Value &shared)
      : shared_(shared), layout_(cast<Instruction>(shared).getDataLayout()) {}

  /// One a lane; false where one is not known. Lanes that hold no address, since no mask lets
  /// them through, get one.
  bool of(Value *pointer, SmallVectorImpl<int64_t> &places) const {
    if (pointer == &shared_) {
      places.assign(1, 0);
      return true;
    }
    if (auto *gep = dyn_cast<GEPOperator>(pointer))
      return ofStep(*gep, places);
    if (auto *insert = dyn_cast<InsertElementInst>(pointer)) {
      auto *index = dyn_cast<ConstantInt>(insert->getOperand(2));
      SmallVector<int64_t, 1> one;
      if (!index || !isa<PoisonValue>(insert->getOperand(0)) || !of(insert->getOperand(1), one))
        return false;
      places.assign(lanesOf(pointer->getType()), one[0]);
      return true;
    }
    auto *shuffle = dyn_cast<ShuffleVectorInst>(pointer);
    SmallVector<int64_t, 8> sources;
    if (!shuffle || !of(shuffle->getOperand(0), sources))
      return false;
    for (int pick : shuffle->getShuffleMask()) {
      if (pick >= int(sources.size()))
        return false;
      places.push_back(pick < 0 ? 0 : sources[pick]);
    }
    return true;
  }

  static unsigned lanesOf(Type *type) {
    auto *vector = dyn_cast<FixedVectorType>(type);
    return vector ? vector->getNumElements() : 1;
  }

private:
  bool ofStep(GEPOperator &gep, SmallVectorImpl<int64_t> &places) const {
    SmallVector<int64_t, 8> bases;
    if (!of(gep.getPointerOperand(), bases))
      return false;
    for (unsigned lane = 0; lane < lanesOf(gep.getType()); ++lane) {
      SmallVector<Value *, 4> indices;
      for (Value *index : gep.indices()) {
        auto *constant = dyn_cast<Constant>(index);
        if (constant && index->getType()->isVectorTy())
          constant = constant->getAggregateElement(lane);
        if (constant && isa<PoisonValue>(constant)) // a lane that no mask lets through
          constant = ConstantInt::get(constant->getType(), 0);
        auto *number = dyn_cast_or_null<ConstantInt>(constant);
        if (!number)
          return false;
        indices.push_back(number);
      }
      int64_t step = layout_.getIndexedOffsetInType(gep.getSourceElementType(), indices);
      places.push_back(bases[bases.size() == 1 ? 0 : lane] + step);
    }
    return true;
  }

  Value &shared_;
  const DataLayout &layout_;
};

/// The access that an instruction is; nothing if it is something else, as an atomic.
std::optional<SharedAccess> describe(Instruction &instruction) {
  if (isa<LoadInst>(instruction))
    return SharedAccess(instruction, false);
  if (isa<StoreInst>(instruction))
    return SharedAccess(instruction, true, 0);
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  switch (intrinsic ? intrinsic->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_gather:
    return SharedAccess(instruction, false, 2, 1);
  case Intrinsic::masked_store:
  case Intrinsic::masked_scatter:
    return SharedAccess(instruction, true, 0, 2);
  default:
    return {};
  }
}

} // namespace

SharedAccess::SharedAccess(Instruction &instruction, bool isStore, int valueOperand,
                           int maskOperand)
    : instruction(&instruction), isStore(isStore), valueOperand(valueOperand),
      maskOperand(maskOperand) {
  Type *type = isStore ? value()->getType() : instruction.getType();
  element = type->getScalarType();
}

bool SharedAccess::mayTouch(unsigned lane) const {
  Value *from = mask();
  while (auto *shuffle = dyn_cast_or_null<ShuffleVectorInst>(from)) {
    int pick = shuffle->getMaskValue(lane),
        first = Places::lanesOf(shuffle->getOperand(0)->getType());
    if (pick < 0)
      break;
    from = shuffle->getOperand(pick < first ? 0 : 1);
    lane = pick < first ? pick : pick - first;
  }
  auto *constant = dyn_cast_or_null<Constant>(from);
  auto *bit = constant ? constant->getAggregateElement(lane) : nullptr;
  return !bit || !bit->isNullValue();
}

std::pair<int64_t, int64_t> SharedAccess::bytes() const {
  int64_t first = INT64_MAX, end = INT64_MIN;
  int64_t size = instruction->getDataLayout().getTypeStoreSize(element);
  for (auto [lane, place] : enumerate(places))
    if (mayTouch(lane)) {
      first = std::min(first, place);
      end = std::max(end, place + size);
    }
  return first < end ? std::pair(first, end) : std::pair(int64_t(0), int64_t(0));
}

namespace {

/// The access, with its places; nothing if they are not known, or if it is of no plain numbers.
std::optional<SharedAccess> accessAt(Instruction &instruction, Value *address,
                                     const Places &places) {
  std::optional<SharedAccess> access = describe(instruction);
  if (!access || !places.of(address, access->places))
    return {};
  const DataLayout &layout = instruction.getDataLayout();
  Type *type = access->element;
  bool isNumber = type->isIntegerTy() || type->isFloatingPointTy();
  if (!isNumber || layout.getTypeSizeInBits(type) != 8 * layout.getTypeStoreSize(type))
    return {};
  // One address and several lanes: a vector in a row.
  unsigned lanes =
      Places::lanesOf(access->isStore ? access->value()->getType() : instruction.getType());
  for (unsigned lane = access->places.size(); lane < lanes; ++lane)
    access->places.push_back(access->places[0] + int64_t(lane * layout.getTypeStoreSize(type)));
  return access;
}

/// Is the address that a load, store or the like goes to, and nothing else of it.
bool isAddressOf(Instruction &instruction, Value *address) {
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction))
    return instruction.getOperand(0) == address &&
           count(instruction.operand_values(), address) == 1;
  std::optional<SharedAccess> access = describe(instruction);
  return access && instruction.getOperand(access->isStore ? 1 : 0) == address &&
         access->value() != address;
}

} // namespace

std::optional<std::vector<SharedAccess>> findSharedAccesses(Value &shared) {
  std::vector<SharedAccess> accesses;
  Places places(shared);
  SetVector<Value *> addresses;
  addresses.insert(&shared);
  for (unsigned i = 0; i < addresses.size(); ++i)
    for (User *user : addresses[i]->users()) {
      auto *instruction = dyn_cast<Instruction>(user);
      if (!instruction)
        return {};
      if (isa<GetElementPtrInst, InsertElementInst, ExtractElementInst, ShuffleVectorInst>(
              instruction))
        addresses.insert(instruction);
      else if (!isAddressOf(*instruction, addresses[i]))
        return {};
      else if (auto access = accessAt(*instruction, addresses[i], places))
        accesses.push_back(std::move(*access));
      else
        return {};
    }
  return accesses;
}

namespace {

/// What a load gives one register: what lies in one register already, what lies across two, or
/// lanes from here and there.
enum class Given { Little, InPlace, Shifted, Scattered };

/// Lanes `first` to `end` of a load. `writers`: the lane that has written each place.
Given givenBy(const SharedAccess &load, unsigned first, unsigned end,
              const DenseMap<int64_t, unsigned> &writers) {
  int64_t size = load.instruction->getDataLayout().getTypeStoreSize(load.element);
  SmallVector<unsigned, 16> byShift(end - first);
  unsigned lanes = 0, last = 0;
  for (unsigned lane = first; lane < end; ++lane) {
    if (!load.mayTouch(lane))
      continue;
    if (lanes++ && load.places[lane] - load.places[last] != size * int64_t(lane - last))
      return Given::Scattered;
    last = lane;
    if (auto writer = writers.find(load.places[lane]); writer != writers.end())
      ++byShift[(writer->second - lane) % (end - first)];
  }
  if (lanes < 2)
    return Given::Little;
  unsigned shift = std::max_element(byShift.begin(), byShift.end()) - byShift.begin();
  if (byShift[shift] + 1 < lanes) // but for one at the rim of a tile
    return Given::Scattered;
  return shift ? Given::Shifted : Given::InPlace;
}

} // namespace

bool isBetterInMemory(ArrayRef<SharedAccess> accesses, const VectorRegisters &registers) {
  int64_t low = INT64_MAX, high = 0;
  DenseMap<int64_t, unsigned> writers;
  for (const SharedAccess &access : accesses) {
    auto [first, end] = access.bytes();
    low = std::min(low, first);
    high = std::max(high, end);
    for (auto [lane, place] : enumerate(access.places))
      if (access.isStore && access.mayTouch(lane))
        writers[place] = lane;
  }
  if (high - low <= 2 * int64_t(registers.count) * registers.bits / 8)
    return false;
  unsigned all = 0, shifted = 0, cells = 0;
  for (const SharedAccess &access : accesses) {
    unsigned length = registers.bits / 32, lanes = access.places.size();
    if (!access.isStore && lanes < length)
      cells += lanes;
    for (unsigned first = 0; !access.isStore && first + length <= lanes; first += length) {
      Given given = givenBy(access, first, first + length, writers);
      if (given == Given::Scattered)
        return false;
      all += given != Given::Little;
      shifted += given == Given::Shifted;
    }
  }
  return 4 * shifted > all || cells > all + registers.count;
}

} // namespace heddle::simt
