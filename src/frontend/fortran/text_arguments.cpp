// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's dummy of type character is an address and a length. Flang has one value for both,
// which later passes split on the host alone; here a kernel gets two parameters in each half:
//
//   func @k(%text: !fir.boxchar<1>)  ->  func @k(%at: !fir.ref<!fir.char<1,?>>, %length: index)
//
// As with derived types (launches.cpp), a dummy without an attribute of data is a value. The launch
// copies its characters to the device and gives the copy's address, since the length may be known
// then alone; each thread has a copy of its own of that.
//
//   cuf.kernel_launch @k(%text)
//     -> %copy = fir.call @heddleFortranCopyText(address, length, stream)
//        cuf.kernel_launch @k(%copy, length)
//        fir.call @heddleFortranFreeText(%copy, stream)
#include "frontend/fortran/text_arguments.h"

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIRType.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"

#include "mlir/IR/SymbolTable.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

bool isText(Type type) { return isa<fir::BoxCharType>(type); }

bool isValue(func::FuncOp kernel, unsigned argument) {
  return !kernel.getArgAttr(argument, cuf::getDataAttrName());
}

Type addressType(Type text) {
  return fir::ReferenceType::get(
      fir::CharacterType::getUnknownLen(text.getContext(), cast<fir::BoxCharType>(text).getKind()));
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

func::FuncOp function(fir::FirOpBuilder &builder, Location location, StringRef name,
                      ArrayRef<Type> arguments, ArrayRef<Type> results) {
  if (func::FuncOp known = builder.getNamedFunction(name))
    return known;
  return builder.createFunction(location, name,
                                FunctionType::get(builder.getContext(), arguments, results));
}

/// Memory of the thread with the characters at an address.
Value copyOf(fir::FirOpBuilder &builder, Location location, Value text, Value length,
             std::optional<int64_t> declared) {
  MLIRContext *context = builder.getContext();
  unsigned kind = cast<fir::CharacterType>(fir::unwrapRefType(text.getType())).getFKind();
  Type generic = fir::ReferenceType::get(builder.getI8Type());
  Value memory;
  if (declared) {
    memory =
        fir::AllocaOp::create(builder, location, fir::CharacterType::get(context, kind, *declared));
    length = builder.createIntegerConstant(location, builder.getIndexType(), *declared);
  } else {
    memory = fir::AllocaOp::create(
        builder, location, fir::CharacterType::getUnknownLen(context, kind), ValueRange{length});
  }
  auto copy = function(builder, location, "heddleFortranTakeText",
                       {generic, generic, builder.getIndexType()}, {});
  fir::CallOp::create(builder, location, copy,
                      ValueRange{builder.createConvert(location, generic, memory),
                                 builder.createConvert(location, generic, text), length});
  return builder.createConvert(location, text.getType(), memory);
}

/// Splits the block's argument, which keeps its number; the length's is the next.
void splitArgument(func::FuncOp kernel, unsigned index, bool isValue) {
  Block &entry = kernel.front();
  Location location = kernel.getLoc();
  BlockArgument text = entry.getArgument(index);
  std::optional<int64_t> declared = declaredLength(text);
  Type boxed = text.getType();
  fir::FirOpBuilder builder(kernel, fir::getKindMapping(kernel->getParentOfType<ModuleOp>()));
  builder.setInsertionPointToStart(&entry);
  Value length = entry.insertArgument(index + 1, builder.getIndexType(), location);
  auto box = fir::EmboxCharOp::create(builder, location, boxed, text, length);
  text.replaceAllUsesExcept(box, box);
  text.setType(addressType(boxed));
  if (!isValue)
    return;
  builder.setInsertionPoint(box);
  box.getMemrefMutable().assign(copyOf(builder, location, text, length, declared));
}

void splitDummies(func::FuncOp kernel) {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  SmallVector<std::pair<unsigned, bool>> texts; // places among the new arguments; which are values
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    Type type = kernel.getArgumentTypes()[i];
    attributes.push_back(kernel.getArgAttrDict(i));
    types.push_back(isText(type) ? addressType(type) : type);
    if (!isText(type))
      continue;
    texts.push_back({types.size() - 1, isValue(kernel, i)});
    types.push_back(IndexType::get(kernel.getContext()));
    attributes.push_back(DictionaryAttr::get(kernel.getContext()));
  }
  if (texts.empty())
    return;
  if (!kernel.isExternal())
    for (auto [place, isValue] : texts)
      splitArgument(kernel, place, isValue);
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), types, {}));
  kernel.setAllArgAttrs(attributes);
}

/// `kernel` has its dummies as Flang wrote them.
void splitArguments(cuf::KernelLaunchOp launch, func::FuncOp kernel) {
  if (llvm::none_of(launch.getArgs().getTypes(), isText))
    return;
  Location location = launch.getLoc();
  fir::FirOpBuilder builder(launch, fir::getKindMapping(launch->getParentOfType<ModuleOp>()));
  Type generic = fir::ReferenceType::get(builder.getI8Type());
  Value stream = launch.getStream() ? builder.createConvert(location, generic, launch.getStream())
                                    : builder.createNullConstant(location, generic);
  SmallVector<Value> values, copies;
  for (auto [i, value] : llvm::enumerate(launch.getArgs())) {
    if (!isText(value.getType())) {
      values.push_back(value);
      continue;
    }
    auto parts = fir::UnboxCharOp::create(builder, location, addressType(value.getType()),
                                          builder.getIndexType(), value);
    Value address = parts.getResult(0), length = parts.getResult(1);
    if (isValue(kernel, static_cast<unsigned>(i))) {
      auto copy = function(builder, location, "heddleFortranCopyText",
                           {generic, builder.getIndexType(), generic}, {generic});
      copies.push_back(
          fir::CallOp::create(
              builder, location, copy,
              ValueRange{builder.createConvert(location, generic, address), length, stream})
              .getResult(0));
      address = builder.createConvert(location, address.getType(), copies.back());
    }
    values.append({address, length});
  }
  launch.getArgsMutable().assign(values);
  builder.setInsertionPointAfter(launch);
  for (Value copy : copies)
    fir::CallOp::create(
        builder, location,
        function(builder, location, "heddleFortranFreeText", {generic, generic}, {}),
        ValueRange{copy, stream});
}

} // namespace

bool isKernel(func::FuncOp function) {
  auto kind = function->getAttrOfType<cuf::ProcAttributeAttr>(cuf::getProcAttrName());
  return kind && (kind.getValue() == cuf::ProcAttribute::Global ||
                  kind.getValue() == cuf::ProcAttribute::GridGlobal);
}

void splitTextArguments(ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<cuf::KernelLaunchOp> launches;
  module.walk([&](cuf::KernelLaunchOp launch) { launches.push_back(launch); });
  for (cuf::KernelLaunchOp launch : launches)
    if (auto kernel = symbols.lookup<func::FuncOp>(launch.getCallee().getLeafReference()))
      splitArguments(launch, kernel);
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (isKernel(function))
      splitDummies(function);
}

} // namespace heddle::fortran
