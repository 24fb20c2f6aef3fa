// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/lower/lower_intrinsic.h"

#include "simt/analysis/pass_notes.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// The read-modify-write of a scoped NVVM atomic, or BAD_BINOP.
AtomicRMWInst::BinOp scopedAtomic(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::nvvm_atomic_add_gen_f_cta:
  case Intrinsic::nvvm_atomic_add_gen_f_sys:
    return AtomicRMWInst::FAdd;
  case Intrinsic::nvvm_atomic_add_gen_i_cta:
  case Intrinsic::nvvm_atomic_add_gen_i_sys:
    return AtomicRMWInst::Add;
  case Intrinsic::nvvm_atomic_and_gen_i_cta:
  case Intrinsic::nvvm_atomic_and_gen_i_sys:
    return AtomicRMWInst::And;
  case Intrinsic::nvvm_atomic_or_gen_i_cta:
  case Intrinsic::nvvm_atomic_or_gen_i_sys:
    return AtomicRMWInst::Or;
  case Intrinsic::nvvm_atomic_xor_gen_i_cta:
  case Intrinsic::nvvm_atomic_xor_gen_i_sys:
    return AtomicRMWInst::Xor;
  case Intrinsic::nvvm_atomic_exch_gen_i_cta:
  case Intrinsic::nvvm_atomic_exch_gen_i_sys:
    return AtomicRMWInst::Xchg;
  case Intrinsic::nvvm_atomic_max_gen_i_cta:
  case Intrinsic::nvvm_atomic_max_gen_i_sys:
    return AtomicRMWInst::Max;
  case Intrinsic::nvvm_atomic_min_gen_i_cta:
  case Intrinsic::nvvm_atomic_min_gen_i_sys:
    return AtomicRMWInst::Min;
  case Intrinsic::nvvm_atomic_inc_gen_i_cta:
  case Intrinsic::nvvm_atomic_inc_gen_i_sys:
    return AtomicRMWInst::UIncWrap;
  case Intrinsic::nvvm_atomic_dec_gen_i_cta:
  case Intrinsic::nvvm_atomic_dec_gen_i_sys:
    return AtomicRMWInst::UDecWrap;
  default:
    return AtomicRMWInst::BAD_BINOP;
  }
}

