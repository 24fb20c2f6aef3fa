; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Rounds that go along the same row go along it together; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 32 -objects 8,1,16,2,24,3 -last-pass=unroll-and-jam %s | FileCheck %s
; LEGAL unroll-and-jam: turns
; RUN: %break turns && %build/bin/heddle-warp -block 32 -objects 8,1,16,2,24,3 -last-pass=unroll-and-jam %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break data && %build/bin/heddle-warp -block 32 -objects 8,1,16,2,24,3 -last-pass=unroll-and-jam %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL unroll-and-jam: carried
; RUN: %break carried && %build/bin/heddle-warp -block 32 -objects 8,1,16,2,24,3 -last-pass=unroll-and-jam %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL unroll-and-jam: writes in the inner loop
; RUN: %break stores && %build/bin/heddle-warp -block 32 -objects 8,1,16,2,24,3 -last-pass=unroll-and-jam %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break before && %build/bin/heddle-warp -block 32 -objects 8,1,16,2,24,3 -last-pass=unroll-and-jam %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL unroll-and-jam: plain stores behind
; RUN: %break atomic && %build/bin/heddle-warp -block 32 -objects 8,1,16,2,24,3 -last-pass=unroll-and-jam %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break volatile && %build/bin/heddle-warp -block 32 -objects 8,1,16,2,24,3 -last-pass=unroll-and-jam %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL unroll-and-jam: barriers
; RUN: %break waits && %build/bin/heddle-warp -block 32 -objects 8,1,16,2,24,3 -last-pass=unroll-and-jam %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL unroll-and-jam: apart
; RUN: %build/bin/heddle-warp -block 32 -objects 8,1,16,2,24,1 -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=NONE

; CHECK: jam.turn

; NONE-NOT: %jam.

define ptx_kernel void @kernel(i64 %unused, ptr %in, ptr %weights, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  br label %rounds
rounds:
  %j = phi i32 [ 0, %entry ], [ %j1, %behind ]
;@carried  %before = phi float [ 0.0, %entry ], [ %next, %behind ]
  %column = mul nsw i32 %j, %n
;@before  store float 0.0, ptr %out
  br label %turn
turn:
  %k = phi i32 [ 0, %rounds ], [ %k1, %turn ]
  %sum = phi float [ 0.0, %rounds ], [ %next, %turn ] ; not carried
;@carried  %sum = phi float [ %before, %rounds ], [ %next, %turn ]
  %at = add nsw i32 %row, %k
  %i = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p
  %atw = add nsw i32 %column, %k
  %iw = sext i32 %atw to i64
  %pw = getelementptr float, ptr %weights, i64 %iw
  %w = load float, ptr %pw
;@stores  store float %x, ptr %out
  %next = call float @llvm.fma.f32(float %x, float %w, float %sum)
  %k1 = add nuw nsw i32 %k, 1
  %done = icmp sge i32 %k1, %n ; not turns data
;@turns  %done = icmp sgt i32 %k1, %j
;@data  %done = fcmp ogt float %next, 9.0
  br i1 %done, label %behind, label %turn
behind:
  %ato = add nsw i32 %row, %j
  %io = sext i32 %ato to i64
  %po = getelementptr float, ptr %out, i64 %io
  store float %next, ptr %po ; not atomic volatile
;@atomic  %old = atomicrmw fadd ptr %po, float %next monotonic
;@volatile  store volatile float %next, ptr %po
;@waits  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %j1 = add nuw nsw i32 %j, 1
  %all = icmp eq i32 %j1, %n
  br i1 %all, label %end, label %rounds
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.fma.f32(float, float, float)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
