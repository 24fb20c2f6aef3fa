// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Surfaces (PTX ISA, "suld", "sust", "sured"), as the functions of heddle/surface_functions.h are: the
// device library says where an element lies.
//
//     suld.b.2d.v4.b8.trap    {r, g, b, a}, [object, {x, y}];          x counts bytes
//     sust.b.a2d.b32.clamp    [object, {layer, x, y, _}], v;
//     sured.b.add.1d.u32.zero [object, {x}], v;
//     sust.p.2d.v4.b32.trap   [object, {x, y}], {r, g, b, a};      x counts elements, which have a format
//     sured.p.min.1d.b32.trap [object, {x}], v;
//
// ptxas has no suld.p. // Where nothing is to be read or written, a place of the thread's own takes it.
#include "frontend/ptx/emitter.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

class Surface {
public:
  explicit Surface(Emitter &e) : e_(e), b_(e.b) {
    isFormatted = e_.opcode() != "suld" && e_.take("p");
    e_.failUnless(isFormatted || e_.take("b"), "expected .b");
    if (e_.opcode() == "sured")
      operation_ = e_.takeOneOf({"add", "min", "max", "and", "or"});
    geometry_ = e_.takeOneOf({"1d", "2d", "3d", "a1d", "a2d"});
    e_.takeOneOf({"ca", "cg", "cs", "cv", "wb", "wt"});
    StringRef vector = e_.takeOneOf({"v2", "v4"});
    count = vector.empty() ? 1 : unsigned(vector[1] - '0');
    type = e_.takeType();
    mode_ = e_.takeOneOf({"zero", "clamp", "trap"});
    e_.failUnless(!geometry_.empty() && !mode_.empty() && type.bits() >= 8,
                  "expected a geometry, .b8 to .b64, and .trap, .clamp or .zero");
    e_.failUnless(!isFormatted || type == "b32", "expected .b32");
  }

  unsigned count = 1;
  PtxType type{};
  bool isFormatted = false; ///< .p

  StringRef operation() const { return operation_; }

  /// The element, or a place of zeros.
  Value *address(unsigned i) {
    const Operand &place = e_.operand(i);
    const bool hasLayer = geometry_.starts_with("a");
    const unsigned axes = geometry_.empty() ? 1 : unsigned(geometry_[hasLayer] - '0');
    if (place.kind != Operand::Address || place.coordinates.size() < axes + hasLayer) {
      e_.fail("expected [object, {coordinates}]");
      object = e_.number(0, 64);
      return PoisonValue::get(b_.getPtrTy());
    }
    auto at = [&](unsigned axis) -> Value * {
      return axis < axes ? e_.read(place.coordinates[axis + hasLayer], *findType("b32"))
                         : e_.number(0);
    };
    Value *slice = hasLayer ? e_.read(place.coordinates[0], *findType("b32")) : at(2);
    object = e_.read(place.elements[0], *findType("b64"));
    Value *bytes = e_.number(count * type.bits() / 8), *x = at(0);
    if (isFormatted) {
      bytes = e_.library("__heddle_surface_element_bytes", b_.getInt32Ty(), {object},
                         /*readsNothing=*/false);
      constexpr uint64_t Far = 1 << 26; // beyond all surfaces, and its bytes can be counted
      x = b_.CreateBinaryIntrinsic(Intrinsic::smin, x, e_.number(Far));
      x = b_.CreateBinaryIntrinsic(Intrinsic::smax, x, e_.number(-Far));
      x = b_.CreateMul(x, bytes);
    }
    const unsigned mode = mode_ == "zero" ? 0 : mode_ == "clamp" ? 1 : 2;
    const unsigned geometry = hasLayer ? axes + 4 : axes;
    Value *element = e_.library(
        "__heddle_surface_at", b_.getPtrTy(),
        {object, bytes, x, at(1), slice, b_.getInt1(hasLayer), e_.number(mode | geometry << 8)},
        /*readsNothing=*/false);
    return b_.CreateSelect(b_.CreateIsNull(element), zeros(), element);
  }

  Value *object = nullptr; ///< after address()

private:
  Value *zeros() {
    BasicBlock &entry = b_.GetInsertBlock()->getParent()->getEntryBlock();
    Type *bytes = ArrayType::get(b_.getInt8Ty(), 32);
    AllocaInst *place = IRBuilder<>(&entry, entry.getFirstInsertionPt()).CreateAlloca(bytes);
    place->setAlignment(Align(16));
    b_.CreateStore(Constant::getNullValue(bytes), place);
    return place;
  }

