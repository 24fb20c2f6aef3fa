; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Rounds that go along the same row go along it together: sixteen, four and two at a time, and a last one as before. What is
; stored must lie in another allocation than what is loaded.
; RUN: %build/bin/heddle-warp -block 32 -kernel product -objects 8,1,16,2,24,3 -last-pass=unroll-and-jam %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 -kernel product -objects 8,1,16,2,24,3 -target-cpu x86-64-v3 -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=AVX2
; RUN: %build/bin/heddle-warp -block 32 -kernel product -objects 8,1,16,2,24,1 -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 32 -kernel product -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 32 -kernel product -objects 8,1,16,2,24,3 -width 1 -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 32 -kernel product -objects 8,1,16,2,24,3 -disable=unroll-and-jam -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=NONE
; Nothing is stored in a search for the nearest; its inner loop has a branch around it. All rounds of a known number.
; RUN: %build/bin/heddle-warp -block 32 -kernel nearest -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=NEAREST
; Not where a round begins with the last one's result, where all rounds load other places, or all lanes of a long row the same, where lanes
; have different numbers of rounds or turns, or the inner loop stores.
; RUN: %build/bin/heddle-warp -block 32 -kernel carried -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 32 -kernel apart -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 32 -kernel uniform -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 16,16 -kernel rows -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 4,16 -kernel rows -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=ROWS
; RUN: %build/bin/heddle-warp -block 32 -kernel lengths -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 32 -kernel triangle -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 32 -kernel stores -objects 8,1,16,2,24,3 -last-pass=unroll-and-jam %s | FileCheck %s --check-prefix=NONE

; CHECK-LABEL: define internal void @product.thread
; CHECK: lshr i32 %{{.*}}, 4
; CHECK: jam.turn{{.*}}:
; CHECK-COUNT-16: phi float
; CHECK: load float
; CHECK-COUNT-16: call float @llvm.fma.f32
; CHECK-NOT: call float @llvm.fma.f32
; CHECK: jam.last{{.*}}:
; CHECK-COUNT-16: store float
; CHECK-NOT: store float
; CHECK: jam.turn{{.*}}:
; CHECK-COUNT-4: call float @llvm.fma.f32
; CHECK-NOT: call float @llvm.fma.f32
; CHECK: jam.turn{{.*}}:
; CHECK-COUNT-2: call float @llvm.fma.f32
; CHECK-NOT: call float @llvm.fma.f32
; CHECK: jam.last
; CHECK: call float @llvm.fma.f32
; CHECK-NOT: call float @llvm.fma.f32
; CHECK: ret void

; AVX2-LABEL: define internal void @product.thread
; AVX2: lshr i32 %{{.*}}, 2
; AVX2: jam.turn{{.*}}:
; AVX2-COUNT-4: call float @llvm.fma.f32
; AVX2-NOT: call float @llvm.fma.f32
; AVX2: jam.last

; NEAREST-LABEL: define internal void @nearest.thread
; NEAREST: br i1 %some
; NEAREST: jam.turn:
; NEAREST-COUNT-10: call float @llvm.fma.f32
; NEAREST-NOT: call float @llvm.fma.f32
; NEAREST: jam.last:
; NEAREST-COUNT-10: fcmp olt

; ROWS: jam.turn:

; NONE-NOT: %jam.

define ptx_kernel void @product(i64 %unused, ptr %in, ptr %weights, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  br label %rounds
rounds:
  %j = phi i32 [ 0, %entry ], [ %j1, %behind ]
  %column = mul nsw i32 %j, %n
  br label %turn
turn:
  %k = phi i32 [ 0, %rounds ], [ %k1, %turn ]
  %sum = phi float [ 0.0, %rounds ], [ %next, %turn ]
  %at = add nsw i32 %row, %k
  %i = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p
  %atw = add nsw i32 %column, %k
  %iw = sext i32 %atw to i64
  %pw = getelementptr float, ptr %weights, i64 %iw
  %w = load float, ptr %pw
  %next = call float @llvm.fma.f32(float %x, float %w, float %sum)
  %k1 = add nuw nsw i32 %k, 1
  %done = icmp sge i32 %k1, %n
  br i1 %done, label %behind, label %turn
behind:
  %ato = add nsw i32 %row, %j
  %io = sext i32 %ato to i64
  %po = getelementptr float, ptr %out, i64 %io
  store float %next, ptr %po
  %j1 = add nuw nsw i32 %j, 1
  %all = icmp eq i32 %j1, %n
  br i1 %all, label %end, label %rounds
end:
  ret void
}

