; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; `#pragma unroll 1` leaves a loop over a thread's own array as it is.
; RUN: %build/bin/heddle-warp -block 64 -last-pass widen %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: alloca [32 x [16 x float]]
; CHECK: phi i64
define ptx_kernel void @kernel(ptr %out, ptr %in) {
entry:
  %v = alloca [16 x float], align 4
  %v5 = getelementptr float, ptr %v, i64 5
  store float 1.0, ptr %v5
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %vi = getelementptr [16 x float], ptr %v, i64 0, i64 %i
  %y = load float, ptr %vi
  %b = getelementptr float, ptr %out, i64 %i
  store float %y, ptr %b
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 16
  br i1 %done, label %exit, label %loop, !llvm.loop !0
exit:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
