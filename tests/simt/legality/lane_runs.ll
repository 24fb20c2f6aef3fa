; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Rows of 20 elements are loaded by masked loads, one for each that lies in a register; not with one condition broken.
; RUN: %build/bin/heddle-warp -kernel kernel -block 16,16 -width 256 -last-pass widen %s | FileCheck %s
; RUN: %build/bin/heddle-warp -kernel kernel -block 16,16 -width 256 -disable lane-runs -last-pass widen %s | FileCheck %s --check-prefix=NONE
; LEGAL lane-runs: whole block
; RUN: %build/bin/heddle-warp -kernel kernel -block 16,16 -width 32 -last-pass widen %s | FileCheck %s --check-prefix=NONE
; LEGAL lane-runs: scalars
; RUN: %break data && %build/bin/heddle-warp -kernel kernel -block 16,16 -width 256 -last-pass widen %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL lane-runs: no wrap
; RUN: %break wraps && %build/bin/heddle-warp -kernel kernel -block 16,16 -width 256 -last-pass widen %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL lane-runs: neighbours
; RUN: %break apart && %build/bin/heddle-warp -kernel kernel -block 16,16 -width 256 -last-pass widen %t.ll | FileCheck %s --check-prefix=NONE

; The first register has the lanes 0 to 15 of the first row, the second one the other four and those of the second row.
; CHECK-NOT: masked.gather
; CHECK: %[[FIRST:.*]] = call <16 x float> @llvm.masked.load.v16f32
; CHECK: %[[PART:.*]] = call <16 x float> @llvm.masked.load.v16f32{{.*}}poison
; CHECK: call <16 x float> @llvm.masked.load.v16f32{{.*}}, <16 x float> %[[PART]])
; CHECK-NOT: masked.gather

; NONE: masked.gather

define ptx_kernel void @kernel(ptr %out, ptr %in, i32 %n, ptr %rows) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %first = shl nuw nsw i32 %ty, 4
  %t = add nuw nsw i32 %first, %tx
  %row = udiv i32 %t, 20
  %column = urem i32 %t, 20
  %r = add i32 %row, 0 ; not data
;@data  %row.wide = zext i32 %row to i64
;@data  %at = getelementptr i32, ptr %rows, i64 %row.wide
;@data  %r = load i32, ptr %at
  %start = mul nsw i32 %r, %n ; not wraps
;@wraps  %start = mul i32 %r, %n
  %i = add nsw i32 %start, %column ; not apart
;@apart  %twice = shl nsw i32 %column, 1
;@apart  %i = add nsw i32 %start, %twice
  %iw = sext i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %iw
  %v = load float, ptr %from
  %tw = zext i32 %t to i64
  %to = getelementptr float, ptr %out, i64 %tw
  store float %v, ptr %to
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
