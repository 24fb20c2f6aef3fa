// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to arrays of structures: the address of lane l is base + l * stride, and the stride is a
// small multiple of the element's size. One wide access over all structures and shuffles take the
// place of gathers and scatters. Neighbouring members of the structure (x, y, z, w of a float4)
// that a block reads or writes without other memory accesses between share the wide access:
//
//     ; stride 16                     %wide = masked.load <128 x i32>, %p, mask spread by 4
//     %x = load float, %p             %x = shuffle %wide, <0, 4, 8, ...>
//     %y = load float, %p + 4    ->   %y = shuffle %wide, <1, 5, 9, ...>
//     %z = load float, %p + 8         %z = shuffle %wide, <2, 6, 10, ...>
//
// The mask of the wide access has exactly the bytes that the lanes' own accesses touch, so nothing
// is read or written that the program does not.
//
// Bytes at a stride of three (`rgb[3 * i]`) are loaded as structures, and where each becomes a
// number of 32 bits a lane's bytes are moved together, to where shifts and masks take them apart.
// They are stored so where the machine has masked stores of bytes; elsewhere a kernel that only
// stores such bytes runs at width 1, for no instruction scatters bytes.
#include "simt/widen/memory/interleaved_accesses.h"

#include "simt/analysis/access_forms.h"
#include "simt/thread/mark_streams.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

namespace {

Value *addressOfSimpleAccess(Instruction *access) {
  if (auto *load = dyn_cast<LoadInst>(access))
    return load->isSimple() ? load->getPointerOperand() : nullptr;
  auto *store = dyn_cast<StoreInst>(access);
  return store && store->isSimple() ? store->getPointerOperand() : nullptr;
}

Type *elementOf(Instruction *access) {
  return isa<LoadInst>(access) ? access->getType()
                               : cast<StoreInst>(access)->getValueOperand()->getType();
}

Align alignOfAccess(Instruction *access) {
  return isa<LoadInst>(access) ? cast<LoadInst>(access)->getAlign()
                               : cast<StoreInst>(access)->getAlign();
}

} // namespace

int64_t InterleavedAccesses::sizeOf(Instruction &access) const {
  Value *address = addressOfSimpleAccess(&access);
  Type *element = address ? elementOf(&access) : nullptr;
  if (!element || !(element->isIntegerTy() || element->isFloatingPointTy()))
    return 0;
  int64_t bits = element->getScalarSizeInBits();
  bool isPart = is_contained({16, 32, 64}, bits) ||
                (bits == 8 && (isa<LoadInst>(access) || storesBytes(e_.options.registers)));
  if (!isPart)
    return 0;
  Shape shape = e_.shapes.of(address);
  int64_t size = bits / 8;
  bool affine = shape.segment == e_.width;
  bool inSegments = shape.period == e_.width && shape.segment * shape.stride >= ShortestStructures;
  bool strided = (affine || inSegments) && shape.stride % size == 0;
  return e_.width > 1 && strided && shape.stride >= 2 * size &&
                 shape.stride <= MostInterleaved * size
             ? size
             : 0;
}

