// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What -Minfo tells of CUF loops, in nvfortran's form:
//
//   pi:
//        14, CUDA kernel generated
//            14, !$cuf kernel do <<< (*), (256) >>>
//            Sum reduction generated for inside
#include "frontend/fortran/loop_variables.h"
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Support/InternalNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

unsigned lineOf(Location location) {
  unsigned line = 0;
  location->walk([&](Location inner) {
    if (auto place = dyn_cast<FileLineColLoc>(inner); place && line == 0)
      line = place.getLine();
    return WalkResult::advance();
  });
  return line;
}

/// The user's name of a variable, or none for what the compiler made.
std::string nameOf(Value variable) {
  if (auto declare = variable.getDefiningOp<fir::DeclareOp>())
    return fir::NameUniquer::deconstruct(declare.getUniqName()).second.name;
  return "";
}

std::string procedureName(cuf::KernelOp loops) {
  auto function = loops->getParentOfType<func::FuncOp>();
  if (auto name = function->getAttrOfType<StringAttr>("fir.bindc_name")) // of a main program
    return name.getValue().lower();
  return fir::NameUniquer::deconstruct(function.getName()).second.name;
}

/// One size in the chevrons: its number, "*", or the name of a variable.
std::string sizeText(Value value) {
  while (auto convert = value.getDefiningOp<fir::ConvertOp>())
    value = convert.getValue();
  if (auto known = value.getDefiningOp<arith::ConstantOp>()) {
    int64_t number = cast<IntegerAttr>(known.getValue()).getInt();
    return number == 0 ? "*" : std::to_string(number);
  }
  auto load = value.getDefiningOp<fir::LoadOp>();
  std::string name = load ? nameOf(load.getMemref()) : "";
  return name.empty() ? "..." : name;
}

std::string shapeText(OperandRange sizes) {
  std::string text;
  for (Value size : sizes)
    text += (text.empty() ? "" : ",") + sizeText(size);
  return "(" + (text.empty() ? "*" : text) + ")";
}

StringRef reductionName(fir::ReduceOperationEnum operation) {
  using Kind = fir::ReduceOperationEnum;
  switch (operation) {
  case Kind::Add:
    return "Sum";
  case Kind::Multiply:
    return "Product";
  case Kind::MAX:
    return "Max";
  case Kind::MIN:
    return "Min";
  case Kind::IAND:
    return "Bitwise-and";
  case Kind::IOR:
    return "Bitwise-or";
  case Kind::IEOR:
    return "Bitwise-exclusive-or";
  case Kind::AND:
    return "Logical-and";
  case Kind::OR:
    return "Logical-or";
  case Kind::EQV:
    return "Equivalence";
  case Kind::NEQV:
    return "Non-equivalence";
  }
  return "";
}

bool isScalarOfHost(Value value) {
  auto declare = value.getDefiningOp<fir::DeclareOp>();
  return declare && !declare.getDataAttr() && fir::isa_trivial(fir::unwrapRefType(value.getType()));
}

void tell(cuf::KernelOp loops) {
  unsigned line = lineOf(loops.getLoc());
  llvm::errs() << llvm::format("%7u", line) << ", CUDA kernel generated\n"
               << llvm::format("%11u", line) << ", !$cuf kernel do <<< "
               << shapeText(loops.getGrid()) << ", " << shapeText(loops.getBlock()) << " >>>\n";
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(loops.getRegion(), captured);
  for (Value value : captured) {
    if (!isScalarOfHost(value))
      continue;
    Scalar scalar = classifyScalar(loops, value);
    if (scalar.use == ScalarUse::Reduction)
      llvm::errs() << "           " << reductionName(scalar.reduction)
                   << " reduction generated for " << nameOf(value) << "\n";
  }
}

} // namespace

void tellOfLoops(ModuleOp module) {
  std::string procedure;
  module.walk<WalkOrder::PreOrder>([&](cuf::KernelOp loops) {
    std::string name = procedureName(loops);
    if (name != procedure)
      llvm::errs() << name << ":\n";
    procedure = name;
    tell(loops);
  });
}

} // namespace heddle::fortran
