; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; The members of what a compare-and-swap gives before a loop and in it are values of their own.
; RUN: %build/bin/heddle-warp -block 32 -last-pass normalize %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread
; CHECK-NOT: phi { i32, i1 }
; CHECK: [[OLD:%.*]] = phi i32
; CHECK-NOT: phi { i32, i1 }
; CHECK: cmpxchg ptr {{.*}}, i32 [[OLD]], i32
define ptx_kernel void @kernel(ptr %cell, i32 %n) {
entry:
  %first = load volatile i32, ptr %cell
  %sum = add i32 %first, %n
  %try = cmpxchg ptr %cell, i32 %first, i32 %sum monotonic monotonic
  %done = extractvalue { i32, i1 } %try, 1
  br i1 %done, label %exit, label %loop
loop:
  %seen = phi { i32, i1 } [ %again, %loop ], [ %try, %entry ]
  %old = extractvalue { i32, i1 } %seen, 0
  %more = add i32 %old, %n
  %again = cmpxchg ptr %cell, i32 %old, i32 %more monotonic monotonic
  %success = extractvalue { i32, i1 } %again, 1
  br i1 %success, label %exit, label %loop
exit:
  ret void
}
