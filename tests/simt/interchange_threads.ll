; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A kernel that gives x to the rows of a matrix has its threads along y as lanes; one that gives them to the columns keeps
; its lanes, and so does a transposition, which is as good as it can be, or one in which each lane goes along its row in a
; loop. Blocks then run down the grid's columns.
; RUN: %build/bin/heddle-warp -kernel rows -block 32,16 -last-pass build-entry %s | FileCheck %s
; RUN: %build/bin/heddle-warp -kernel rows -block 32,16 -last-pass interchange-threads %s | FileCheck %s --check-prefix=THREAD
; RUN: %build/bin/heddle-warp -kernel rows -block 32,2 -last-pass interchange-threads %s | FileCheck %s --check-prefix=KEPT
; RUN: %build/bin/heddle-warp -kernel columns -block 32,16 -last-pass interchange-threads %s | FileCheck %s --check-prefix=KEPT
; RUN: %build/bin/heddle-warp -kernel transposes -block 16,16 -last-pass interchange-threads %s | FileCheck %s --check-prefix=KEPT
; RUN: %build/bin/heddle-warp -kernel walks -block 32,8 -last-pass interchange-threads %s | FileCheck %s --check-prefix=KEPT
; RUN: %build/bin/heddle-warp -kernel rows -block 32,16 -width 1 -last-pass interchange-threads %s | FileCheck %s --check-prefix=KEPT
; RUN: %build/bin/heddle-warp -kernel rows -block 32,16 -disable interchange-threads -last-pass normalize %s | FileCheck %s --check-prefix=KEPT

; CHECK-NOT: call {{.*}}@llvm.masked.gather
; CHECK: call <16 x float> @llvm.masked.load
; CHECK: call <16 x float> @llvm.masked.load
; CHECK-NOT: call {{.*}}@llvm.masked.scatter
; CHECK: call void @llvm.masked.store.v16f32

; THREAD: %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; THREAD: %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; KEPT: %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; KEPT: %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()

define ptx_kernel void @rows(ptr %out, ptr %in, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %x, %n
  %i = add nsw i32 %row, %y
  %i64 = sext i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %i64
  %to = getelementptr float, ptr %out, i64 %i64
  %v = load float, ptr %from
  store float %v, ptr %to
  ret void
}

define ptx_kernel void @columns(ptr %out, ptr %in, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %y, %n
  %i = add nsw i32 %row, %x
  %i64 = sext i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %i64
  %to = getelementptr float, ptr %out, i64 %i64
  %v = load float, ptr %from
  store float %v, ptr %to
  ret void
}

define ptx_kernel void @transposes(ptr %out, ptr %in, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %y, %n
  %i = add nsw i32 %row, %x
  %i64 = sext i32 %i to i64
  %column = mul nsw i32 %x, %n
  %j = add nsw i32 %column, %y
  %j64 = sext i32 %j to i64
  %from = getelementptr float, ptr %in, i64 %i64
  %to = getelementptr float, ptr %out, i64 %j64
  %v = load float, ptr %from
  store float %v, ptr %to
  ret void
}

define ptx_kernel void @walks(ptr %out, ptr %a, ptr %b, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %x, %n
  br label %again
again:
  %k = phi i32 [ 0, %entry ], [ %k1, %again ]
  %sum = phi float [ 0.0, %entry ], [ %next, %again ]
  %i = add nsw i32 %row, %k
  %i64 = sext i32 %i to i64
  %pa = getelementptr float, ptr %a, i64 %i64
  %va = load float, ptr %pa
  %other = mul nsw i32 %k, %n
  %j = add nsw i32 %other, %y
  %j64 = sext i32 %j to i64
  %pb = getelementptr float, ptr %b, i64 %j64
  %vb = load float, ptr %pb
  %next = call float @llvm.fma.f32(float %va, float %vb, float %sum)
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %again, label %end
end:
  %o = add nsw i32 %row, %y
  %o64 = sext i32 %o to i64
  %po = getelementptr float, ptr %out, i64 %o64
  store float %next, ptr %po
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare float @llvm.fma.f32(float, float, float)
