; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A block of 32x8 threads writes columns of half a cache line. Four blocks above each other become one program, where there
; are so many: the thread's row and its block's are only used for the row in the grid.
; RUN: %build/bin/heddle-warp -kernel sum -block 32,8 -width 0 -last-pass build-entry %s | FileCheck %s
; RUN: %build/bin/heddle-warp -kernel bits -block 32,8 -width 256 -last-pass build-entry %s | FileCheck %s
; Registers, not shuffles of all lanes, and stores of whole lines.
; RUN: %build/bin/heddle-warp -kernel sum -block 32,8 -width 0 -last-pass eliminate-dead-lanes %s | FileCheck %s --check-prefix=CUT
; Not where it is told so, with a width for less, or where a block's row or a thread's is used for something else.
; RUN: %build/bin/heddle-warp -kernel sum -block 32,8 -width 0 -disable coarsen-blocks-in-y -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -kernel sum -block 32,8 -width 128 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; LEGAL coarsen-blocks-in-y: row of the thread
; RUN: %build/bin/heddle-warp -kernel thread -block 32,8 -width 0 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; LEGAL coarsen-blocks-in-y: row of the block
; RUN: %build/bin/heddle-warp -kernel block -block 32,8 -width 0 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; Nor where columns are whole lines.
; RUN: %build/bin/heddle-warp -kernel sum -block 16,16 -width 0 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE

; CHECK: @heddle_kernel = constant {{.*}}, i32 0, i32 4, i32 1, i32 4, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; CHECK-LABEL: define internal void @runBlocks
; CHECK: together:
; CHECK-COUNT-32: masked.load.v32f32
; CHECK-NOT: masked.load
; CHECK-COUNT-32: masked.store.v32f32
; CHECK-NOT: masked.store
; CHECK: one:
; CHECK-COUNT-8: masked.load.v32f32
; CHECK-COUNT-32: masked.store.v8f32
; CHECK: after:

; CUT-LABEL: define internal void @runBlocks
; CUT: together:
; CUT-COUNT-64: load <16 x float>
; CUT-COUNT-64: store <16 x float>
; CUT: one:

; ONE: @heddle_kernel = constant {{.*}}, i32 0, i32 1, i32 1, i32 {{-?1}}, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; ONE-NOT: together:

define ptx_kernel void @sum(ptr %out, ptr %in, i32 %n) {
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
  %xn = mul nsw i32 %x, %n
  %j = add nsw i32 %xn, %y
  %jw = sext i32 %j to i64
  %to = getelementptr float, ptr %out, i64 %jw
  store float %v, ptr %to
  ret void
}

; As LLVM writes a sum whose parts share no bits. The fourth block's rows do share bits with the first one's.
define ptx_kernel void @bits(ptr %out, ptr %in, i32 %n) {
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %fx = shl i32 %bx, 5
  %x = or disjoint i32 %fx, %tx
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %fy = shl i32 %by, 3
  %y = or disjoint i32 %fy, %ty
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

define ptx_kernel void @thread(ptr %out, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %fy = shl i32 %by, 3
  %y = add i32 %fy, %ty
  %xn = mul nsw i32 %x, %n
  %j = add nsw i32 %xn, %y
  %jw = sext i32 %j to i64
  %to = getelementptr i32, ptr %out, i64 %jw
  store i32 %ty, ptr %to
  ret void
}

define ptx_kernel void @block(ptr %out, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %fy = shl i32 %by, 3
  %y = add i32 %fy, %ty
  %xn = mul nsw i32 %x, %n
  %j = add nsw i32 %xn, %y
  %jw = sext i32 %j to i64
  %to = getelementptr i32, ptr %out, i64 %jw
  store i32 %by, ptr %to
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
