// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The globals block has three parts: what has initial bytes, what starts as zero, and the slots of
// managed variables. Only the first part is stored in the image. Within a part the order is the
// module's, each variable at its own alignment. A managed variable's initial bytes lie in the first
// or second part.
//
// An initial value may hold addresses. The address of another variable becomes a relocation (the
// block's address is known only when a device makes it); the address of a function is its tagged
// number.
#include "frontend/layout.h"

#include "frontend/annotations.h"
#include "frontend/error.h"
#include "frontend/functions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace heddle::frontend {

using namespace llvm;

namespace {

constexpr uint64_t SlotBytes = 8;

std::string nameOf(const GlobalValue &value) { return demangle(value.getName().str()); }

VariableSpace spaceOf(const GlobalVariable &variable, bool isManaged) {
  if (isManaged)
    return VariableSpace::Managed;
  switch (variable.getAddressSpace()) {
  case GlobalSpace:
    return VariableSpace::Global;
  case ConstantSpace: // clang makes constants of the host's const variables too, used here or not
    return variable.isConstant() && variable.use_empty() ? VariableSpace::Internal
                                                         : VariableSpace::Constant;
  default: // string literals, tables, vtables
    return VariableSpace::Internal;
  }
}

bool startsAsZero(const GlobalVariable &variable) {
  const Constant *value = variable.getInitializer();
  return value->isNullValue() || isa<UndefValue>(value);
}

/// Writes initial values into the block.
class InitWriter {
public:
  InitWriter(GlobalsLayout &layout, const DataLayout &dataLayout, ArrayRef<Function *> functions)
      : layout_(layout), dataLayout_(dataLayout) {
    for (const PlacedVariable &placed : layout.variables)
      places_[placed.variable] = &placed;
    for (size_t i = 0; i != functions.size(); ++i)
      numbers_[functions[i]] = i;
  }

  Error write(const PlacedVariable &placed) {
    current_ = placed.variable;
    return write(*placed.variable->getInitializer(), placed.initOffset);
  }

private:
  Error write(const Constant &value, uint64_t at) {
    if (value.isNullValue() || isa<UndefValue>(value))
      return Error::success();
    if (auto *data = dyn_cast<ConstantDataSequential>(&value))
      return writeData(*data, at);
    if (auto *integer = dyn_cast<ConstantInt>(&value))
      return putBits(integer->getValue(), integer->getType(), at);
    if (auto *real = dyn_cast<ConstantFP>(&value))
      return putBits(real->getValueAPF().bitcastToAPInt(), real->getType(), at);
    if (isa<ConstantAggregate>(value))
      return writeAggregate(value, at);
    return writeAddress(value, at);
  }

  Error writeData(const ConstantDataSequential &data, uint64_t at) {
    StringRef bytes = data.getRawDataValues(); // host byte order: little-endian, as the device
    std::memcpy(reserve(at, bytes.size()), bytes.data(), bytes.size());
    return Error::success();
  }

  Error putBits(const APInt &bits, Type *type, uint64_t at) {
    uint64_t size = dataLayout_.getTypeStoreSize(type).getFixedValue();
    APInt wide = bits.zext(static_cast<unsigned>(alignTo(size, 8) * 8));
    std::memcpy(reserve(at, size), wide.getRawData(), size);
    return Error::success();
  }

  Error writeAggregate(const Constant &value, uint64_t at) {
    auto *structure = dyn_cast<StructType>(value.getType());
    const StructLayout *fields = structure ? dataLayout_.getStructLayout(structure) : nullptr;
    for (unsigned i = 0; i != value.getNumOperands(); ++i) {
      auto &element = *cast<Constant>(value.getOperand(i));
      uint64_t stride = dataLayout_.getTypeAllocSize(element.getType()).getFixedValue();
      uint64_t offset = fields ? fields->getElementOffset(i).getFixedValue() : i * stride;
      if (Error error = write(element, at + offset))
        return error;
    }
    return Error::success();
  }

  Error writeAddress(const Constant &value, uint64_t at) {
    const Constant *pointer = &value;
    if (auto *expression = dyn_cast<ConstantExpr>(pointer)) {
      if (expression->getOpcode() == Instruction::IntToPtr &&
          isa<ConstantInt>(expression->getOperand(0)))
        return write(*expression->getOperand(0), at);
      if (expression->getOpcode() == Instruction::PtrToInt)
        pointer = expression->getOperand(0);
    }
    if (!pointer->getType()->isPointerTy())
      return unknownValue();
    APInt offset(dataLayout_.getIndexTypeSizeInBits(pointer->getType()), 0);
    const Value *base =
        pointer->stripAndAccumulateConstantOffsets(dataLayout_, offset, /*AllowNonInbounds=*/true);
    return putAddress(base, offset.getSExtValue(), at);
  }

