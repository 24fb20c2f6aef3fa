; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Two lanes in each row of a tile read a structure of four floats each: one load of 32 bytes a row in place of gathers.
; RUN: %build/bin/heddle-warp -block 256 -width 16 %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK-NOT: masked.gather
; CHECK-COUNT-8: call <8 x i32> @llvm.masked.load.v8i32
; CHECK-NOT: masked.gather

define ptx_kernel void @kernel(i32 %n, ptr %a, ptr %c) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = lshr i32 %t, 1
  %odd = and i32 %t, 1
  %column = shl i32 %odd, 2
  %before = mul i32 %row, %n
  %wide = sext i32 %before to i64
  %p = getelementptr float, ptr %a, i64 %wide
  %far = zext i32 %column to i64
  %q = getelementptr float, ptr %p, i64 %far
  %x = load float, ptr %q
  %q1 = getelementptr i8, ptr %q, i64 4
  %y = load float, ptr %q1
  %q2 = getelementptr i8, ptr %q, i64 8
  %z = load float, ptr %q2
  %q3 = getelementptr i8, ptr %q, i64 12
  %w = load float, ptr %q3
  %xy = fadd float %x, %y
  %zw = fsub float %z, %w
  %sum = fmul float %xy, %zw
  %own = zext i32 %t to i64
  %r = getelementptr float, ptr %c, i64 %own
  store float %sum, ptr %r
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
