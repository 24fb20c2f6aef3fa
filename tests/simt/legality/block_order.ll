; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Blocks go by rows or columns only where nothing orders them.
; RUN: %build/bin/heddle-warp -kernel rows -block 32,8 -width 32 -last-pass build-entry %s | FileCheck %s
; LEGAL interchange-block-rows: no order
; RUN: %break atomic && %build/bin/heddle-warp -kernel rows -block 32,8 -width 32 -last-pass build-entry %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break fence && %build/bin/heddle-warp -kernel rows -block 32,8 -width 32 -last-pass build-entry %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break volatile && %build/bin/heddle-warp -kernel rows -block 32,8 -width 32 -last-pass build-entry %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL interchange-block-rows: no work together
; RUN: %break waits && %build/bin/heddle-warp -kernel rows -block 32,8 -width 32 -last-pass build-entry %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break shared && %build/bin/heddle-warp -kernel rows -block 32,8 -width 32 -last-pass build-entry %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL column-major-blocks: no order
; RUN: %break atomic && %build/bin/heddle-warp -kernel columns -block 32,8 -width 256 -disable coarsen-blocks-in-y -last-pass build-entry %t.ll | FileCheck %s --check-prefix=ACROSS
; LEGAL column-major-blocks: no work together
; RUN: %break waits && %build/bin/heddle-warp -kernel columns -block 32,8 -width 256 -disable coarsen-blocks-in-y -last-pass build-entry %t.ll | FileCheck %s --check-prefix=ACROSS
; RUN: %build/bin/heddle-warp -kernel columns -block 32,8 -width 256 -disable coarsen-blocks-in-y -last-pass build-entry %s | FileCheck %s --check-prefix=DOWN

; CHECK: {{^}}row:
; NONE-NOT: {{^}}row:

; DOWN-LABEL: define internal void @runBlocks
; DOWN: %shared = load ptr
; DOWN: getelementptr inbounds i8, ptr %1, i64 [[#X:]]
; DOWN: block:
; DOWN: getelementptr inbounds i8, ptr %1, i64 [[#X+4]]
; DOWN-NEXT: store i32 %x

; ACROSS-LABEL: define internal void @runBlocks
; ACROSS: %shared = load ptr
; ACROSS: getelementptr inbounds i8, ptr %1, i64 [[#X:]]
; ACROSS: block:
; ACROSS: getelementptr inbounds i8, ptr %1, i64 [[#X-4]]
; ACROSS-NEXT: store i32 %x

@tile = internal addrspace(3) global [32 x float] undef, align 4

define ptx_kernel void @rows(ptr %out, ptr %in, ptr %count) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = shl i32 %y, 10
  %i = add i32 %row, %x
  %i64 = zext nneg i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %i64
  %to = getelementptr float, ptr %out, i64 %i64
  %v = load float, ptr %from ; not volatile
;@shared  %cell = getelementptr float, ptr addrspace(3) @tile, i32 %x
;@shared  store float %v, ptr addrspace(3) %cell
;@waits  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
;@volatile  %v = load volatile float, ptr %from
;@fence  fence seq_cst
;@atomic  %old = atomicrmw add ptr %count, i32 1 monotonic
  store float %v, ptr %to
  ret void
}

define ptx_kernel void @columns(ptr %out, ptr %in, i32 %n, ptr %count) {
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
;@waits  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
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
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