define ptx_kernel void @nearest(ptr %out, ptr %in, ptr %centres, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  %some = icmp sgt i32 %n, 0
  br label %rounds
rounds:
  %j = phi i32 [ 0, %entry ], [ %j1, %behind ]
  %best = phi float [ 0x7FF0000000000000, %entry ], [ %least, %behind ]
  %which = phi i32 [ 0, %entry ], [ %its, %behind ]
  br i1 %some, label %before, label %behind
before:
  %column = mul nsw i32 %j, %n
  br label %turn
turn:
  %k = phi i32 [ 0, %before ], [ %k1, %turn ]
  %sum = phi float [ 0.0, %before ], [ %next, %turn ]
  %at = add nsw i32 %row, %k
  %i = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p
  %atc = add nsw i32 %column, %k
  %ic = sext i32 %atc to i64
  %pc = getelementptr float, ptr %centres, i64 %ic
  %c = load float, ptr %pc
  %d = fsub float %x, %c
  %next = call float @llvm.fma.f32(float %d, float %d, float %sum)
  %k1 = add nuw nsw i32 %k, 1
  %done = icmp eq i32 %k1, %n
  br i1 %done, label %after, label %turn
after:
  br label %behind
behind:
  %distance = phi float [ 0.0, %rounds ], [ %next, %after ]
  %isLess = fcmp olt float %distance, %best
  %least = select i1 %isLess, float %distance, float %best
  %its = select i1 %isLess, i32 %j, i32 %which
  %j1 = add nuw nsw i32 %j, 1
  %all = icmp eq i32 %j1, 20
  br i1 %all, label %end, label %rounds
end:
  %io = zext i32 %t to i64
  %po = getelementptr i32, ptr %out, i64 %io
  store i32 %its, ptr %po
  ret void
}

define ptx_kernel void @carried(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  br label %rounds
rounds:
  %j = phi i32 [ 0, %entry ], [ %j1, %behind ]
  %so = phi float [ 0.0, %entry ], [ %next, %behind ]
  br label %turn
turn:
  %k = phi i32 [ 0, %rounds ], [ %k1, %turn ]
  %sum = phi float [ %so, %rounds ], [ %next, %turn ]
  %at = add nsw i32 %row, %k
  %i = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p
  %next = call float @llvm.fma.f32(float %x, float %sum, float %x)
  %k1 = add nuw nsw i32 %k, 1
  %done = icmp sge i32 %k1, %n
  br i1 %done, label %behind, label %turn
behind:
  %j1 = add nuw nsw i32 %j, 1
  %all = icmp eq i32 %j1, %n
  br i1 %all, label %end, label %rounds
end:
  %io = zext i32 %t to i64
  %po = getelementptr float, ptr %out, i64 %io
  store float %next, ptr %po
  ret void
}

define ptx_kernel void @apart(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %rounds
rounds:
  %j = phi i32 [ 0, %entry ], [ %j1, %behind ]
  %most = phi float [ 0.0, %entry ], [ %more, %behind ]
  %row = mul nsw i32 %j, %n
  %first = add nsw i32 %row, %t
  br label %turn
turn:
  %k = phi i32 [ 0, %rounds ], [ %k1, %turn ]
  %sum = phi float [ 0.0, %rounds ], [ %next, %turn ]
  %at = add nsw i32 %first, %k
  %i = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p
  %next = fadd float %sum, %x
  %k1 = add nuw nsw i32 %k, 1
  %done = icmp sge i32 %k1, %n
  br i1 %done, label %behind, label %turn
behind:
  %more = call float @llvm.maxnum.f32(float %most, float %next)
  %j1 = add nuw nsw i32 %j, 1
  %all = icmp eq i32 %j1, %n
  br i1 %all, label %end, label %rounds
end:
  %io = zext i32 %t to i64
  %po = getelementptr float, ptr %out, i64 %io
  store float %more, ptr %po
  ret void
}

define ptx_kernel void @uniform(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = sitofp i32 %t to float
  br label %rounds
rounds:
  %j = phi i32 [ 0, %entry ], [ %j1, %behind ]
  %most = phi float [ 0.0, %entry ], [ %more, %behind ]
  %by = sitofp i32 %j to float
  br label %turn
turn:
  %k = phi i32 [ 0, %rounds ], [ %k1, %turn ]
  %sum = phi float [ %mine, %rounds ], [ %next, %turn ]
  %i = sext i32 %k to i64
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p
  %next = call float @llvm.fma.f32(float %x, float %by, float %sum)
  %k1 = add nuw nsw i32 %k, 1
  %done = icmp sge i32 %k1, %n
  br i1 %done, label %behind, label %turn
behind:
  %more = call float @llvm.maxnum.f32(float %most, float %next)
  %j1 = add nuw nsw i32 %j, 1
  %all = icmp eq i32 %j1, %n
  br i1 %all, label %end, label %rounds
end:
  %io = zext i32 %t to i64
  %po = getelementptr float, ptr %out, i64 %io
  store float %more, ptr %po
  ret void
}

