; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A loop that counts set bits is one instruction where the machine has it.
; RUN: %build/bin/heddle-warp -kernel bits -last-pass normalize %s | FileCheck %s
; RUN: %build/bin/heddle-warp -kernel bits -last-pass normalize -target-cpu x86-64 %s | FileCheck %s --check-prefix=LOOP
; RUN: %build/bin/heddle-warp -kernel bits -last-pass normalize -disable=recognize-popcount %s | FileCheck %s --check-prefix=LOOP
; A loop that fills memory stays: what a thread does there is a matter of its warp.
; RUN: %build/bin/heddle-warp -kernel fill -last-pass normalize %s | FileCheck %s --check-prefix=FILL

; CHECK-LABEL: define {{.*}} @bits
; CHECK: call i32 @llvm.ctpop.i32
; CHECK-NOT: and i32
; CHECK: ret void
; LOOP-NOT: ctpop
; LOOP: loop:
; FILL-NOT: memset
; FILL: loop:

define ptx_kernel void @bits(ptr %out, i32 %x) {
entry:
  %isZero = icmp eq i32 %x, 0
  br i1 %isZero, label %done, label %loop
loop:
  %rest = phi i32 [ %x, %entry ], [ %next, %loop ]
  %count = phi i32 [ 0, %entry ], [ %more, %loop ]
  %less = add i32 %rest, -1
  %next = and i32 %less, %rest
  %more = add nuw nsw i32 %count, 1
  %isLast = icmp eq i32 %next, 0
  br i1 %isLast, label %done, label %loop
done:
  %result = phi i32 [ 0, %entry ], [ %more, %loop ]
  store i32 %result, ptr %out
  ret void
}

define ptx_kernel void @fill(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %out, i64 %i
  store i32 0, ptr %p
  %next = add nuw nsw i64 %i, 1
  %isLast = icmp eq i64 %next, %n
  br i1 %isLast, label %done, label %loop
done:
  ret void
}
