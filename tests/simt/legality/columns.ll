; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Columns are stored by vectors, and by several blocks at once; not with one condition broken.
; RUN: %build/bin/heddle-warp -kernel kernel -block 32,8 -width 256 -disable coarsen-blocks-in-y -last-pass build-entry %s | FileCheck %s
; LEGAL transpose-columns: no wrap
; RUN: %break mixed && %build/bin/heddle-warp -kernel kernel -block 32,8 -width 256 -disable coarsen-blocks-in-y -last-pass build-entry %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL coarsen-blocks-in-y: straight
; RUN: %break atomic && %build/bin/heddle-warp -kernel tall -block 32,8 -width 0 -last-pass build-entry %t.ll | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -kernel tall -block 32,8 -width 0 -last-pass build-entry %s | FileCheck %s --check-prefix=TALL

; What the address of a column follows from has no flags: its first lane need not be active.
; CHECK-NOT: call {{.*}}scatter
; CHECK: mul <32 x i32>
; CHECK-NOT: call {{.*}}scatter
; CHECK: call {{.*}}masked.store.v8f32

; NONE-NOT: call {{.*}}masked.store.v8f32
; NONE: call {{.*}}masked.scatter

; TALL: together:
; ONE-NOT: together:
; ONE: ret void

define ptx_kernel void @kernel(ptr %out, ptr %in, i32 %n) {
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %fx = shl i32 %bx, 5
  %x = add i32 %fx, %tx
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %fy = shl i32 %by, 3
  %y = add i32 %fy, %ty
  %yn = mul nsw i32 %y, %n
  %i = add nsw i32 %yn, %x
  %iw = sext i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %iw
  %v = load float, ptr %from
  %xn = mul nsw i32 %x, %n
  %j = add nsw i32 %xn, %y
  %jw = sext i32 %j to i64 ; not mixed
;@mixed  %two = shl nsw i32 %y, 1
;@mixed  %up = add nsw i32 %xn, %two
;@mixed  %down = sub i32 %xn, %y
;@mixed  %up.wide = sext i32 %up to i64
;@mixed  %down.wide = zext i32 %down to i64
;@mixed  %jw = add i64 %up.wide, %down.wide
  %to = getelementptr float, ptr %out, i64 %jw
  store float %v, ptr %to
  ret void
}

define ptx_kernel void @tall(ptr %out, ptr %in, i32 %n, ptr %count) {
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %fx = shl i32 %bx, 5
  %x = add i32 %fx, %tx
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %fy = mul i32 %by, %ny
  %y = add i32 %fy, %ty
  %yn = mul nsw i32 %y, %n
  %i = add nsw i32 %yn, %x
  %iw = sext i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %iw
  %v = load float, ptr %from
;@atomic  %old = atomicrmw add ptr %count, i32 1 monotonic
  %xn = mul nsw i32 %x, %n
  %j = add nsw i32 %xn, %y
  %jw = sext i32 %j to i64
  %to = getelementptr float, ptr %out, i64 %jw
  store float %v, ptr %to
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