define ptx_kernel void @rows(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %y, %n
  %mine = sitofp i32 %t to float
  br label %rounds
rounds:
  %j = phi i32 [ 0, %entry ], [ %j1, %behind ]
  %most = phi float [ 0.0, %entry ], [ %more, %behind ]
  %by = sitofp i32 %j to float
  br label %turn
turn:
  %k = phi i32 [ 0, %rounds ], [ %k1, %turn ]
  %sum = phi float [ %mine, %rounds ], [ %next, %turn ]
  %at = add nsw i32 %row, %k
  %i = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p
  %next = call float @llvm.fma.f32(float %x, float %by, float %sum)
  %k1 = add nuw nsw i32 %k, 1
  %done = icmp sge i32 %k1, %n
  br i1 %done, label %behind, label %turn
behind:
  %more = call float @llvm.maxnum.f32(float %most, float %next)
  %j1 = add nuw nsw i32 %j, 1
  %all = icmp eq i32 %j1, %n
  br i1 %all, label %end, label %rounds
end:
  %io = zext i32 %t to i64
  %po = getelementptr float, ptr %out, i64 %io
  store float %more, ptr %po
  ret void
}

define ptx_kernel void @lengths(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  br label %rounds
rounds:
  %j = phi i32 [ 0, %entry ], [ %j1, %behind ]
  %most = phi float [ 0.0, %entry ], [ %more, %behind ]
  %by = sitofp i32 %j to float
  br label %turn
turn:
  %k = phi i32 [ 0, %rounds ], [ %k1, %turn ]
  %sum = phi float [ 0.0, %rounds ], [ %next, %turn ]
  %at = add nsw i32 %row, %k
  %i = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p
  %next = call float @llvm.fma.f32(float %x, float %by, float %sum)
  %k1 = add nuw nsw i32 %k, 1
  %done = icmp sge i32 %k1, %t
  br i1 %done, label %behind, label %turn
behind:
  %more = call float @llvm.maxnum.f32(float %most, float %next)
  %j1 = add nuw nsw i32 %j, 1
  %all = icmp eq i32 %j1, %n
  br i1 %all, label %end, label %rounds
end:
  %io = zext i32 %t to i64
  %po = getelementptr float, ptr %out, i64 %io
  store float %more, ptr %po
  ret void
}

define ptx_kernel void @triangle(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  br label %rounds
rounds:
  %j = phi i32 [ 0, %entry ], [ %j1, %behind ]
  %most = phi float [ 0.0, %entry ], [ %more, %behind ]
  %by = sitofp i32 %j to float
  br label %turn
turn:
  %k = phi i32 [ 0, %rounds ], [ %k1, %turn ]
  %sum = phi float [ 0.0, %rounds ], [ %next, %turn ]
  %at = add nsw i32 %row, %k
  %i = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p
  %next = call float @llvm.fma.f32(float %x, float %by, float %sum)
  %k1 = add nuw nsw i32 %k, 1
  %done = icmp ugt i32 %k1, %j
  br i1 %done, label %behind, label %turn
behind:
  %more = call float @llvm.maxnum.f32(float %most, float %next)
  %j1 = add nuw nsw i32 %j, 1
  %all = icmp eq i32 %j1, %n
  br i1 %all, label %end, label %rounds
end:
  %io = zext i32 %t to i64
  %po = getelementptr float, ptr %out, i64 %io
  store float %more, ptr %po
  ret void
}

define ptx_kernel void @stores(i64 %unused, ptr %in, ptr %weights, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  br label %rounds
rounds:
  %j = phi i32 [ 0, %entry ], [ %j1, %behind ]
  br label %turn
turn:
  %k = phi i32 [ 0, %rounds ], [ %k1, %turn ]
  %at = add nsw i32 %row, %k
  %i = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p
  %by = sitofp i32 %j to float
  %y = fmul float %x, %by
  %po = getelementptr float, ptr %out, i64 %i
  store float %y, ptr %po
  %k1 = add nuw nsw i32 %k, 1
  %done = icmp sge i32 %k1, %n
  br i1 %done, label %behind, label %turn
behind:
  %j1 = add nuw nsw i32 %j, 1
  %all = icmp eq i32 %j1, %n
  br i1 %all, label %end, label %rounds
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.maxnum.f32(float, float)
