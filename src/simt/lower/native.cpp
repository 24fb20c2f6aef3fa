// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/lower/native.h"

#include "simt/analysis/pass_notes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"

using namespace llvm;

namespace heddle::simt {

/// What is emitted for a register's lanes.
enum class NativeForm {
  Masked,        ///< (operands..., immediate, value of lanes that are masked off, mask, rounding)
  Plain,         ///< (operands...)
  OneForNan,     ///< a comparison
  Dot,           ///< two sums of products of 16 bits, of bytes
  DotOfUnsigned, ///< of bytes without signs
};

/// An instruction on 16 lanes of AVX-512, or on 8 of AVX. Arguments of the function that are no
/// operands follow those that are.
struct NativeFunction {
  const char *name;    ///< of the library
  const char *feature; ///< that a machine needs
  NativeForm form;
  Intrinsic::ID intrinsic;
  unsigned arity, operands;
  int immediate; ///< -1: none
  bool rounds;   ///< takes a rounding or exception mode
  unsigned lanes;
};

namespace {

constexpr unsigned Lanes = 16, ShortLanes = 8; ///< of one register, of AVX-512 and AVX
constexpr unsigned CurrentDirection = 4;
/// vgetmantps: the mantissa in [0.75, 1.5), NaN for negative numbers.
constexpr int AroundOne = 3 | 2 << 2;

constexpr const char *Wide = "+avx512f";

/// Names of forms for narrower machines follow that of the library's function after a dot.
constexpr NativeFunction Functions[] = {
    {"__heddle_scale", Wide, NativeForm::Masked, Intrinsic::x86_avx512_mask_scalef_ps_512, 3, 2, -1,
     true, Lanes},
    {"__heddle_exponent", Wide, NativeForm::Masked, Intrinsic::x86_avx512_mask_getexp_ps_512, 1, 1,
     -1, true, Lanes},
    {"__heddle_mantissa", Wide, NativeForm::Masked, Intrinsic::x86_avx512_mask_getmant_ps_512, 1, 1,
     AroundOne, true, Lanes},
    {"__heddle_one_for_nan", Wide, NativeForm::OneForNan, Intrinsic::not_intrinsic, 1, 1, -1, false,
     Lanes},
    {"__heddle_rsqrt_estimate", Wide, NativeForm::Masked, Intrinsic::x86_avx512_rsqrt14_ps_512, 1,
     1, -1, false, Lanes},
    {"__heddle_reciprocal_estimate", Wide, NativeForm::Masked, Intrinsic::x86_avx512_rcp14_ps_512,
     1, 1, -1, false, Lanes},
    {"__heddle_dot", "+avx512bw", NativeForm::Dot, Intrinsic::x86_avx512_pmaddw_d_512, 2, 2, -1,
     false, Lanes},
    {"__heddle_dot_unsigned", "+avx512bw", NativeForm::DotOfUnsigned,
     Intrinsic::x86_avx512_pmaddw_d_512, 2, 2, -1, false, Lanes},
    {"__heddle_dot.avx2", "+avx2", NativeForm::Dot, Intrinsic::x86_avx2_pmadd_wd, 2, 2, -1, false,
     ShortLanes},
    {"__heddle_dot_unsigned.avx2", "+avx2", NativeForm::DotOfUnsigned, Intrinsic::x86_avx2_pmadd_wd,
     2, 2, -1, false, ShortLanes},
    {CoarseRoot, nullptr, NativeForm::Plain, Intrinsic::x86_avx_rsqrt_ps_256, 1, 1, -1, false,
     ShortLanes},
};

/// Answers of the machine: bool functions of the library that say false.
constexpr const char *Questions[] = {"__heddle_has_estimates", "__heddle_has_exponents"};

bool has(const TargetMachine &machine, const char *feature) {
  return machine.getTargetTriple().isX86() && machine.getMCSubtargetInfo()->checkFeatures(feature);
}

bool hasInstructions(const TargetMachine &machine) { return has(machine, Wide); }

/// Sums of products of neighbouring 16 bits, of the lower bytes and of the higher ones.
Value *emitDot(IRBuilder<> &builder, const NativeFunction &function, ArrayRef<Value *> operands) {
  bool isSigned = function.form == NativeForm::Dot;
  auto *type = FixedVectorType::get(builder.getInt16Ty(), 2 * function.lanes);
  Value *eight = ConstantInt::get(type, 8);
  SmallVector<Value *, 2> low, high;
  for (Value *operand : operands) {
    Value *halves = builder.CreateBitCast(operand, type);
    low.push_back(isSigned ? builder.CreateAShr(builder.CreateShl(halves, eight), eight)
                           : builder.CreateAnd(halves, ConstantInt::get(type, 0xff)));
    high.push_back(isSigned ? builder.CreateAShr(halves, eight)
                            : builder.CreateLShr(halves, eight));
  }
  return builder.CreateAdd(builder.CreateIntrinsic(function.intrinsic, {}, low),
                           builder.CreateIntrinsic(function.intrinsic, {}, high));
}

/// One register's worth of lanes.
Value *emitOne(IRBuilder<> &builder, const NativeFunction &function, ArrayRef<Value *> operands) {
  SmallVector<Value *, 6> arguments(operands);
  if (function.form == NativeForm::Dot || function.form == NativeForm::DotOfUnsigned)
    return emitDot(builder, function, operands);
  if (function.form == NativeForm::Plain)
    return builder.CreateIntrinsic(function.intrinsic, {}, arguments);
  if (function.immediate >= 0)
    arguments.push_back(builder.getInt32(function.immediate));
  arguments.push_back(PoisonValue::get(operands[0]->getType()));
  arguments.push_back(builder.getInt16(-1));
  if (function.rounds)
    arguments.push_back(builder.getInt32(CurrentDirection));
  return builder.CreateIntrinsic(function.intrinsic, {}, arguments);
}

/// Lanes [first, first + lanes) of a scalar or vector; those past its end are undefined.
Value *registerOf(IRBuilder<> &builder, Value *value, unsigned first, unsigned lanes = Lanes) {
  if (!value->getType()->isVectorTy())
    return builder.CreateInsertElement(
        PoisonValue::get(FixedVectorType::get(value->getType(), lanes)), value, uint64_t(0));
  unsigned count = cast<FixedVectorType>(value->getType())->getNumElements();
  SmallVector<int, Lanes> picks;
  for (unsigned i = first; i < first + lanes; ++i)
    picks.push_back(i < count ? static_cast<int>(i) : PoisonMaskElem);
  return builder.CreateShuffleVector(value, picks);
}

} // namespace

const NativeFunction *findNativeFunction(StringRef name) {
  if (!name.starts_with("__heddle_"))
    return nullptr;
  const auto *found = find_if(Functions, [&](const NativeFunction &f) { return name == f.name; });
  return found == std::end(Functions) ? nullptr : found;
}

void chooseNative(Module &module, const TargetMachine &machine) {
  for (const NativeFunction &native : Functions) {
    if (!native.feature || !has(machine, native.feature))
      continue;
    Function *function = module.getFunction(StringRef(native.name).split('.').first);
    if (!function || function->isDeclaration()) // the wider form was there
      continue;
    function->deleteBody();
    function->removeFnAttr(Attribute::AlwaysInline);
    function->setName(native.name);
  }
  if (!hasInstructions(machine))
    return;
  for (const char *name : Questions)
    if (Function *function = module.getFunction(name)) {
      function->deleteBody();
      BasicBlock *entry = BasicBlock::Create(module.getContext(), "", function);
      IRBuilder<> builder(entry);
      builder.CreateRet(ConstantInt::get(function->getReturnType(), 1));
      function->setLinkage(GlobalValue::InternalLinkage);
    }
}

bool hasHalves(const TargetMachine &machine) { return has(machine, "+avx512fp16"); }

Function *coarseRoot(Module &module, const TargetMachine &machine) {
  if (!has(machine, "+avx") || hasInstructions(machine))
    return nullptr;
  Type *type = Type::getFloatTy(module.getContext());
  auto *function = cast<Function>(module.getOrInsertFunction(CoarseRoot, type, type).getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return function;
}

/// The first `count` lanes of registers in a row.
static Value *joined(IRBuilder<> &builder, ArrayRef<Value *> parts, unsigned count) {
  Value *all = concatenateVectors(builder, parts);
  if (cast<FixedVectorType>(all->getType())->getNumElements() == count)
    return all;
  return builder.CreateShuffleVector(all, createSequentialMask(0, count, 0));
}

Value *emitNativePermute(IRBuilder<> &builder, const TargetMachine &machine, Value *values,
                         Value *index) {
  auto *type = cast<FixedVectorType>(values->getType());
  auto *indices = dyn_cast<FixedVectorType>(index->getType());
  if (!hasInstructions(machine) || !indices || !indices->getElementType()->isIntegerTy(32) ||
      type->getNumElements() != 2 * Lanes || type->getScalarSizeInBits() != 32 ||
      type->getElementType()->isPointerTy())
    return nullptr;
  Value *words =
      builder.CreateBitCast(values, FixedVectorType::get(builder.getInt32Ty(), 2 * Lanes));
  Value *low = registerOf(builder, words, 0), *high = registerOf(builder, words, Lanes);
  unsigned count = indices->getNumElements();
  SmallVector<Value *, 2> parts;
  for (unsigned first = 0; first < count; first += Lanes)
    parts.push_back(builder.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_d_512, {},
                                            {low, registerOf(builder, index, first), high}));
  return builder.CreateBitCast(joined(builder, parts, count),
                               FixedVectorType::get(type->getElementType(), count));
}

unsigned tableLength(const TargetMachine &machine) {
  if (hasInstructions(machine))
    return 16;
  return has(machine, "+avx2") ? 8 : 0;
}

Value *emitLookup(IRBuilder<> &builder, Value *table, Value *index) {
  unsigned length = cast<FixedVectorType>(table->getType())->getNumElements();
  unsigned lanes = cast<FixedVectorType>(index->getType())->getNumElements();
  Intrinsic::ID lookup =
      length == 16 ? Intrinsic::x86_avx512_permvar_si_512 : Intrinsic::x86_avx2_permd;
  SmallVector<Value *, 4> parts;
  for (unsigned first = 0; first < lanes; first += length) {
    unsigned count = std::min(length, lanes - first);
    Value *part =
        builder.CreateShuffleVector(index, createSequentialMask(first, count, length - count));
    parts.push_back(builder.CreateIntrinsic(lookup, {}, {table, part}));
  }
  Value *all = concatenateVectors(builder, parts);
  return lanes % length == 0 ? all
                             : builder.CreateShuffleVector(all, createSequentialMask(0, lanes, 0));
}

/// The minimum with 1, marked for speculate_no_nans.cpp.
static Value *emitOneForNan(IRBuilder<> &builder, Value *value) {
  Value *one = ConstantFP::get(value->getType(), 1);
  auto *chosen = builder.CreateSelect(builder.CreateFCmpOLT(value, one), value, one);
  if (auto *select = dyn_cast<SelectInst>(chosen))
    ReplacesNan.put(*select);
  return chosen;
}

Value *emitNative(IRBuilder<> &builder, const NativeFunction &function,
                  ArrayRef<Value *> arguments) {
  assert(arguments.size() == function.arity && "as the library declares it");
  if (function.form == NativeForm::OneForNan)
    return emitOneForNan(builder, arguments[0]);
  auto *type = dyn_cast<FixedVectorType>(arguments[0]->getType());
  unsigned count = type ? type->getNumElements() : 1;
  SmallVector<Value *, 8> parts;
  for (unsigned first = 0; first < count; first += function.lanes) {
    SmallVector<Value *, 2> operands;
    for (Value *argument : arguments.take_front(function.operands))
      operands.push_back(registerOf(builder, argument, first, function.lanes));
    parts.push_back(emitOne(builder, function, operands));
  }
  return type ? joined(builder, parts, count) : builder.CreateExtractElement(parts[0], uint64_t(0));
}

} // namespace heddle::simt
