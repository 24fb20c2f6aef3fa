; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A product of a sparse matrix with some vectors: threads along y have rows, threads along x vectors. A row of the block is
; a program: its loop ends with its row, and the matrix's elements are scalar. Not if rows are as long as each other, and
; not where half a warp would have to wait for the other.
; RUN: %build/bin/heddle-warp -kernel sparse -width 0 -block 16,16 -last-pass build-entry %s | FileCheck %s --check-prefix=ROW
; RUN: %build/bin/heddle-warp -kernel sparse -width 0 -block 8,16 -target-cpu x86-64-v3 -last-pass build-entry %s | FileCheck %s --check-prefix=HALF
; RUN: %build/bin/heddle-warp -kernel sparse -width 0 -block 32,8 -last-pass build-entry %s | FileCheck %s --check-prefix=MORE
; RUN: %build/bin/heddle-warp -kernel dense -width 0 -block 16,16 -last-pass build-entry %s | FileCheck %s --check-prefix=MORE
; RUN: %build/bin/heddle-warp -kernel votes -width 0 -block 16,16 -last-pass build-entry %s | FileCheck %s --check-prefix=MORE

; ROW: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 16,
; HALF: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 8,
; MORE-NOT: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 {{8|16}},

define ptx_kernel void @sparse(ptr %y, ptr %starts, ptr %columns, ptr %values, ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %vector = zext i32 %t to i64
  %row = zext i32 %u to i64
  %ps = getelementptr i32, ptr %starts, i64 %row
  %from = load i32, ptr %ps
  %pt = getelementptr i8, ptr %ps, i64 4
  %to = load i32, ptr %pt
  %some = icmp slt i32 %from, %to
  br i1 %some, label %loop, label %end
loop:
  %e = phi i32 [ %from, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %ew = sext i32 %e to i64
  %pv = getelementptr float, ptr %values, i64 %ew
  %value = load float, ptr %pv
  %pc = getelementptr i32, ptr %columns, i64 %ew
  %column = load i32, ptr %pc
  %first = mul nsw i32 %column, %n
  %at = add nsw i32 %first, %t
  %atw = sext i32 %at to i64
  %px = getelementptr float, ptr %x, i64 %atw
  %other = load float, ptr %px
  %product = fmul float %value, %other
  %more = fadd float %sum, %product
  %next = add nsw i32 %e, 1
  %goes = icmp slt i32 %next, %to
  br i1 %goes, label %loop, label %end
end:
  %result = phi float [ 0.0, %entry ], [ %more, %loop ]
  %out = fadd float %result, 0.0
  %line = mul i64 %row, 64
  %place = add i64 %line, %vector
  %py = getelementptr float, ptr %y, i64 %place
  store float %out, ptr %py
  ret void
}

define ptx_kernel void @dense(ptr %y, ptr %starts, ptr %columns, ptr %values, ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %vector = zext i32 %t to i64
  %row = zext i32 %u to i64
  %ps = getelementptr i32, ptr %starts, i64 %row
  %from = mul nsw i32 %u, %n
  %to = add nsw i32 %from, %n
  %some = icmp slt i32 %from, %to
  br i1 %some, label %loop, label %end
loop:
  %e = phi i32 [ %from, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %ew = sext i32 %e to i64
  %pv = getelementptr float, ptr %values, i64 %ew
  %value = load float, ptr %pv
  %pc = getelementptr i32, ptr %columns, i64 %ew
  %column = load i32, ptr %pc
  %first = mul nsw i32 %column, %n
  %at = add nsw i32 %first, %t
  %atw = sext i32 %at to i64
  %px = getelementptr float, ptr %x, i64 %atw
  %other = load float, ptr %px
  %product = fmul float %value, %other
  %more = fadd float %sum, %product
  %next = add nsw i32 %e, 1
  %goes = icmp slt i32 %next, %to
  br i1 %goes, label %loop, label %end
end:
  %result = phi float [ 0.0, %entry ], [ %more, %loop ]
  %out = fadd float %result, 0.0
  %line = mul i64 %row, 64
  %place = add i64 %line, %vector
  %py = getelementptr float, ptr %y, i64 %place
  store float %out, ptr %py
  ret void
}

define ptx_kernel void @votes(ptr %y, ptr %starts, ptr %columns, ptr %values, ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %vector = zext i32 %t to i64
  %row = zext i32 %u to i64
  %ps = getelementptr i32, ptr %starts, i64 %row
  %from = load i32, ptr %ps
  %pt = getelementptr i8, ptr %ps, i64 4
  %to = load i32, ptr %pt
  %some = icmp slt i32 %from, %to
  br i1 %some, label %loop, label %end
loop:
  %e = phi i32 [ %from, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %ew = sext i32 %e to i64
  %pv = getelementptr float, ptr %values, i64 %ew
  %value = load float, ptr %pv
  %pc = getelementptr i32, ptr %columns, i64 %ew
  %column = load i32, ptr %pc
  %first = mul nsw i32 %column, %n
  %at = add nsw i32 %first, %t
  %atw = sext i32 %at to i64
  %px = getelementptr float, ptr %x, i64 %atw
  %other = load float, ptr %px
  %product = fmul float %value, %other
  %more = fadd float %sum, %product
  %next = add nsw i32 %e, 1
  %goes = icmp slt i32 %next, %to
  br i1 %goes, label %loop, label %end
end:
  %result = phi float [ 0.0, %entry ], [ %more, %loop ]
  %is = fcmp ogt float %result, 1.0
  %any = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %is)
  %out = select i1 %any, float %result, float 0.0
  %line = mul i64 %row, 64
  %place = add i64 %line, %vector
  %py = getelementptr float, ptr %y, i64 %place
  store float %out, ptr %py
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