/// The generic intrinsic with the same operands and meaning, or not_intrinsic. Approximations
/// become the exact operation: within the bound, and the code generator picks the fast form where
/// the flags allow it.
Intrinsic::ID genericIntrinsic(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::nvvm_fma_rn_f:
  case Intrinsic::nvvm_fma_rn_d:
  case Intrinsic::nvvm_fma_rn_ftz_f:
  case Intrinsic::nvvm_fma_rn_f16:
  case Intrinsic::nvvm_fma_rn_bf16:
  case Intrinsic::nvvm_fma_rn_f16x2:
  case Intrinsic::nvvm_fma_rn_bf16x2:
    return Intrinsic::fma;
  case Intrinsic::nvvm_sqrt_f:
  case Intrinsic::nvvm_sqrt_rn_f:
  case Intrinsic::nvvm_sqrt_rn_d:
  case Intrinsic::nvvm_sqrt_rn_ftz_f:
  case Intrinsic::nvvm_sqrt_approx_f:
  case Intrinsic::nvvm_sqrt_approx_ftz_f:
    return Intrinsic::sqrt;
  case Intrinsic::nvvm_fabs:
  case Intrinsic::nvvm_fabs_ftz:
    return Intrinsic::fabs;
  case Intrinsic::nvvm_floor_f:
  case Intrinsic::nvvm_floor_ftz_f:
  case Intrinsic::nvvm_floor_d:
    return Intrinsic::floor;
  case Intrinsic::nvvm_ceil_f:
  case Intrinsic::nvvm_ceil_ftz_f:
  case Intrinsic::nvvm_ceil_d:
    return Intrinsic::ceil;
  case Intrinsic::nvvm_trunc_f:
  case Intrinsic::nvvm_trunc_ftz_f:
  case Intrinsic::nvvm_trunc_d:
    return Intrinsic::trunc;
  case Intrinsic::nvvm_round_f:
  case Intrinsic::nvvm_round_ftz_f:
  case Intrinsic::nvvm_round_d:
    return Intrinsic::roundeven;
  case Intrinsic::nvvm_fmin_f:
  case Intrinsic::nvvm_fmin_ftz_f:
  case Intrinsic::nvvm_fmin_d:
  case Intrinsic::nvvm_fmin_f16:
  case Intrinsic::nvvm_fmin_bf16:
  case Intrinsic::nvvm_fmin_f16x2:
  case Intrinsic::nvvm_fmin_bf16x2:
    return Intrinsic::minnum;
  case Intrinsic::nvvm_fmax_f:
  case Intrinsic::nvvm_fmax_ftz_f:
  case Intrinsic::nvvm_fmax_d:
  case Intrinsic::nvvm_fmax_f16:
  case Intrinsic::nvvm_fmax_bf16:
  case Intrinsic::nvvm_fmax_f16x2:
  case Intrinsic::nvvm_fmax_bf16x2:
    return Intrinsic::maxnum;
  case Intrinsic::nvvm_fmin_nan_f:
  case Intrinsic::nvvm_fmin_ftz_nan_f:
  case Intrinsic::nvvm_fmin_nan_f16:
  case Intrinsic::nvvm_fmin_nan_bf16:
  case Intrinsic::nvvm_fmin_nan_f16x2:
  case Intrinsic::nvvm_fmin_nan_bf16x2:
    return Intrinsic::minimum;
  case Intrinsic::nvvm_fmax_nan_f:
  case Intrinsic::nvvm_fmax_ftz_nan_f:
  case Intrinsic::nvvm_fmax_nan_f16:
  case Intrinsic::nvvm_fmax_nan_bf16:
  case Intrinsic::nvvm_fmax_nan_f16x2:
  case Intrinsic::nvvm_fmax_nan_bf16x2:
    return Intrinsic::maximum;
  case Intrinsic::nvvm_ex2_approx:
  case Intrinsic::nvvm_ex2_approx_ftz:
    return Intrinsic::exp2;
  case Intrinsic::nvvm_lg2_approx_f:
  case Intrinsic::nvvm_lg2_approx_ftz_f:
    return Intrinsic::log2;
  case Intrinsic::nvvm_sin_approx_f:
  case Intrinsic::nvvm_sin_approx_ftz_f:
    return Intrinsic::sin;
  case Intrinsic::nvvm_cos_approx_f:
  case Intrinsic::nvvm_cos_approx_ftz_f:
    return Intrinsic::cos;
  default:
    return Intrinsic::not_intrinsic;
  }
}

Value *fence(IRBuilder<> &builder, AccessScope scope) {
  FenceInst *fence = builder.CreateFence(AtomicOrdering::SequentiallyConsistent);
  FenceScope.put(*fence, scope);
  return fence;
}

} // namespace

