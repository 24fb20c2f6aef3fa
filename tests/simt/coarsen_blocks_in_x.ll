; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Rows of 16 threads along rows of bytes: four blocks beside each other fill a register. What is left of a row of blocks
; goes under a mask.
; RUN: %build/bin/heddle-warp -kernel bytes -block 16,16 -width 0 -target-cpu x86-64-v4 -last-pass build-entry %s | FileCheck %s
; Not where it is told so, nor with elements that fill registers already.
; RUN: %build/bin/heddle-warp -kernel bytes -block 16,16 -width 0 -disable coarsen-blocks-in-x -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -kernel bytes -block 16,16 -width 16 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: sed -e 's/i8/i32/g' %s > %t.ll
; RUN: %build/bin/heddle-warp -kernel bytes -block 16,16 -width 0 -last-pass build-entry %t.ll | FileCheck %s --check-prefix=ONE
; LEGAL coarsen-blocks-in-x: no barriers
; RUN: %build/bin/heddle-warp -kernel barrier -block 16,16 -width 0 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -kernel lane -block 16,16 -width 0 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; LEGAL coarsen-blocks-in-x: no order
; RUN: sed -e 's/monotonic/acquire/' %s > %t.ll
; RUN: %build/bin/heddle-warp -kernel counts -block 16,16 -width 0 -last-pass build-entry %t.ll | FileCheck %s --check-prefix=ONE

; Blocks of a part of a warp fill warps: 8 of 4x2, 6 of 10. Few run one by one.
; RUN: %build/bin/heddle-warp -kernel small -block 4,2 -width 0 -last-pass build-entry %s | FileCheck %s --check-prefixes=SMALL,EIGHT
; RUN: %build/bin/heddle-warp -kernel small -block 10 -width 0 -last-pass build-entry %s | FileCheck %s --check-prefixes=SMALL,TEN
; RUN: %build/bin/heddle-warp -kernel small -block 4,2 -width 0 -disable coarsen-blocks-in-x -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -kernel small -block 4,2 -width 0 -last-pass build-entry %t.ll | FileCheck %s --check-prefix=ONE

; EIGHT: @heddle_kernel = constant {{.*}}, i32 1, i32 8, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; TEN: @heddle_kernel = constant {{.*}}, i32 1, i32 6, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; SMALL: br i1 %{{.*}}, label %group, label %fewer
; SMALL: phi i32 [ {{[0-9]+}}, %{{.*}} ], [ %{{.*}}, %{{.*}} ], [ 1, %{{.*}} ]
; SMALL: fewer:
; SMALL: label %part, label %one

; CHECK: @heddle_kernel = constant {{.*}} { i32 {{[0-9]+}}, i32 [[WIDTH:64|128|256]], {{.*}}, i32 1, i32 4, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; CHECK-LABEL: define internal void @runBlocks
; CHECK: call i32 @llvm.umin.i32(i32 %{{.*}}, i32 4)
; CHECK: br i1 %{{.*}}, label %group, label %part
; CHECK: masked.load.v64i8.p0(ptr align 1 %{{.*}}, <64 x i1> splat (i1 true)
; CHECK: urem <[[WIDTH]] x i32> %{{.*}}, splat (i32 64)
; CHECK-NEXT: icmp ult <[[WIDTH]] x i32>
; CHECK: br i1 %{{.*}}, label %active, label %next
; CHECK: masked.load.v64i8.p0(ptr align 1 %{{.*}}, <64 x i1> %

; ONE: @heddle_kernel = constant {{.*}}, i32 0, i32 1, i32 1, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }

define ptx_kernel void @bytes(ptr noalias %out, ptr noalias %in, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %u = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = shl i32 %x, 4
  %column = add i32 %bx, %t
  %by = shl i32 %y, 4
  %row = add i32 %by, %u
  %first = mul i32 %row, %n
  %at = sext i32 %first to i64
  %c = zext i32 %column to i64
  %i = add i64 %at, %c
  %p = getelementptr i8, ptr %in, i64 %i
  %q = getelementptr i8, ptr %out, i64 %i
  %v = load i8, ptr %p
  %w = mul i8 %v, 3
  store i8 %w, ptr %q
  ret void
}

define ptx_kernel void @barrier(ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bx = shl i32 %x, 4
  %column = add i32 %bx, %t
  %c = zext i32 %column to i64
  %q = getelementptr i8, ptr %out, i64 %c
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i8 1, ptr %q
  ret void
}

define ptx_kernel void @lane(ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %is = icmp eq i32 %l, 3
  %b = select i1 %is, i8 1, i8 0
  %bx = shl i32 %x, 4
  %column = add i32 %bx, %t
  %c = zext i32 %column to i64
  %q = getelementptr i8, ptr %out, i64 %c
  store i8 %b, ptr %q
  ret void
}

define ptx_kernel void @counts(ptr %out, ptr %count) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bx = shl i32 %x, 4
  %column = add i32 %bx, %t
  %c = zext i32 %column to i64
  %q = getelementptr i8, ptr %out, i64 %c
  store i8 1, ptr %q
  %old = atomicrmw add ptr %count, i32 1 monotonic
  ret void
}

define ptx_kernel void @small(ptr %out, ptr %in, ptr %count) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %bx = mul i32 %x, %n
  %column = add i32 %bx, %t
  %c = zext i32 %column to i64
  %p = getelementptr float, ptr %in, i64 %c
  %q = getelementptr float, ptr %out, i64 %c
  %v = load float, ptr %p
  %s = fmul float %v, %v
  %w = fadd float %s, 1.0
  store float %w, ptr %q
  %r = zext i32 %y to i64
  %a = getelementptr i32, ptr %count, i64 %r
  %old = atomicrmw add ptr %a, i32 1 monotonic
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
