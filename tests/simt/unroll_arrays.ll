; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A loop of known length over a thread's own array is unrolled, and the array becomes registers.
; RUN: %build/bin/heddle-warp -block 64 -last-pass widen %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK-NOT: alloca
; CHECK-COUNT-16: store float

; CHECK: ret void

define ptx_kernel void @kernel(ptr %out, ptr %in, i64 %step) {
entry:
  %v = alloca [16 x float], align 4
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %inext, %fill ]
  %ai = mul i64 %i, %step
  %a = getelementptr float, ptr %in, i64 %ai
  %x = load float, ptr %a
  %vi = getelementptr [16 x float], ptr %v, i64 0, i64 %i
  store float %x, ptr %vi
  %inext = add nuw nsw i64 %i, 1
  %idone = icmp eq i64 %inext, 16
  br i1 %idone, label %empty, label %fill
empty:
  br label %drain
drain:
  %j = phi i64 [ 0, %empty ], [ %jnext, %drain ]
  %back = sub nuw nsw i64 15, %j
  %vj = getelementptr [16 x float], ptr %v, i64 0, i64 %back
  %y = load float, ptr %vj
  %bj = mul i64 %j, %step
  %b = getelementptr float, ptr %out, i64 %bj
  store float %y, ptr %b
  %jnext = add nuw nsw i64 %j, 1
  %jdone = icmp eq i64 %jnext, 16
  br i1 %jdone, label %exit, label %drain
exit:
  ret void
}
