; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A row of the grid that does not wrap around is small: it is taken whole out of an index that may (short_indices.cpp), so
; that blocks above each other still are one program.
; RUN: %build/bin/heddle-warp -kernel transpose -block 32,8 -width 256 -last-pass distribute-extensions %s | FileCheck %s

; CHECK-LABEL: define {{.*}}@transpose
; CHECK: %column = mul i32 %x,
; CHECK-NEXT: [[U:%.+]] = sext i32 %column to i64
; CHECK: add i64 [[U]],

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()

define ptx_kernel void @transpose(i32 %n, ptr %out) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %left = mul i32 %bx, 32
  %x = add i32 %left, %tx
  %top = mul nuw nsw i32 %by, 8
  %y = add nuw nsw i32 %top, %ty
  %column = mul i32 %x, %n
  %i = add i32 %column, %y
  %wide = sext i32 %i to i64
  %to = getelementptr inbounds float, ptr %out, i64 %wide
  store float 1.0, ptr %to
  ret void
}
