// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of derived type in output statements of kernels. On the host Flang's runtime takes them
// apart by a description of the type, which device code does not have. Without defined output,
// which is not for kernels, a value stands for its components in their order; so each component
// becomes an item of its own:
//
//   _FortranAioOutputDerivedType(s, box of p, table)
//     -> _FortranAioOutputDescriptor(s, box of p%a); _FortranAioOutputDescriptor(s, box of p%b)
//
// An array of such values becomes loops around that.
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

constexpr const char *OutputDerived = "_FortranAioOutputDerivedType";
constexpr const char *OutputItem = "_FortranAioOutputDescriptor";

/// Puts items for a value in the place of a call.
class Splitter {
public:
  Splitter(fir::CallOp call, ModuleOp module)
      : location_(call.getLoc()), builder_(call, fir::getKindMapping(module)),
        statement_(call.getArgs()[0]) {}

  /// All elements of what the box describes.
  void putBox(Value box) {
    Type described = fir::unwrapRefType(cast<fir::BaseBoxType>(box.getType()).getEleTy());
    auto array = dyn_cast<fir::SequenceType>(described);
    if (!array)
      return put(fir::BoxAddrOp::create(builder_, location_, box));
    SmallVector<Value> indices;
    loopOver(
        array.getDimension(),
        [&](unsigned dimension) {
          Type index = builder_.getIndexType();
          Value number = builder_.createIntegerConstant(location_, index, dimension);
          return fir::BoxDimsOp::create(builder_, location_, index, index, index, box, number)
              .getExtent();
        },
        indices,
        [&] {
          Type element = builder_.getRefType(array.getEleTy());
          put(fir::ArrayCoorOp::create(builder_, location_, element, box, Value(), Value(), indices,
                                       ValueRange()));
        });
  }

private:
  /// Calls `body` in loops over the dimensions, the first one innermost; `indices` count from 1.
  void loopOver(unsigned dimension, function_ref<Value(unsigned)> extent,
                SmallVector<Value> &indices, function_ref<void()> body) {
    if (dimension == 0) {
      std::reverse(indices.begin(), indices.end());
      body();
      return std::reverse(indices.begin(), indices.end());
    }
    Value one = builder_.createIntegerConstant(location_, builder_.getIndexType(), 1);
    auto loop = fir::DoLoopOp::create(builder_, location_, one, extent(dimension - 1), one);
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
    loopOver(dimension - 1, extent, indices, body);
    indices.pop_back();
  }

  /// The value at an address: a structure's components, or an item.
  void put(Value address) {
    Type type = fir::unwrapRefType(address.getType());
    if (auto record = dyn_cast<fir::RecordType>(type))
      return putComponents(address, record);
    auto array = dyn_cast<fir::SequenceType>(type);
    if (array && isa<fir::RecordType>(array.getEleTy()))
      return putBox(boxOf(address, array));
    Type anyBox = fir::BoxType::get(builder_.getNoneType());
    Value box = builder_.createConvert(location_, anyBox, boxOf(address, array));
    auto function = FunctionType::get(builder_.getContext(), {statement_.getType(), anyBox},
                                      {builder_.getI1Type()});
    fir::CallOp::create(builder_, location_,
                        builder_.createFunction(location_, OutputItem, function),
                        {statement_, box});
  }

  void putComponents(Value address, fir::RecordType record) {
    Type fieldType = fir::FieldType::get(builder_.getContext());
    for (const auto &[name, type] : record.getTypeList()) {
      Value field =
          fir::FieldIndexOp::create(builder_, location_, fieldType, name, record, ValueRange());
      put(fir::CoordinateOp::create(builder_, location_, builder_.getRefType(type), address,
                                    field));
    }
  }

  /// A box of a component, whose extents are constants.
  Value boxOf(Value address, fir::SequenceType array) {
    Type type = fir::BoxType::get(fir::unwrapRefType(address.getType()));
    SmallVector<Value> extents;
    for (int64_t extent : array ? array.getShape() : ArrayRef<int64_t>())
      extents.push_back(builder_.createIntegerConstant(location_, builder_.getIndexType(), extent));
    Value shape = array ? Value(builder_.genShape(location_, extents)) : Value();
    return fir::EmboxOp::create(builder_, location_, type, address, shape);
  }

  Location location_;
  fir::FirOpBuilder builder_;
  Value statement_;
};

/// The box of a type that an argument was before it was converted to one without.
Value typedBox(Value box) {
  while (auto convert = box.getDefiningOp<fir::ConvertOp>())
    box = convert.getValue();
  return box;
}

/// Whether the components of a type, and of those in it, are all that its values consist of.
bool isPlain(Type type) {
  auto record = dyn_cast<fir::RecordType>(fir::unwrapSequenceType(type));
  if (!record)
    return !isa<fir::BaseBoxType>(type);
  return record.getNumLenParams() == 0 && llvm::all_of(record.getTypeList(), [](const auto &field) {
           return isPlain(field.second);
         });
}

} // namespace

void splitDerivedOutput(ModuleOp device) {
  SmallVector<fir::CallOp> calls;
  device.walk([&](fir::CallOp call) {
    std::optional<SymbolRefAttr> callee = call.getCallee();
    if (callee && callee->getRootReference() == OutputDerived)
      calls.push_back(call);
  });
  for (fir::CallOp call : calls) {
    Value box = typedBox(call.getArgs()[1]);
    auto type = dyn_cast<fir::BoxType>(box.getType());
    if (!type || !isPlain(fir::unwrapRefType(type.getEleTy())))
      continue; // checkRuntimeCalls tells of it
    Splitter(call, device).putBox(box);
    OpBuilder builder(call);
    Value done = arith::ConstantIntOp::create(builder, call.getLoc(), builder.getI1Type(), 1);
    call.getResult(0).replaceAllUsesWith(done);
    call.erase();
  }
}

} // namespace heddle::fortran
