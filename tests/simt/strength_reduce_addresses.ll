; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A block of 16x4 threads as one program loads four rows. What is added to a row's address gives the next one's, where
; signed indices cannot wrap around; unsigned ones may, and are extended one by one. Of what was loaded nothing is known.
; LEGAL strength-reduce-addresses: no wrap
; RUN: %build/bin/heddle-warp -block 16,4 -width 64 -last-pass strength-reduce-addresses -verify-passes %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 16,4 -width 64 -last-pass strength-reduce-addresses -disable strength-reduce-addresses %s | FileCheck %s --check-prefix=TAKEN

; CHECK-LABEL: define internal void @runBlocks
; CHECK-NOT: extractelement <4 x ptr>
; CHECK: [[P1:%.*]] = getelementptr i8, ptr [[P0:%.*]], i64 %{{.*}}
; CHECK: [[P2:%.*]] = getelementptr i8, ptr [[P1]], i64 %{{.*}}
; CHECK: [[P3:%.*]] = getelementptr i8, ptr [[P2]], i64 %{{.*}}
; CHECK: masked.load.v16f32.p0(ptr align 4 [[P0]],
; CHECK: masked.load.v16f32.p0(ptr align 4 [[P1]],
; CHECK: masked.load.v16f32.p0(ptr align 4 [[P2]],
; CHECK: masked.load.v16f32.p0(ptr align 4 [[P3]],
; CHECK-NOT: extractelement <4 x ptr>
; CHECK: [[L2:%.*]] = add i32 [[L1:%.*]], [[N:%.*]]
; CHECK: [[I2:%.*]] = zext i32 [[L2]] to i64
; CHECK: [[Q2:%.*]] = getelementptr float, ptr %{{.*}}, i64 [[I2]]
; CHECK: [[L3:%.*]] = add i32 [[L2]], [[N]]
; CHECK: [[I3:%.*]] = zext i32 [[L3]] to i64
; CHECK: [[Q3:%.*]] = getelementptr float, ptr %{{.*}}, i64 [[I3]]
; CHECK: masked.load.v1f32.p0(ptr align 4 [[Q2]],
; CHECK: masked.load.v1f32.p0(ptr align 4 [[Q3]],
; LEGAL strength-reduce-addresses: equal distances
; CHECK-COUNT-4: extractelement <4 x ptr>
; CHECK-NOT: extractelement <4 x ptr>
; TAKEN-LABEL: define internal void @runBlocks
; TAKEN-COUNT-12: extractelement <4 x ptr>

define ptx_kernel void @kernel(i32 %n, ptr %a, ptr %b, ptr %rows, ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %far = mul nsw i32 %y, %n
  %index = add nsw i32 %far, %x
  %wide = sext i32 %index to i64
  %p = getelementptr float, ptr %a, i64 %wide
  %v = load float, ptr %p
  %somewhere = mul i32 %y, %n
  %unsigned = zext i32 %somewhere to i64
  %q = getelementptr float, ptr %b, i64 %unsigned
  %w = load float, ptr %q
  %yWide = zext i32 %y to i64
  %pr = getelementptr i64, ptr %rows, i64 %yWide
  %row = load i64, ptr %pr
  %xWide = zext i32 %x to i64
  %column = getelementptr float, ptr %out, i64 %xWide
  %place = getelementptr float, ptr %column, i64 %row
  %sum = fadd float %v, %w
  store float %sum, ptr %place
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
