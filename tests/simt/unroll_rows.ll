; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Lanes that go along rows of their own take eight words at a time, and the rest one by one.
; RUN: %build/bin/heddle-warp -kernel words -block 128 -last-pass unroll-rows %s | FileCheck %s --check-prefix=WORDS
; RUN: %build/bin/heddle-warp -kernel doubles -block 128 -last-pass unroll-rows %s | FileCheck %s --check-prefix=DOUBLES
; Blocks of those loads are not run lane by lane.
; RUN: %build/bin/heddle-warp -kernel words -block 128 -width 16 %s | FileCheck %s --check-prefix=GATHERS
; So do those that write along rows, of an array that they do not read.
; RUN: %build/bin/heddle-warp -kernel stores -block 128 -objects 0,1,8,2 -last-pass unroll-rows %s | FileCheck %s --check-prefix=STORES
; RUN: %build/bin/heddle-warp -kernel stores -block 128 -objects 0,1,8,1 -last-pass unroll-rows %s | FileCheck %s --check-prefix=NONE
; Not where lanes go side by side or leave one by one, where the loop may store what it reads, or one thread is a program.
; RUN: %build/bin/heddle-warp -kernel columns -block 128 -last-pass unroll-rows %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel triangle -block 128 -last-pass unroll-rows %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel stores -block 128 -last-pass unroll-rows %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel words -block 128 -width 1 -last-pass unroll-rows %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel words -block 128 -disable unroll-rows -last-pass unroll-rows %s | FileCheck %s --check-prefix=NONE

; WORDS-LABEL: define internal void @words.thread
; WORDS-COUNT-9: load float, ptr %{{.*}}, !heddle.row-load
; WORDS-NOT: load float
; DOUBLES-LABEL: define internal void @doubles.thread
; DOUBLES-COUNT-5: load double, ptr %{{.*}}, !heddle.row-load
; DOUBLES-NOT: load double
; GATHERS-LABEL: define internal void @words.thread.warp
; GATHERS-COUNT-8: call <16 x float> @llvm.masked.gather
; STORES-LABEL: define internal void @stores.thread
; STORES-COUNT-9: store float
; STORES-NOT: store float
; NONE-LABEL: define internal void @{{.*}}.thread
; NONE-NOT: heddle.row-load

define ptx_kernel void @words(ptr %out, ptr %in, i64 %pitch, i64 %n) {
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

define ptx_kernel void @doubles(ptr %out, ptr %in, i64 %pitch, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = zext i32 %t to i64
  %first = mul nsw i64 %row, %pitch
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %more, %loop ]
  %at = add nsw i64 %first, %i
  %p = getelementptr double, ptr %in, i64 %at
  %x = load double, ptr %p
  %more = fadd double %sum, %x
  %next = add nuw nsw i64 %i, 1
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  %q = getelementptr double, ptr %out, i64 %row
  store double %more, ptr %q
  ret void
}

define ptx_kernel void @columns(ptr %out, ptr %in, i64 %pitch, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = zext i32 %t to i64
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = add nsw i64 %row, %i
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

define ptx_kernel void @triangle(ptr %out, ptr %in, i64 %pitch, i64 %n) {
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
  %goes = icmp slt i64 %next, %row
  br i1 %goes, label %loop, label %end
end:
  %q = getelementptr float, ptr %out, i64 %row
  store float %more, ptr %q
  ret void
}

define ptx_kernel void @stores(ptr %out, ptr %in, i64 %pitch, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = zext i32 %t to i64
  %first = mul nsw i64 %row, %pitch
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = add nsw i64 %first, %i
  %p = getelementptr float, ptr %in, i64 %at
  %x = load float, ptr %p
  %q = getelementptr float, ptr %out, i64 %at
  store float %x, ptr %q
  %next = add nuw nsw i64 %i, 1
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
