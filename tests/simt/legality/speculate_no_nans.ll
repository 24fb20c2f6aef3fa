; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A loop of sums goes without what makes numbers of NaNs; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 32 -last-pass speculate-no-nans %s | FileCheck %s
; LEGAL speculate-no-nans: keeps nan
; RUN: %break largest && %build/bin/heddle-warp -block 32 -last-pass speculate-no-nans %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL speculate-no-nans: sums only
; RUN: %break last && %build/bin/heddle-warp -block 32 -last-pass speculate-no-nans %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL speculate-no-nans: pure
; RUN: %break writes && %build/bin/heddle-warp -block 32 -last-pass speculate-no-nans %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL speculate-no-nans: one exit
; RUN: %break leaves && %build/bin/heddle-warp -block 32 -last-pass speculate-no-nans %t.ll | FileCheck %s --check-prefix=NONE

; CHECK: .try:

; NONE-NOT: .try:
; NONE: fcmp olt <32 x float>

define ptx_kernel void @kernel(i32 %n, ptr %a, ptr %out) {
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
  %more = fadd float %sum, %y ; not largest
;@writes  store float %x, ptr %out
;@largest  %isLarger = fcmp ogt float %y, %sum
;@largest  %more = select i1 %isLarger, float %y, float %sum
  %next = add i32 %k, 1
  %done = icmp eq i32 %next, %n ; not leaves
;@leaves  %isMany = fcmp ogt float %more, 9.0
;@leaves  %isLast = icmp eq i32 %next, %n
;@leaves  %done = or i1 %isMany, %isLast
  br i1 %done, label %exit, label %loop
exit:
  %q = getelementptr float, ptr %out, i64 %lane
  store float %more, ptr %q ; not last
;@last  %both = fadd float %more, %y
;@last  %q2 = getelementptr i8, ptr %q, i64 4096
;@last  store float %more, ptr %q
;@last  store float %y, ptr %q2
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @__heddle_one_for_nan(float)