/// The accesses from `first` on, in its block, that can share one wide access with it; `first` is
/// the first of them.
InterleavedAccesses::Group InterleavedAccesses::findGroup(Instruction &first) const {
  const DataLayout &layout = e_.module.getDataLayout();
  bool isLoad = isa<LoadInst>(first);
  int64_t size = sizeOf(first), stride = e_.shapes.of(addressOfSimpleAccess(&first)).stride;
  auto rootOf = [&](Instruction *access, int64_t &offset) {
    APInt total(64, 0);
    Value *root =
        addressOfSimpleAccess(access)->stripAndAccumulateConstantOffsets(layout, total,
                                                                         /*AllowNonInbounds=*/true);
    offset = total.getSExtValue();
    return root;
  };
  int64_t firstOffset = 0;
  Value *root = rootOf(&first, firstOffset);
  Group group{stride / size, size, firstOffset, {{&first, firstOffset}}};
  int64_t low = firstOffset, high = firstOffset;
  for (Instruction *next = first.getNextNode(); next && !next->isTerminator();
       next = next->getNextNode()) {
    bool sameKind = isLoad ? isa<LoadInst>(next) : isa<StoreInst>(next);
    int64_t offset = 0;
    if (sameKind && sizeOf(*next) == size &&
        e_.shapes.of(addressOfSimpleAccess(next)).stride == stride &&
        rootOf(next, offset) == root) {
      bool fits = (offset - firstOffset) % size == 0 &&
                  std::max(high, offset) - std::min(low, offset) < stride;
      bool fresh =
          none_of(group.members, [&](const auto &member) { return member.second == offset; });
      if (fits && fresh) {
        group.members.push_back({next, offset});
        low = std::min(low, offset);
        high = std::max(high, offset);
        continue;
      }
    }
    if (next->mayWriteToMemory() || (!isLoad && next->mayReadFromMemory()) ||
        !isGuaranteedToTransferExecutionToSuccessor(next))
      break;
  }
  group.low = low;
  return group;
}

/// Which elements of the wide access the active lanes touch.
Value *InterleavedAccesses::spreadMask(const Group &group) {
  SmallVector<int, 256> picks;
  for (unsigned lane = 0; lane < e_.width; ++lane)
    for (int64_t element = 0; element < group.factor; ++element) {
      bool touched = any_of(group.members, [&](const auto &m) {
        return (m.second - group.low) / group.size == element;
      });
      picks.push_back(touched ? lane : e_.width);
    }
  return builder_.CreateShuffleVector(masks_.active(),
                                      Constant::getNullValue(masks_.active()->getType()), picks);
}

Align InterleavedAccesses::alignOf(const Group &group) const {
  Align align(group.size);
  for (auto [access, offset] : group.members)
    align = std::min(align, alignOfAccess(access));
  return align;
}

/// Structures of three or four bytes, each of which the thread makes a number of 32 bits of: the
/// bytes of one lane are moved together, to where shifts and masks take them apart.
static bool areMadeNumbers(ArrayRef<std::pair<Instruction *, int64_t>> members) {
  return all_of(members, [](const auto &member) {
    return all_of(member.first->users(), [](const User *user) {
      return isa<ZExtInst, SExtInst, UIToFPInst, SIToFPInst>(user) &&
             user->getType()->getScalarSizeInBits() == 32;
    });
  });
}

/// A number of 32 bits for each lane, of the structures' first four bytes.
Value *InterleavedAccesses::wordsOf(Value *wide, const Group &group) {
  SmallVector<int, 256> picks;
  for (unsigned lane = 0; lane < e_.width; ++lane)
    for (int64_t byte = 0; byte < 4; ++byte)
      picks.push_back(byte < group.factor ? int(lane * group.factor + byte) : PoisonMaskElem);
  return builder_.CreateBitCast(builder_.CreateShuffleVector(wide, picks),
                                FixedVectorType::get(builder_.getInt32Ty(), e_.width));
}

/// Where the structures of a segment begin.
Value *InterleavedAccesses::baseOf(const Group &group, unsigned lane) {
  auto [access, offset] = group.members.front();
  return builder_.CreateGEP(builder_.getInt8Ty(),
                            values_.pointerAt(addressOfSimpleAccess(access), lane),
                            builder_.getInt64(group.low - offset));
}

/// The structures of all lanes, one after the other.
Value *InterleavedAccesses::loadStructs(const Group &group, MDNode *stream) {
  unsigned segment = e_.shapes.of(addressOfSimpleAccess(group.members.front().first)).segment;
  unsigned elements = segment * group.factor;
  Type *type = FixedVectorType::get(builder_.getIntNTy(8 * group.size), elements);
  Value *mask = spreadMask(group);
  SmallVector<Value *, 32> parts;
  for (unsigned first = 0; first < e_.width; first += segment) {
    CallInst *part = builder_.CreateMaskedLoad(
        type, baseOf(group, first), alignOf(group),
        slice(builder_, mask, first * group.factor, elements), PoisonValue::get(type));
    part->setMetadata(StreamMetadata, stream);
    parts.push_back(part);
  }
  return concatenate(builder_, parts);
}