  Error putAddress(const Value *base, int64_t offset, uint64_t at) {
    if (auto *function = dyn_cast<Function>(base); function && numbers_.contains(function)) {
      uint64_t address = functionAddress(numbers_[function]) + static_cast<uint64_t>(offset);
      std::memcpy(reserve(at, sizeof(address)), &address, sizeof(address));
      return Error::success();
    }
    auto *variable = dyn_cast<GlobalVariable>(base);
    auto place = variable ? places_.find(variable) : places_.end();
    if (place == places_.end())
      return unknownValue();
    if (place->second->space == VariableSpace::Managed)
      return fail("initial value of device variable '" + nameOf(*current_) +
                  "' is the address of managed variable '" + nameOf(*variable) +
                  "', which is not known before the program runs");
    reserve(at, sizeof(uint64_t));
    layout_.relocations.push_back({at, place->second->offset + static_cast<uint64_t>(offset)});
    return Error::success();
  }

  Error unknownValue() const {
    return fail("initial value of device variable '" + nameOf(*current_) +
                "' is not known before the program runs");
  }

  uint8_t *reserve(uint64_t at, uint64_t size) {
    if (layout_.init.size() < at + size)
      layout_.init.resize(at + size);
    return layout_.init.data() + at;
  }

  GlobalsLayout &layout_;
  const DataLayout &dataLayout_;
  DenseMap<const GlobalVariable *, const PlacedVariable *> places_;
  DenseMap<const Function *, uint64_t> numbers_;
  const GlobalVariable *current_ = nullptr;
};

/// Appends the variables that start as zero, or the others, to the block.
void place(GlobalsLayout &layout, bool zero) {
  for (PlacedVariable &placed : layout.variables) {
    if (startsAsZero(*placed.variable) != zero)
      continue;
    layout.align = std::max(layout.align, placed.align);
    placed.initOffset = alignTo(layout.bytes, placed.align);
    placed.offset = placed.initOffset;
    layout.bytes = placed.initOffset + std::max<uint64_t>(placed.size, 1);
  }
}

void placeManagedSlots(GlobalsLayout &layout) {
  for (PlacedVariable &placed : layout.variables) {
    if (placed.space != VariableSpace::Managed)
      continue;
    placed.offset = alignTo(layout.bytes, SlotBytes);
    layout.bytes = placed.offset + SlotBytes;
  }
}

} // namespace

GlobalsLayout listVariables(Module &module) {
  GlobalsLayout layout;
  const DataLayout &dataLayout = module.getDataLayout();
  DenseSet<const GlobalValue *> managed;
  for (const Annotation &annotation : readAnnotations(module))
    if (annotation.text == "heddle_managed")
      managed.insert(annotation.target);
  for (GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() == SharedSpace || isBookkeeping(variable))
      continue;
    if (!variable.hasName())
      variable.setName("heddle.data");
    uint64_t align = dataLayout.getPreferredAlign(&variable).value();
    layout.variables.push_back(
        {&variable, spaceOf(variable, managed.contains(&variable)), variable.isDeclaration(),
         dataLayout.getTypeAllocSize(variable.getValueType()).getFixedValue(),
         variable.getAlign() ? variable.getAlign()->value() : align, 0, 0});
  }
  return layout;
}

Error layOut(GlobalsLayout &layout, const DataLayout &dataLayout, ArrayRef<Function *> functions) {
  for (const PlacedVariable &placed : layout.variables)
    if (placed.isExtern)
      return fail("device variable '" + nameOf(*placed.variable) + "' is declared but not defined");
  place(layout, /*zero=*/false);
  place(layout, /*zero=*/true);
  placeManagedSlots(layout);
  layout.bytes = alignTo(layout.bytes, 16);
  InitWriter writer(layout, dataLayout, functions);
  for (const PlacedVariable &placed : layout.variables)
    if (!startsAsZero(*placed.variable))
      if (Error error = writer.write(placed))
        return error;
  return Error::success();
}

Error layOutManaged(GlobalsLayout &layout, const DataLayout &dataLayout) {
  InitWriter writer(layout, dataLayout, {});
  for (PlacedVariable &placed : layout.variables) {
    if (placed.space != VariableSpace::Managed || placed.isExtern)
      continue;
    placed.initOffset = alignTo(layout.bytes, placed.align);
    layout.bytes = placed.initOffset + std::max<uint64_t>(placed.size, 1);
    if (!startsAsZero(*placed.variable))
      if (Error error = writer.write(placed))
        return error;
  }
  if (!layout.relocations.empty())
    return fail("the initial value of a managed variable holds an address, which relocatable "
                "device code does not know before the program runs");
  return Error::success();
}

} // namespace heddle::frontend
