; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Rows of the threads' own, at a distance that the host gives, go 16 at once. Not those whose beginning was loaded, columns
; beside each other, nor where threads wait for each other.
; RUN: %build/bin/heddle-warp -kernel pitched -width 0 -block 128 -last-pass build-entry %s | FileCheck %s
; RUN: %build/bin/heddle-warp -kernel pitched -width 0 -block 128 -target-cpu x86-64-v3 -last-pass build-entry %s | FileCheck %s
; RUN: %build/bin/heddle-warp -kernel pitched -width 0 -block 128 -disable pitched-rows -last-pass build-entry %s | FileCheck %s --check-prefix=OTHER
; RUN: %build/bin/heddle-warp -kernel loaded -width 0 -block 128 -last-pass build-entry %s | FileCheck %s --check-prefix=OTHER
; RUN: %build/bin/heddle-warp -kernel columns -width 0 -block 128 -last-pass build-entry %s | FileCheck %s --check-prefix=OTHER
; RUN: %build/bin/heddle-warp -kernel waits -width 0 -block 128 -last-pass build-entry %s | FileCheck %s --check-prefix=OTHER
; Rows that are the same for several warps are loaded once by a program of these.
; RUN: %build/bin/heddle-warp -kernel shared -width 0 -block 32,8 -last-pass build-entry %s | FileCheck %s --check-prefix=SHARED

; SHARED: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 256,
; CHECK: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 16,
; OTHER-NOT: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 16,

define ptx_kernel void @pitched(ptr %out, ptr %in, i64 %pitch, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = zext i32 %t to i64
  %first = mul nsw i64 %row, %pitch
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = add nsw i64 %first, %i
  %p = getelementptr float, ptr %in, i64 %at
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i64 %i, 1
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  %q = getelementptr float, ptr %out, i64 %row
  store float %more, ptr %q
  ret void
}

define ptx_kernel void @shared(ptr %out, ptr %in, ptr %other, i64 %pitch, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = zext i32 %t to i64
  %first = mul nsw i64 %row, %pitch
  %line = zext i32 %u to i64
  %begin = mul nsw i64 %line, %pitch
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = add nsw i64 %first, %i
  %p = getelementptr float, ptr %in, i64 %at
  %x = load float, ptr %p
  %with = add nsw i64 %begin, %i
  %pw = getelementptr float, ptr %other, i64 %with
  %y = load float, ptr %pw
  %product = fmul float %x, %y
  %more = fadd float %sum, %product
  %next = add nuw nsw i64 %i, 1
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  %place = add nsw i64 %begin, %row
  %q = getelementptr float, ptr %out, i64 %place
  store float %more, ptr %q
  ret void
}

define ptx_kernel void @waits(ptr %out, ptr %in, i64 %pitch, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = zext i32 %t to i64
  %first = mul nsw i64 %row, %pitch
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = add nsw i64 %first, %i
  %p = getelementptr float, ptr %in, i64 %at
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i64 %i, 1
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  %q = getelementptr float, ptr %out, i64 %row
  store float %more, ptr %q
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float %x, ptr %q
  ret void
}

define ptx_kernel void @loaded(ptr %out, ptr %in, ptr %starts, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = zext i32 %t to i64
  %s = getelementptr i64, ptr %starts, i64 %row
  %first = load i64, ptr %s
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = add nsw i64 %first, %i
  %p = getelementptr float, ptr %in, i64 %at
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i64 %i, 1
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  %q = getelementptr float, ptr %out, i64 %row
  store float %more, ptr %q
  ret void
}

define ptx_kernel void @columns(ptr %out, ptr %in, i64 %pitch, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = zext i32 %t to i64
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %first = mul nsw i64 %i, %pitch
  %at = add nsw i64 %first, %column
  %p = getelementptr float, ptr %in, i64 %at
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i64 %i, 1
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  %q = getelementptr float, ptr %out, i64 %column
  store float %more, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
