; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Threads that are neighbours in y access neighbouring elements, whatever lies between neighbours in x: one vector access
; for each of 32 columns of 8 rows, and three perfect shuffles. Blocks then go down the columns of the grid.
; RUN: %build/bin/heddle-warp -kernel store -block 32,8 -width 256 -disable coarsen-blocks-in-y -last-pass build-entry %s | FileCheck %s --check-prefixes=STORE,DOWN
; RUN: %build/bin/heddle-warp -kernel store -block 32,8 -width 0 -disable coarsen-blocks-in-y -last-pass build-entry %s | FileCheck %s --check-prefixes=STORE,DOWN
; RUN: %build/bin/heddle-warp -kernel load -block 32,8 -width 256 -disable coarsen-blocks-in-y -last-pass build-entry %s | FileCheck %s --check-prefixes=LOAD,DOWN
; Columns of whole cache lines are no reason for another order.
; RUN: %build/bin/heddle-warp -kernel store -block 16,16 -width 256 -last-pass build-entry %s | FileCheck %s --check-prefix=LONG
; Not where it is told so, where a warp has one row, nor where columns are not of neighbours.
; RUN: %build/bin/heddle-warp -kernel store -block 32,8 -disable transpose-columns -width 256 -last-pass build-entry %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel store -block 32,8 -width 32 -last-pass build-entry %s | FileCheck %s --check-prefix=NONE
; LEGAL transpose-columns: neighbours
; RUN: %build/bin/heddle-warp -kernel apart -block 32,8 -width 256 -last-pass build-entry %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel store -block 32,8 -disable column-major-blocks -width 256 -last-pass build-entry %s | FileCheck %s --check-prefix=ACROSS

; The order is what the runtime knows it by (KernelCode::band): forms of another order take no turns with it.
; RUN: %build/bin/heddle-warp -kernel store -block 32,8 -width 256 -disable coarsen-blocks-in-y -last-pass build-entry %s | FileCheck %s --check-prefix=ALL
; RUN: %build/bin/heddle-warp -kernel store -block 32,8 -disable column-major-blocks -width 256 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; ALL: @heddle_kernel = {{.*}} i32 1, i32 1, i32 -1, i32
; ONE: @heddle_kernel = {{.*}} i32 1, i32 1, i32 1, i32

; STORE-LABEL: define internal void @runBlocks
; LOAD-LABEL: define internal void @runBlocks
; DOWN: %shared = load ptr
; DOWN: getelementptr inbounds i8, ptr %1, i64 [[#X:]]
; DOWN-NEXT: store i32
; DOWN-NEXT: getelementptr inbounds i8, ptr %1, i64 [[#X+8]]
; DOWN-NEXT: store i32
; DOWN: block:
; DOWN: getelementptr inbounds i8, ptr %1, i64 [[#X+4]]
; DOWN-NEXT: store i32 %x
; STORE-NOT: scatter
; STORE-COUNT-3: shufflevector <256 x float> {{.*}} <i32 0, i32 128, i32 1, i32 129,
; STORE-COUNT-32: masked.store.v8f32
; STORE-NOT: scatter
; LOAD-NOT: gather
; LOAD-COUNT-32: masked.load.v8f32
; LOAD-COUNT-3: shufflevector <256 x float> {{.*}} <i32 0, i32 2, i32 4, i32 6,
; LOAD-NOT: gather

; LONG-LABEL: define internal void @runBlocks
; LONG: %shared = load ptr
; LONG: getelementptr inbounds i8, ptr %1, i64 [[#Y:]]
; LONG-NEXT: store i32
; LONG-NEXT: getelementptr inbounds i8, ptr %1, i64 [[#Y+4]]
; LONG-NEXT: store i32
; LONG: block:
; LONG: getelementptr inbounds i8, ptr %1, i64 [[#Y-4]]
; LONG-NEXT: store i32 %x
; LONG-COUNT-16: masked.store.v16f32

; ACROSS-LABEL: define internal void @runBlocks
; ACROSS: %shared = load ptr
; ACROSS: getelementptr inbounds i8, ptr %1, i64 [[#Y:]]
; ACROSS-NEXT: store i32
; ACROSS-NEXT: getelementptr inbounds i8, ptr %1, i64 [[#Y+4]]
; ACROSS-NEXT: store i32
; ACROSS: block:
; ACROSS: getelementptr inbounds i8, ptr %1, i64 [[#Y-4]]
; ACROSS-NEXT: store i32 %x
; ACROSS-COUNT-32: masked.store.v8f32

; NONE-LABEL: define internal void @runBlocks
; NONE: %shared = load ptr
; NONE: getelementptr inbounds i8, ptr %1, i64 [[#Y:]]
; NONE-NEXT: store i32
; NONE-NEXT: getelementptr inbounds i8, ptr %1, i64 [[#Y+4]]
; NONE-NEXT: store i32
; NONE: block:
; NONE: getelementptr inbounds i8, ptr %1, i64 [[#Y-4]]
; NONE-NEXT: store i32 %x
; NONE-NOT: masked.store.v8f32
; NONE: masked.scatter

define ptx_kernel void @store(ptr %out, ptr %in, i32 %n) {
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
  %jw = sext i32 %j to i64
  %to = getelementptr float, ptr %out, i64 %jw
  store float %v, ptr %to
  ret void
}

define ptx_kernel void @load(ptr %out, ptr %in, i32 %n) {
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %fx = shl i32 %bx, 5
  %x = add i32 %fx, %tx
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %fy = shl i32 %by, 3
  %y = add i32 %fy, %ty
  %xn = mul i32 %x, %n
  %j = add i32 %xn, %y
  %jw = zext i32 %j to i64
  %from = getelementptr float, ptr %in, i64 %jw
  %v = load float, ptr %from
  %yn = mul i32 %y, %n
  %i = add i32 %yn, %x
  %iw = zext i32 %i to i64
  %to = getelementptr float, ptr %out, i64 %iw
  store float %v, ptr %to
  ret void
}

define ptx_kernel void @apart(ptr %out, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %two = shl i32 %y, 1
  %xn = mul i32 %x, %n
  %i = add i32 %xn, %two
  %iw = sext i32 %i to i64
  %to = getelementptr i32, ptr %out, i64 %iw
  store i32 %x, ptr %to
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
