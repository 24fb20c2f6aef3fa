// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a CUF loop reads of the host is read on the host: descriptors of arrays, which do not change
// in the loop, and the ways to them through structures. A kernel then needs addresses, extents and
// numbers.
//
//   grid%levels(k)%a(i) = grid%dx       in front: the descriptor of grid%levels, k, the descriptor
//                                       of the element's component a, its address and extents, dx
//
// What the body stores to components of the host is a scalar of the host as any other: its address
// is computed in front, once for all uses of the component.
//
// Components with the attribute device lie in structures of the host. FIR does not carry their
// attribute; Flang has refused those without one (flang/accepted.cpp says for which structures), so
// the memory of a component is the device's, if its elements have no descriptors themselves.
#include "frontend/fortran/loop_invariants.h"
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIRType.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

bool isDescriptor(Type type) { return isa<fir::BaseBoxType>(fir::unwrapRefType(type)); }

/// The address that this one is computed from; null if it is none.
Value baseOf(Value address) {
  Operation *op = address.getDefiningOp();
  if (!op)
    return {};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](fir::DeclareOp declare) { return declare.getMemref(); })
      .Case([](fir::BoxAddrOp box) { return box.getVal(); })
      .Case([](fir::LoadOp load) { return load.getMemref(); })
      .Case([](fir::ConvertOp convert) { return convert.getValue(); })
      .Case([](fir::ReboxOp rebox) { return rebox.getBox(); })
      .Case([](fir::CoordinateOp coordinate) { return coordinate.getRef(); })
      .Case([](fir::ArrayCoorOp element) { return element.getMemref(); })
      .Default([](Operation *) { return Value(); });
}

Value rootOf(Value address) {
  while (Value base = baseOf(address))
    address = base;
  return address;
}

/// Whether a load is of a component's descriptor.
bool isComponent(fir::LoadOp load) {
  auto place = load.getMemref().getDefiningOp<fir::CoordinateOp>();
  return place && isDescriptor(load.getType()) &&
         isa<fir::RecordType>(fir::unwrapPassByRefType(place.getRef().getType())) &&
         !hasDescriptors(fir::unwrapPassByRefType(load.getType()));
}

class Hoister {
public:
  explicit Hoister(cuf::KernelOp loops) : loops_(loops), body_(loops.getRegion()) {
    body_.walk([&](fir::StoreOp store) { stored_.insert(rootOf(store.getMemref())); });
  }

  void run() {
    // What is found is moved at once, so that more lies outside for what follows.
    SmallVector<Operation *> wanted;
    body_.walk([&](Operation *op) {
      auto load = dyn_cast<fir::LoadOp>(op);
      bool isRead = load && (isDescriptor(load.getType()) || isOfStructure(load));
      if (isRead || isPlace(op) || isa<fir::BoxAddrOp, fir::BoxDimsOp>(op))
        wanted.push_back(op);
    });
    for (Operation *op : wanted) {
      llvm::SetVector<Operation *> slice;
      if (!op->getParentOp() || !collect(op->getResult(0), slice))
        continue;
      for (Operation *moved : slice)
        moved->moveBefore(loops_);
      if (isPlace(op))
        places_.push_back(op);
    }
    unifyPlaces();
  }

private:
  bool isOutside(Value value) { return !body_.isAncestor(value.getParentRegion()); }

  /// Whether a number is read from a structure of the host.
  bool isOfStructure(fir::LoadOp load) {
    return fir::isa_trivial(load.getType()) && baseOf(load.getMemref()) &&
           !load.getMemref().getDefiningOp<fir::DeclareOp>() && !isOnDevice(load.getMemref());
  }

  /// Whether the operation gives the address of a number in a structure of the host.
  static bool isPlace(Operation *op) {
    auto place = dyn_cast<fir::CoordinateOp>(op);
    return place && fir::isa_trivial(fir::unwrapRefType(place.getType())) && !isOnDevice(place);
  }

  /// Addresses of one component become one value.
  void unifyPlaces() {
    SmallVector<Operation *> kept;
    for (Operation *place : places_) {
      auto same = llvm::find_if(kept, [&](Operation *other) {
        return OperationEquivalence::isEquivalentTo(place, other,
                                                    OperationEquivalence::IgnoreLocations);
      });
      if (same == kept.end()) {
        kept.push_back(place);
        continue;
      }
      place->replaceAllUsesWith(*same);
      place->erase();
    }
  }

  bool isKept(fir::LoadOp load) {
    if (isDescriptor(load.getType()))
      return true;
    Value root = rootOf(load.getMemref());
    return fir::isa_trivial(load.getType()) && isOutside(root) && !stored_.contains(root) &&
           !isOnDevice(load.getMemref());
  }

  /// Adds what the value is made of inside of the body, operands first; false if the host cannot
  /// compute it.
  bool collect(Value value, llvm::SetVector<Operation *> &slice) {
    if (isOutside(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() != 0)
      return false;
    if (slice.contains(op))
      return true;
    auto load = dyn_cast<fir::LoadOp>(op);
    if (load ? !isKept(load) : !isMemoryEffectFree(op))
      return false;
    for (Value operand : op->getOperands())
      if (!collect(operand, slice))
        return false;
    slice.insert(op);
    return true;
  }

  cuf::KernelOp loops_;
  Region &body_;
  llvm::DenseSet<Value> stored_; ///< the roots of what the body stores to
  SmallVector<Operation *> places_;
};

} // namespace

void hoistInvariants(cuf::KernelOp loops) { Hoister(loops).run(); }

bool isOnDevice(Value value) {
  for (; value; value = baseOf(value)) {
    if (value.getDefiningOp<cuf::AllocOp>())
      return true;
    auto declare = value.getDefiningOp<fir::DeclareOp>();
    auto load = value.getDefiningOp<fir::LoadOp>();
    if ((declare && declare.getDataAttr()) || (load && isComponent(load)))
      return true;
  }
  return false;
}

} // namespace heddle::fortran