Value *lowerIntrinsic(CallInst &call, IRBuilder<> &builder) {
  Intrinsic::ID id = call.getIntrinsicID();
  auto operand = [&](unsigned i) { return call.getArgOperand(i); };
  if (AtomicRMWInst::BinOp op = scopedAtomic(id); op != AtomicRMWInst::BAD_BINOP)
    return builder.CreateAtomicRMW(op, operand(0), operand(1), MaybeAlign(),
                                   AtomicOrdering::Monotonic);
  if (Intrinsic::ID generic = genericIntrinsic(id)) {
    SmallVector<Value *, 3> arguments(call.args());
    return builder.CreateIntrinsic(generic, call.getType(), arguments);
  }
  switch (id) {
  case Intrinsic::nvvm_atomic_cas_gen_i_cta:
  case Intrinsic::nvvm_atomic_cas_gen_i_sys: {
    Value *pair = builder.CreateAtomicCmpXchg(operand(0), operand(1), operand(2), MaybeAlign(),
                                              AtomicOrdering::Monotonic, AtomicOrdering::Monotonic);
    return builder.CreateExtractValue(pair, 0);
  }
  case Intrinsic::nvvm_rsqrt_approx_f:
  case Intrinsic::nvvm_rsqrt_approx_ftz_f:
  case Intrinsic::nvvm_rsqrt_approx_d:
  case Intrinsic::nvvm_rsqrt_approx_ftz_d: {
    // 1 / sqrt(x) with permission to approximate: an estimate and Newton steps where the target has
    // them.
    FastMathFlags fast;
    fast.setApproxFunc();
    fast.setAllowReciprocal();
    fast.setAllowContract();
    builder.setFastMathFlags(fast);
    Value *root = builder.CreateUnaryIntrinsic(Intrinsic::sqrt, operand(0));
    return builder.CreateFDiv(ConstantFP::get(call.getType(), 1.0), root);
  }
  case Intrinsic::nvvm_f2h_rn: // as an intrinsic it keeps a float product out of contract()
    return builder.CreateBitCast(builder.CreateFPTrunc(operand(0), builder.getHalfTy()),
                                 call.getType());
  case Intrinsic::nvvm_add_rn_f:
  case Intrinsic::nvvm_add_rn_d:
  case Intrinsic::nvvm_add_rn_ftz_f:
    return builder.CreateFAdd(operand(0), operand(1));
  case Intrinsic::nvvm_mul_rn_f:
  case Intrinsic::nvvm_mul_rn_d:
  case Intrinsic::nvvm_mul_rn_ftz_f:
    return builder.CreateFMul(operand(0), operand(1));
  case Intrinsic::nvvm_div_rn_f:
  case Intrinsic::nvvm_div_rn_d:
  case Intrinsic::nvvm_div_rn_ftz_f:
  case Intrinsic::nvvm_div_approx_f:
  case Intrinsic::nvvm_div_approx_ftz_f:
  case Intrinsic::nvvm_div_full:
  case Intrinsic::nvvm_div_full_ftz:
    return builder.CreateFDiv(operand(0), operand(1));
  case Intrinsic::nvvm_ldu_global_f:
  case Intrinsic::nvvm_ldu_global_i:
  case Intrinsic::nvvm_ldu_global_p:
    return builder.CreateAlignedLoad(call.getType(), operand(0),
                                     Align(cast<ConstantInt>(operand(1))->getZExtValue()));
  case Intrinsic::nvvm_membar_cta:
    return fence(builder, AccessScope::Block);
  case Intrinsic::nvvm_membar_gl:
    return fence(builder, AccessScope::Device);
  case Intrinsic::nvvm_membar_sys:
    return fence(builder, AccessScope::System);
  case Intrinsic::nvvm_fence_sc_cluster:
    return fence(builder, AccessScope::Cluster);
  case Intrinsic::nvvm_mulhi_i:
  case Intrinsic::nvvm_mulhi_ui:
  case Intrinsic::nvvm_mulhi_ll:
  case Intrinsic::nvvm_mulhi_ull: {
    unsigned bits = call.getType()->getIntegerBitWidth();
    Type *wide = builder.getIntNTy(2 * bits);
    bool isSigned = id == Intrinsic::nvvm_mulhi_i || id == Intrinsic::nvvm_mulhi_ll;
    Value *product = builder.CreateMul(builder.CreateIntCast(operand(0), wide, isSigned),
                                       builder.CreateIntCast(operand(1), wide, isSigned));
    return builder.CreateTrunc(builder.CreateLShr(product, bits), call.getType());
  }
  case Intrinsic::nvvm_saturate_f:
  case Intrinsic::nvvm_saturate_ftz_f:
  case Intrinsic::nvvm_saturate_d: {
    Value *zero = ConstantFP::get(call.getType(), 0.0), *one = ConstantFP::get(call.getType(), 1.0);
    Value *low = builder.CreateBinaryIntrinsic(Intrinsic::maxnum, operand(0), zero);
    return builder.CreateBinaryIntrinsic(Intrinsic::minnum, low, one);
  }
  case Intrinsic::nvvm_fshl_clamp:
  case Intrinsic::nvvm_fshr_clamp: {
    Value *amount =
        builder.CreateBinaryIntrinsic(Intrinsic::umin, operand(2), builder.getInt32(32));
    Value *wide = builder.CreateZExt(operand(0), builder.getInt64Ty());
    wide = builder.CreateOr(builder.CreateShl(wide, 32),
                            builder.CreateZExt(operand(1), builder.getInt64Ty()));
    Value *wideAmount = builder.CreateZExt(amount, builder.getInt64Ty());
    if (id == Intrinsic::nvvm_fshr_clamp)
      return builder.CreateTrunc(builder.CreateLShr(wide, wideAmount), builder.getInt32Ty());
    Value *shifted = builder.CreateShl(wide, wideAmount);
    return builder.CreateTrunc(builder.CreateLShr(shifted, 32), builder.getInt32Ty());
  }
  case Intrinsic::nvvm_reflect:
    return builder.getInt32(0);
  default:
    return nullptr;
  }
}

} // namespace heddle::simt
