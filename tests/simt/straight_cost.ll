; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A long chain without loops: programs of one warp would wait for themselves. With registers of eight floats, twice as
; many operations, fewer warps are enough.
; RUN: %build/bin/heddle-warp -width 0 -block 256 -kernel chain -last-pass build-entry %s | FileCheck %s --check-prefix=WIDE
; RUN: %build/bin/heddle-warp -width 0 -block 256 -kernel chain -disable straight-cost -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 256 -kernel chain -target-cpu x86-64-v3 -last-pass build-entry %s | FileCheck %s --check-prefix=NARROW
; Not where the threads of a warp work together.
; RUN: %build/bin/heddle-warp -width 0 -block 256 -kernel votes -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; So is a round of a loop that is longer than a processor looks ahead.
; RUN: %build/bin/heddle-warp -width 0 -block 256 -kernel rounds -last-pass build-entry %s | FileCheck %s --check-prefix=NARROW
; RUN: %build/bin/heddle-warp -width 0 -block 256 -kernel rounds -disable straight-cost -last-pass build-entry %s | FileCheck %s --check-prefix=ONE

; WIDE: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 128,
; NARROW: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 64,
; ONE: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 32,

define ptx_kernel void @chain(ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl i32 %b, 8
  %i = add i32 %first, %t
  %at = zext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %at
  %x = load float, ptr %p
  %s0 = call float @llvm.fma.f32(float %x, float %x, float 1.0)
  %s1 = call float @llvm.fma.f32(float %s0, float %x, float 2.0)
  %s2 = call float @llvm.fma.f32(float %s1, float %x, float 3.0)
  %s3 = call float @llvm.fma.f32(float %s2, float %x, float 4.0)
  %s4 = call float @llvm.fma.f32(float %s3, float %x, float 5.0)
  %s5 = call float @llvm.fma.f32(float %s4, float %x, float 6.0)
  %s6 = call float @llvm.fma.f32(float %s5, float %x, float 7.0)
  %s7 = call float @llvm.fma.f32(float %s6, float %x, float 8.0)
  %s8 = call float @llvm.fma.f32(float %s7, float %x, float 9.0)
  %s9 = call float @llvm.fma.f32(float %s8, float %x, float 10.0)
  %s10 = call float @llvm.fma.f32(float %s9, float %x, float 11.0)
  %s11 = call float @llvm.fma.f32(float %s10, float %x, float 12.0)
  %s12 = call float @llvm.fma.f32(float %s11, float %x, float 13.0)
  %s13 = call float @llvm.fma.f32(float %s12, float %x, float 14.0)
  %s14 = call float @llvm.fma.f32(float %s13, float %x, float 15.0)
  %s15 = call float @llvm.fma.f32(float %s14, float %x, float 16.0)
  %s16 = call float @llvm.fma.f32(float %s15, float %x, float 17.0)
  %s17 = call float @llvm.fma.f32(float %s16, float %x, float 18.0)
  %s18 = call float @llvm.fma.f32(float %s17, float %x, float 19.0)
  %s19 = call float @llvm.fma.f32(float %s18, float %x, float 20.0)
  %s20 = call float @llvm.fma.f32(float %s19, float %x, float 21.0)
  %s21 = call float @llvm.fma.f32(float %s20, float %x, float 22.0)
  %s22 = call float @llvm.fma.f32(float %s21, float %x, float 23.0)
  %s23 = call float @llvm.fma.f32(float %s22, float %x, float 24.0)
  %q = getelementptr float, ptr %out, i64 %at
  store float %s23, ptr %q
  ret void
}
define ptx_kernel void @rounds(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %r = phi i32 [ 0, %entry ], [ %next, %loop ]
  %first = shl nuw nsw i32 %r, 8
  %i = add nuw nsw i32 %first, %t
  %at = zext nneg i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %at
  %x = load float, ptr %p
  %s0 = fdiv float 1.0, %x
  %s1 = fdiv float 2.0, %s0
  %s2 = fdiv float 3.0, %s1
  %s3 = fdiv float 4.0, %s2
  %s4 = fdiv float 5.0, %s3
  %s5 = fdiv float 6.0, %s4
  %s6 = fdiv float 7.0, %s5
  %s7 = fdiv float 8.0, %s6
  %s8 = fdiv float 9.0, %s7
  %s9 = fdiv float 10.0, %s8
  %s10 = fdiv float 11.0, %s9
  %s11 = fdiv float 12.0, %s10
  %s12 = fdiv float 13.0, %s11
  %s13 = fdiv float 14.0, %s12
  %s14 = fdiv float 15.0, %s13
  %s15 = fdiv float 16.0, %s14
  %s16 = fdiv float 17.0, %s15
  %s17 = fdiv float 18.0, %s16
  %s18 = fdiv float 19.0, %s17
  %s19 = fdiv float 20.0, %s18
  %s20 = fdiv float 21.0, %s19
  %s21 = fdiv float 22.0, %s20
  %s22 = fdiv float 23.0, %s21
  %s23 = fdiv float 24.0, %s22
  %q = getelementptr float, ptr %out, i64 %at
  store float %s23, ptr %q
  %next = add nuw nsw i32 %r, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}