void InterleavedAccesses::storeStructs(Value *wide, const Group &group, MDNode *stream) {
  unsigned segment = e_.shapes.of(addressOfSimpleAccess(group.members.front().first)).segment;
  unsigned elements = segment * group.factor;
  Value *mask = spreadMask(group);
  for (unsigned first = 0; first < e_.width; first += segment)
    builder_
        .CreateMaskedStore(slice(builder_, wide, first * group.factor, elements),
                           baseOf(group, first), alignOf(group),
                           slice(builder_, mask, first * group.factor, elements))
        ->setMetadata(StreamMetadata, stream);
}

/// One wide load, of which each member takes its elements.
void InterleavedAccesses::loadMembers(const Group &group, MDNode *stream) {
  Value *wide = loadStructs(group, stream);
  e_.context.result.hasStructs = true;
  bool isSmall = group.size == 1 && is_contained({3, 4}, group.factor);
  Value *words = isSmall && areMadeNumbers(group.members) ? wordsOf(wide, group) : nullptr;
  for (auto [access, offset] : group.members) {
    Type *type = e_.vectorType(access->getType());
    if (words) {
      loaded_[access] =
          builder_.CreateTrunc(builder_.CreateLShr(words, 8 * (offset - group.low)), type);
      continue;
    }
    SmallVector<int, 32> picks;
    for (unsigned lane = 0; lane < e_.width; ++lane)
      picks.push_back(lane * group.factor + (offset - group.low) / group.size);
    loaded_[access] = builder_.CreateBitCast(builder_.CreateShuffleVector(wide, picks), type);
  }
}

Value *InterleavedAccesses::emitLoad(LoadInst &load) {
  if (!sizeOf(load))
    return nullptr;
  if (!loaded_.contains(&load))
    loadMembers(findGroup(load), load.getMetadata(StreamMetadata));
  return loaded_.lookup(&load);
}

/// The values of later members are not computed yet: the wide store takes the place of the last
/// one. That one ends its group, whatever follows it.
bool InterleavedAccesses::emitStore(StoreInst &store) {
  if (deferredStores_.erase(&store))
    return true;
  if (!sizeOf(store))
    return false;
  Group group;
  if (auto found = storeGroups_.find(&store); found != storeGroups_.end()) {
    group = found->second;
  } else {
    group = findGroup(store);
    Instruction *last = group.members.back().first;
    if (last != &store) {
      for (auto [access, offset] : group.members)
        if (access != last && access != &store)
          deferredStores_.insert(access);
      storeGroups_[last] = group;
      return true;
    }
  }
  storeMembers(group, store.getMetadata(StreamMetadata));
  return true;
}

void InterleavedAccesses::storeMembers(const Group &group, MDNode *stream) {
  Type *element = builder_.getIntNTy(8 * group.size);
  Value *wide = PoisonValue::get(FixedVectorType::get(element, e_.width * group.factor));
  for (auto [access, offset] : group.members) {
    Value *lanes = values_.vector(cast<StoreInst>(access)->getValueOperand());
    lanes = builder_.CreateBitCast(lanes, FixedVectorType::get(element, e_.width));
    SmallVector<int, 256> spread(e_.width * group.factor, PoisonMaskElem), merge;
    for (unsigned lane = 0; lane < e_.width; ++lane)
      spread[lane * group.factor + (offset - group.low) / group.size] = lane;
    Value *placed = builder_.CreateShuffleVector(lanes, spread);
    for (unsigned i = 0; i < spread.size(); ++i)
      merge.push_back(spread[i] == PoisonMaskElem ? i : spread.size() + i);
    wide = builder_.CreateShuffleVector(wide, placed, merge);
  }
  storeStructs(wide, group, stream);
}

} // namespace heddle::simt
