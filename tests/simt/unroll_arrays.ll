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

; What the unrolled loop reads is loaded once, in front of the loop around it.
; RUN: %build/bin/heddle-warp -kernel around -block 64 -last-pass choose-form %s | FileCheck %s --check-prefix=AROUND
; AROUND-LABEL: define internal void @around.thread
; AROUND-COUNT-4: load i8
; AROUND: phi i32
; AROUND-NOT: load i8
; AROUND: ret void

define ptx_kernel void @around(ptr %out, ptr %in, i32 %turns, i64 %pitch) {
entry:
  %v = alloca [4 x i32], align 4
  call void @llvm.memset.p0.i64(ptr align 4 %v, i8 0, i64 16, i1 false)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = zext i32 %t to i64
  br label %outer
outer:
  %turn = phi i32 [ 0, %entry ], [ %next, %again ]
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %inext, %inner ]
  %column = mul i64 %i, %pitch
  %element = add i64 %column, %lane
  %a = getelementptr i8, ptr %in, i64 %element
  %byte = load i8, ptr %a
  %x = zext i8 %byte to i32
  %vi = getelementptr [4 x i32], ptr %v, i64 0, i64 %i
  %old = load i32, ptr %vi
  %mixed = xor i32 %old, %turn
  %new = add i32 %mixed, %x
  store i32 %new, ptr %vi
  %inext = add nuw nsw i64 %i, 1
  %idone = icmp eq i64 %inext, 4
  br i1 %idone, label %again, label %inner
again:
  %next = add nuw nsw i32 %turn, 1
  %done = icmp sge i32 %next, %turns
  br i1 %done, label %exit, label %outer
exit:
  %p0 = load i32, ptr %v
  %v3 = getelementptr [4 x i32], ptr %v, i64 0, i64 3
  %p3 = load i32, ptr %v3
  %sum = add i32 %p0, %p3
  %o = getelementptr i32, ptr %out, i64 %lane
  store i32 %sum, ptr %o
  ret void
}

; The elimination of a small matrix: the inner loops' lengths hang on the outer one's counter.
; RUN: %build/bin/heddle-warp -kernel triangle -block 64 -last-pass widen %s | FileCheck %s --check-prefix=TRIANGLE
; TRIANGLE-LABEL: define internal void @triangle.thread.warp
; TRIANGLE-NOT: alloca
; TRIANGLE-NOT: phi
; TRIANGLE: ret void

define ptx_kernel void @triangle(ptr %out, ptr %in) {
entry:
  %v = alloca [4 x i32], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %fill
fill:
  %f = phi i32 [ 0, %entry ], [ %fnext, %fill ]
  %fa = getelementptr i32, ptr %in, i32 %f
  %x = load i32, ptr %fa
  %xt = add i32 %x, %t
  %vf = getelementptr [4 x i32], ptr %v, i32 0, i32 %f
  store i32 %xt, ptr %vf
  %fnext = add nuw nsw i32 %f, 1
  %fdone = icmp eq i32 %fnext, 4
  br i1 %fdone, label %outer, label %fill
outer:
  %k = phi i32 [ 0, %fill ], [ %knext, %latch ]
  %knext = add nuw nsw i32 %k, 1
  %vk = getelementptr [4 x i32], ptr %v, i32 0, i32 %k
  %pivot = load i32, ptr %vk
  br label %inner
inner:
  %r = phi i32 [ %knext, %outer ], [ %rnext, %inner ]
  %vr = getelementptr [4 x i32], ptr %v, i32 0, i32 %r
  %old = load i32, ptr %vr
  %new = mul i32 %old, %pivot
  store i32 %new, ptr %vr
  %rnext = add nuw nsw i32 %r, 1
  %rdone = icmp eq i32 %rnext, 4
  br i1 %rdone, label %latch, label %inner
latch:
  %kdone = icmp eq i32 %knext, 3
  br i1 %kdone, label %end, label %outer
end:
  %last = getelementptr [4 x i32], ptr %v, i32 0, i32 3
  %result = load i32, ptr %last
  %o = getelementptr i32, ptr %out, i32 %t
  store i32 %result, ptr %o
  ret void
}
