// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initial values of components in device code. Flang 22 has its runtime write those of arrays of
// structures, which kernels have no such function for; the constants that its descriptions of
// types name are stored instead:
//
//   type :: t; integer :: n = 7; end type
//   type(t) :: a(10)                          fir.call @_FortranAInitialize(box of a)
//                                               -> do i: load @_QMmE.di.t.n; store to a(i)%n
//
// A call goes without a replacement where there is nothing to write: the type says so, a
// constructor fills all components anyway, or the variable is shared memory, which begins with
// nothing. One for components with descriptors stays, and checkRuntimeCalls tells of it.
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIRType.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

/// The box that was converted to one without a type; null if it is made otherwise.
fir::EmboxOp typedBox(Value box) {
  while (auto convert = box.getDefiningOp<fir::ConvertOp>())
    box = convert.getValue();
  return box.getDefiningOp<fir::EmboxOp>();
}

fir::RecordType recordOf(fir::EmboxOp box) {
  Type type = fir::unwrapRefType(box.getMemref().getType());
  return dyn_cast<fir::RecordType>(fir::unwrapSequenceType(type));
}

bool isVain(fir::EmboxOp box, ModuleOp host) {
  auto info = host.lookupSymbol<fir::TypeInfoOp>(recordOf(box).getName());
  auto declare = box.getMemref().getDefiningOp<fir::DeclareOp>();
  bool isShared = declare && declare.getDataAttr() == cuf::DataAttribute::Shared;
  bool isConstructor = declare && declare.getUniqName() == "ctor.temp";
  return (info && info.getNoInit()) || isShared ||
         (isConstructor && !hasDescriptors(recordOf(box)));
}

class Writer {
public:
  Writer(fir::CallOp call, ModuleOp host)
      : location_(call.getLoc()), builder_(call, fir::getKindMapping(host)), host_(host) {}

  /// All elements of what the box describes.
  void write(Value box) {
    Type described = fir::unwrapRefType(cast<fir::BaseBoxType>(box.getType()).getEleTy());
    auto array = dyn_cast<fir::SequenceType>(described);
    if (!array)
      return writeComponents(fir::BoxAddrOp::create(builder_, location_, box));
    OpBuilder::InsertionGuard guard(builder_);
    Type index = builder_.getIndexType();
    SmallVector<Value> indices;
    for (unsigned dimension = array.getDimension(); dimension-- > 0;) {
      Value one = builder_.createIntegerConstant(location_, index, 1);
      Value number = builder_.createIntegerConstant(location_, index, dimension);
      Value extent =
          fir::BoxDimsOp::create(builder_, location_, index, index, index, box, number).getExtent();
      auto loop = fir::DoLoopOp::create(builder_, location_, one, extent, one);
      indices.insert(indices.begin(), loop.getInductionVar());
      builder_.setInsertionPointToStart(loop.getBody());
    }
    writeComponents(fir::ArrayCoorOp::create(builder_, location_,
                                             builder_.getRefType(array.getEleTy()), box, Value(),
                                             Value(), indices, ValueRange()));
  }

private:
  void writeComponents(Value address) {
    auto record = cast<fir::RecordType>(fir::unwrapRefType(address.getType()));
    auto info = host_.lookupSymbol<fir::TypeInfoOp>(record.getName());
    Type fieldType = fir::FieldType::get(builder_.getContext());
    for (const auto &[name, type] : record.getTypeList()) {
      FlatSymbolRefAttr constant = constantOf(info, name);
      if (!constant && !isa<fir::RecordType>(fir::unwrapSequenceType(type)))
        continue;
      Value field =
          fir::FieldIndexOp::create(builder_, location_, fieldType, name, record, ValueRange());
      Value place =
          fir::CoordinateOp::create(builder_, location_, builder_.getRefType(type), address, field);
      if (constant)
        copy(constant, place);
      else
        write(boxOf(place));
    }
  }

  static FlatSymbolRefAttr constantOf(fir::TypeInfoOp info, StringRef component) {
    if (!info || info.getComponentInfo().empty())
      return {};
    for (auto entry : info.getComponentInfo().getOps<fir::DTComponentOp>())
      if (entry.getName() == component)
        return entry.getInitValAttr();
    return {};
  }

  void copy(FlatSymbolRefAttr constant, Value place) {
    Value from = fir::AddrOfOp::create(builder_, location_, place.getType(), constant);
    Value value = fir::LoadOp::create(builder_, location_, from);
    fir::StoreOp::create(builder_, location_, value, place);
  }

  Value boxOf(Value address) {
    Type type = fir::unwrapRefType(address.getType());
    auto array = dyn_cast<fir::SequenceType>(type);
    SmallVector<Value> extents;
    for (int64_t extent : array ? array.getShape() : ArrayRef<int64_t>())
      extents.push_back(builder_.createIntegerConstant(location_, builder_.getIndexType(), extent));
    Value shape = array ? Value(builder_.genShape(location_, extents)) : Value();
    return fir::EmboxOp::create(builder_, location_, fir::BoxType::get(type), address, shape);
  }

  Location location_;
  fir::FirOpBuilder builder_;
  ModuleOp host_;
};

} // namespace

void writeInitialValues(Operation *code, ModuleOp host) {
  SmallVector<fir::CallOp> calls;
  code->walk([&](fir::CallOp call) {
    std::optional<SymbolRefAttr> callee = call.getCallee();
    if (callee && callee->getRootReference() == "_FortranAInitialize")
      calls.push_back(call);
  });
  for (fir::CallOp call : calls) {
    fir::EmboxOp box = typedBox(call.getArgs()[0]);
    if (!box || !recordOf(box))
      continue;
    bool isDone = isVain(box, host);
    if (!isDone && hasDescriptors(recordOf(box)))
      continue;
    if (!isDone)
      Writer(call, host).write(box);
    call.erase();
  }
}

} // namespace heddle::fortran
