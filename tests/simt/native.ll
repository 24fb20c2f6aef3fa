; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A library function that is one instruction of the machine stays a call until it is widened, in registers of 16
; floats; elsewhere its definition is inlined.
; RUN: %build/bin/heddle-warp -block 64 -last-pass widen %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 64 -last-pass widen -width 8 %s | FileCheck %s --check-prefix=EIGHT
; RUN: %build/bin/heddle-warp -block 64 -last-pass widen -target-cpu x86-64-v3 %s | FileCheck %s --check-prefix=PLAIN

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: [[LOW:%.*]] = call <16 x float> @llvm.x86.avx512.mask.getmant.ps.512(<16 x float> {{.*}}, i32 11,
; CHECK: [[HIGH:%.*]] = call <16 x float> @llvm.x86.avx512.mask.getmant.ps.512(<16 x float> {{.*}}, i32 11,
; CHECK: shufflevector <16 x float> [[LOW]], <16 x float> [[HIGH]], <32 x i32>
; CHECK: masked.store.v32f32.p0

; EIGHT-LABEL: define internal void @kernel.thread.warp
; EIGHT: [[ALL:%.*]] = call <16 x float> @llvm.x86.avx512.mask.getmant.ps.512(
; EIGHT: shufflevector <16 x float> [[ALL]], <16 x float> poison, <8 x i32>
; EIGHT-NOT: getmant
; EIGHT: masked.store.v8f32.p0

; PLAIN-LABEL: define internal void @kernel.thread.warp
; PLAIN-NOT: getmant
; PLAIN: fmul <32 x float> {{.*}}, splat (float 3.000000e+00)
; PLAIN: masked.store.v32f32.p0
define float @__heddle_mantissa(float %x) {
  %r = fmul float %x, 3.0
  ret float %r
}
define ptx_kernel void @kernel(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr float, ptr %p, i64 %i
  %x = load float, ptr %a
  %y = call float @__heddle_mantissa(float %x)
  store float %y, ptr %a
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
