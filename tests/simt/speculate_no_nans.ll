; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A loop of sums runs without making numbers of NaNs, and again with, if a sum is NaN then.
; RUN: %build/bin/heddle-warp -block 32 -kernel sums -last-pass speculate-no-nans %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 -kernel sums -last-pass speculate-no-nans -disable speculate-no-nans %s | FileCheck %s --check-prefix=ONCE
; Not where such a value is compared, or the last one is wanted: no sum would show that it was NaN.
; RUN: %build/bin/heddle-warp -block 32 -kernel largest -last-pass speculate-no-nans %s | FileCheck %s --check-prefix=ONCE
; RUN: %build/bin/heddle-warp -block 32 -kernel last -last-pass speculate-no-nans %s | FileCheck %s --check-prefix=ONCE
; Not where the loop writes.
; RUN: %build/bin/heddle-warp -block 32 -kernel writes -last-pass speculate-no-nans %s | FileCheck %s --check-prefix=ONCE

; CHECK-LABEL: define internal void @runBlocks
; CHECK: tried:
; CHECK: [[NAN:%.*]] = fcmp uno <32 x float> [[SUM:%.*]], [[SUM]]
; CHECK: [[ANY:%.*]] = call i1 @llvm.vector.reduce.or.v32i1(<32 x i1> [[NAN]])
; CHECK: br i1 {{.*}}, label %again, label %
; CHECK: again:
; CHECK: [[IS:%.*]] = fcmp olt <32 x float> [[X:%.*]], splat (float 1.0
; CHECK: select <32 x i1> [[IS]], <32 x float> [[X]], <32 x float> splat (float 1.0
; CHECK: fadd <32 x float>
; CHECK: .try:
; CHECK-NOT: select
; CHECK: [[SUM]] = fadd <32 x float>
; CHECK: br i1 {{.*}}, label %tried, label %

; ONCE-NOT: .try:
; ONCE-COUNT-1: fcmp olt <32 x float>
; ONCE-NOT: fcmp olt <32 x float>

define ptx_kernel void @sums(i32 %n, ptr %a, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = zext i32 %t to i64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %index = zext i32 %k to i64
  %row = getelementptr float, ptr %a, i64 %index
  %p = getelementptr float, ptr %row, i64 %lane
  %x = load float, ptr %p
  %r = call float @__heddle_one_for_nan(float %x)
  %y = fmul float %r, %x
  %more = fadd float %sum, %y
  %next = add i32 %k, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  %q = getelementptr float, ptr %out, i64 %lane
  store float %more, ptr %q
  ret void
}

define ptx_kernel void @largest(i32 %n, ptr %a, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = zext i32 %t to i64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %most = phi float [ 0.0, %entry ], [ %more, %loop ]
  %index = zext i32 %k to i64
  %row = getelementptr float, ptr %a, i64 %index
  %p = getelementptr float, ptr %row, i64 %lane
  %x = load float, ptr %p
  %r = call float @__heddle_one_for_nan(float %x)
  %larger = fcmp ogt float %r, %most
  %more = select i1 %larger, float %r, float %most
  %next = add i32 %k, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  %q = getelementptr float, ptr %out, i64 %lane
  store float %more, ptr %q
  ret void
}

define ptx_kernel void @last(i32 %n, ptr %a, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = zext i32 %t to i64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %index = zext i32 %k to i64
  %row = getelementptr float, ptr %a, i64 %index
  %p = getelementptr float, ptr %row, i64 %lane
  %x = load float, ptr %p
  %r = call float @__heddle_one_for_nan(float %x)
  %y = fmul float %r, %x
  %more = fadd float %sum, %y
  %next = add i32 %k, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  %q = getelementptr float, ptr %out, i64 %lane
  %both = fadd float %more, %y
  store float %both, ptr %q
  ret void
}

define ptx_kernel void @writes(i32 %n, ptr %a, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %lane
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %index = zext i32 %k to i64
  %row = getelementptr float, ptr %a, i64 %index
  %p = getelementptr float, ptr %row, i64 %lane
  %x = load float, ptr %p
  %r = call float @__heddle_one_for_nan(float %x)
  %more = fadd float %sum, %r
  store float %x, ptr %q
  %next = add i32 %k, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  store float %more, ptr %p
  ret void
}

declare float @__heddle_one_for_nan(float)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
