// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's dummy of type character is an address and a length. Flang has one value for both,
// which later passes split on the host alone; here a kernel gets two parameters in each half:
//
//   func @k(%text: !fir.boxchar<1>)  ->  func @k(%at: !fir.ref<!fir.char<1,?>>, %length: index)
//
// As with derived types (launches.cpp), a dummy without an attribute of data is a value: its
// address becomes a parameter with `byval`, and its characters travel with the launch.
#include "frontend/fortran/text_arguments.h"

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIRType.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

bool isText(Type type) { return isa<fir::BoxCharType>(type); }

Type addressType(Type text) {
  return fir::ReferenceType::get(fir::CharacterType::getUnknownLen(
      text.getContext(), cast<fir::BoxCharType>(text).getKind()));
}

/// The length with which a dummy is declared; none if that is assumed.
std::optional<int64_t> declaredLength(Value text) {
  for (Operation *user : text.getUsers()) {
    auto parts = dyn_cast<fir::UnboxCharOp>(user);
    if (!parts)
      continue;
    for (Operation *use : parts.getResult(0).getUsers())
      if (auto convert = dyn_cast<fir::ConvertOp>(use))
        if (auto type = dyn_cast<fir::CharacterType>(fir::unwrapRefType(convert.getType()));
            type && type.hasConstantLen())
          return type.getLen();
  }
  return std::nullopt;
}

/// Splits the block's argument, which keeps its number; the length's is the next.
void splitArgument(Block &entry, unsigned index, Location location) {
  BlockArgument text = entry.getArgument(index);
  Type boxed = text.getType();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  Value length = entry.insertArgument(index + 1, builder.getIndexType(), location);
  text.setType(addressType(boxed));
  auto both = fir::EmboxCharOp::create(builder, location, boxed, text, length);
  text.replaceAllUsesExcept(both, both);
}

/// The characters of a value, as a parameter; no type for what is an address. Fails for a value
/// whose length nobody knows.
FailureOr<Type> typeByValue(func::FuncOp kernel, unsigned argument) {
  if (kernel.getArgAttr(argument, cuf::getDataAttrName()))
    return Type();
  Type byte = IntegerType::get(kernel.getContext(), 8);
  if (kernel.isExternal())
    return Type(LLVM::LLVMArrayType::get(byte, 1)); // its own source has the size
  std::optional<int64_t> length = declaredLength(kernel.getArgument(argument));
  if (!length)
    return emitError(kernel.getLoc(), "a kernel's dummy of type character with the attribute value "
                                      "needs a constant length");
  return Type(LLVM::LLVMArrayType::get(byte, *length));
}

LogicalResult splitDummies(func::FuncOp kernel) {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  SmallVector<unsigned> places; // of texts among the new arguments
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    Type type = kernel.getArgumentTypes()[i];
    NamedAttrList list(kernel.getArgAttrDict(i));
    if (isText(type)) {
      FailureOr<Type> value = typeByValue(kernel, i);
      if (failed(value))
        return failure();
      if (*value)
        list.set("llvm.byval", TypeAttr::get(*value));
      places.push_back(types.size());
      type = addressType(type);
    }
    types.push_back(type);
    attributes.push_back(list.getDictionary(kernel.getContext()));
    if (isText(kernel.getArgumentTypes()[i])) {
      types.push_back(IndexType::get(kernel.getContext()));
      attributes.push_back(DictionaryAttr::get(kernel.getContext()));
    }
  }
  if (places.empty())
    return success();
  if (!kernel.isExternal())
    for (unsigned place : places)
      splitArgument(kernel.front(), place, kernel.getLoc());
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), types, {}));
  kernel.setAllArgAttrs(attributes);
  return success();
}

void splitArguments(cuf::KernelLaunchOp launch) {
  if (llvm::none_of(launch.getArgs().getTypes(), isText))
    return;
  OpBuilder builder(launch);
  SmallVector<Value> values;
  for (Value value : launch.getArgs()) {
    if (!isText(value.getType())) {
      values.push_back(value);
      continue;
    }
    auto parts =
        fir::UnboxCharOp::create(builder, launch.getLoc(), addressType(value.getType()),
                                 builder.getIndexType(), value);
    values.append({parts.getResult(0), parts.getResult(1)});
  }
  launch.getArgsMutable().assign(values);
}

} // namespace

bool isKernel(func::FuncOp function) {
  auto kind = function->getAttrOfType<cuf::ProcAttributeAttr>(cuf::getProcAttrName());
  return kind && (kind.getValue() == cuf::ProcAttribute::Global ||
                  kind.getValue() == cuf::ProcAttribute::GridGlobal);
}

LogicalResult splitTextArguments(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (isKernel(function) && failed(splitDummies(function)))
      return failure();
  module.walk([](cuf::KernelLaunchOp launch) { splitArguments(launch); });
  return success();
}

} // namespace heddle::fortran
