; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Casts between vectors and elements of another size are shifts, and no vector is left.
; RUN: %build/bin/heddle-warp -block 32 -last-pass normalize %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s --check-prefix=WIDE

; CHECK-LABEL: define internal void @kernel.thread
; CHECK-NOT: bitcast
; CHECK-NOT: extractelement
; CHECK: [[LOW:%.*]] = call i32 @llvm.nvvm.shfl.sync.idx.i32
; CHECK: [[HIGH:%.*]] = call i32 @llvm.nvvm.shfl.sync.idx.i32
; CHECK: lshr i32 [[LOW]], 16
; CHECK: lshr i32 [[HIGH]], 16
; CHECK-NOT: bitcast
; CHECK: shl i32 %{{.*}}, 16
; CHECK: ret void
; WIDE: define
define ptx_kernel void @kernel(ptr %a) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i64, ptr %a, i64 %i
  %x = load i64, ptr %p
  %v = bitcast i64 %x to <2 x i32>
  %low = extractelement <2 x i32> %v, i64 0
  %high = extractelement <2 x i32> %v, i64 1
  %lane = xor i32 %t, 1
  %l = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %low, i32 %lane, i32 31)
  %h = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %high, i32 %lane, i32 31)
  %w = insertelement <2 x i32> poison, i32 %l, i64 0
  %u = insertelement <2 x i32> %w, i32 %h, i64 1
  %b = bitcast <2 x i32> %u to <4 x i16>
  %r = shufflevector <4 x i16> %b, <4 x i16> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %y = bitcast <4 x i16> %r to i64
  store i64 %y, ptr %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