define ptx_kernel void @votes(ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl i32 %b, 8
  %i = add i32 %first, %t
  %at = zext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %at
  %x = load float, ptr %p
  %s0 = call float @llvm.fma.f32(float %x, float %x, float 1.0)
  %s1 = call float @llvm.fma.f32(float %s0, float %x, float 2.0)
  %s2 = call float @llvm.fma.f32(float %s1, float %x, float 3.0)
  %s3 = call float @llvm.fma.f32(float %s2, float %x, float 4.0)
  %s4 = call float @llvm.fma.f32(float %s3, float %x, float 5.0)
  %s5 = call float @llvm.fma.f32(float %s4, float %x, float 6.0)
  %s6 = call float @llvm.fma.f32(float %s5, float %x, float 7.0)
  %s7 = call float @llvm.fma.f32(float %s6, float %x, float 8.0)
  %s8 = call float @llvm.fma.f32(float %s7, float %x, float 9.0)
  %s9 = call float @llvm.fma.f32(float %s8, float %x, float 10.0)
  %s10 = call float @llvm.fma.f32(float %s9, float %x, float 11.0)
  %s11 = call float @llvm.fma.f32(float %s10, float %x, float 12.0)
  %s12 = call float @llvm.fma.f32(float %s11, float %x, float 13.0)
  %s13 = call float @llvm.fma.f32(float %s12, float %x, float 14.0)
  %s14 = call float @llvm.fma.f32(float %s13, float %x, float 15.0)
  %s15 = call float @llvm.fma.f32(float %s14, float %x, float 16.0)
  %s16 = call float @llvm.fma.f32(float %s15, float %x, float 17.0)
  %s17 = call float @llvm.fma.f32(float %s16, float %x, float 18.0)
  %s18 = call float @llvm.fma.f32(float %s17, float %x, float 19.0)
  %s19 = call float @llvm.fma.f32(float %s18, float %x, float 20.0)
  %s20 = call float @llvm.fma.f32(float %s19, float %x, float 21.0)
  %s21 = call float @llvm.fma.f32(float %s20, float %x, float 22.0)
  %s22 = call float @llvm.fma.f32(float %s21, float %x, float 23.0)
  %s23 = call float @llvm.fma.f32(float %s22, float %x, float 24.0)
  %positive = fcmp ogt float %s23, 0.0
  %all = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %positive)
  %chosen = select i1 %all, float %s23, float %x
  %q = getelementptr float, ptr %out, i64 %at
  store float %chosen, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare float @llvm.fma.f32(float, float, float)
