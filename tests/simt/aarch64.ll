; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; On AArch64, SLEEF's functions are those for registers of 16 bytes, and accesses of pairs of words are atomic ones, which
; LLVM makes whole on any processor.
; RUN: %build/bin/heddle-warp -block 32 -width 8 -target-triple aarch64-linux-gnu -target-cpu generic %s > %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: %build/bin/heddle-warp -block 32 -width 8 %s | FileCheck %s --check-prefix=X86

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK-COUNT-2: call <4 x float> @Sleef_sinf4_u10advsimd(<4 x float>
; CHECK: load atomic volatile i128, ptr {{.*}} monotonic, align 16
; CHECK: store atomic volatile i128 {{.*}} monotonic, align 16

; X86-LABEL: define internal void @kernel.thread.warp
; X86: call <16 x float> @Sleef_sinf16_u10avx512f(
; X86: load volatile <2 x i64>, ptr {{.*}}, align 16
; X86: store volatile <2 x i64> {{.*}}, align 16

define ptx_kernel void @kernel(ptr %angles, ptr %pairs) {
  %pair = alloca [2 x i64], align 16
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = zext i32 %t to i64
  %a = getelementptr float, ptr %angles, i64 %own
  %angle = load float, ptr %a
  %sine = call float @__nv_sinf(float %angle)
  store float %sine, ptr %a
  %p = getelementptr [2 x i64], ptr %pairs, i64 %own
  call void @__heddle_load_pair(ptr %p, ptr %pair)
  %low = load i64, ptr %pair
  %at = getelementptr i8, ptr %pair, i64 8
  %high = load i64, ptr %at
  call void @__heddle_store_pair(ptr %p, i64 %high, i64 %low)
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @__nv_sinf(float)
declare void @__heddle_load_pair(ptr, ptr)
declare void @__heddle_store_pair(ptr, i64, i64)