  Emitter &e_;
  IRBuilder<> &b_;
  StringRef geometry_, mode_, operation_;
};

} // namespace

void lowerSurfaceLoad(Emitter &e) {
  Surface surface(e);
  SmallVector<Operand, 8> targets = e.elements(0);
  Value *address = surface.address(1);
  if (targets.size() != surface.count)
    return e.fail("expected " + Twine(surface.count) + " elements");
  SmallVector<Value *, 4> values;
  for (unsigned i = 0; i < surface.count; ++i)
    values.push_back(
        e.b.CreateLoad(e.ir(surface.type), e.b.CreateConstGEP1_64(e.ir(surface.type), address, i)));
  for (auto [i, target] : enumerate(targets))
    e.writeExtended(target, values[i], surface.type.isSigned());
}

void lowerSurfaceStore(Emitter &e) {
  Surface surface(e);
  Value *address = surface.address(0);
  SmallVector<Operand, 8> sources = e.elements(1);
  if (sources.size() != surface.count)
    return e.fail("expected " + Twine(surface.count) + " elements");
  if (surface.isFormatted) {
    SmallVector<Value *, 6> arguments = {surface.object, address};
    for (unsigned i = 0; i < 4; ++i)
      arguments.push_back(i < surface.count ? e.read(sources[i], surface.type) : e.number(0));
    e.library("__heddle_surface_put", e.b.getVoidTy(), arguments, /*readsNothing=*/false);
    return;
  }
  for (auto [i, source] : enumerate(sources))
    e.b.CreateStore(e.readLow(source, surface.type),
                    e.b.CreateConstGEP1_64(e.ir(surface.type), address, i));
}

namespace {

std::optional<AtomicRMWInst::BinOp> reductionOf(StringRef name, bool isSigned) {
  return StringSwitch<std::optional<AtomicRMWInst::BinOp>>(name)
      .Case("add", AtomicRMWInst::Add)
      .Case("min", isSigned ? AtomicRMWInst::Min : AtomicRMWInst::UMin)
      .Case("max", isSigned ? AtomicRMWInst::Max : AtomicRMWInst::UMax)
      .Case("and", AtomicRMWInst::And)
      .Case("or", AtomicRMWInst::Or)
      .Default(std::nullopt);
}

void reduce(Emitter &e, AtomicRMWInst::BinOp operation, Value *address, Value *value) {
  e.b.CreateAtomicRMW(operation, address, value, MaybeAlign(), AtomicOrdering::Monotonic);
}

/// Of the numbers that the surface's format says.
void reduceFormatted(Emitter &e, const Surface &surface, Value *address, Value *value) {
  Function *function = e.b.GetInsertBlock()->getParent();
  BasicBlock *signedBlock = BasicBlock::Create(e.context(), "", function);
  BasicBlock *unsignedBlock = BasicBlock::Create(e.context(), "", function);
  BasicBlock *done = BasicBlock::Create(e.context(), "", function);
  e.b.CreateCondBr(e.library("__heddle_surface_is_signed", e.b.getInt1Ty(), {surface.object},
                             /*readsNothing=*/false),
                   signedBlock, unsignedBlock);
  for (BasicBlock *block : {signedBlock, unsignedBlock}) {
    e.b.SetInsertPoint(block);
    reduce(e, *reductionOf(surface.operation(), block == signedBlock), address, value);
    e.b.CreateBr(done);
  }
  e.b.SetInsertPoint(done);
}

} // namespace

void lowerSurfaceReduction(Emitter &e) {
  Surface surface(e);
  auto operation = reductionOf(surface.operation(), surface.type.isSigned());
  if (!operation || surface.count != 1 || surface.type.bits() < 32 || surface.type.isFloat())
    return e.fail("expected .add, .min, .max, .and or .or of 32 or 64 bits");
  Value *address = surface.address(0), *value = e.read(1, surface.type);
  if (surface.isFormatted)
    return reduceFormatted(e, surface, address, value);
  reduce(e, *operation, address, value);
}

} // namespace heddle::frontend::ptx
