; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; What makes one number of a vector is operations on its elements, and no vector is left.
; RUN: %build/bin/heddle-warp -block 32 -last-pass normalize %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s --check-prefix=WIDE

; CHECK-LABEL: define internal void @kernel.thread
; CHECK-NOT: vector.reduce
; CHECK: or i32
; CHECK: or i32
; CHECK: or i32
; CHECK: call i32 @llvm.smax.i32
; CHECK: fadd float 1.000000e+00
; CHECK-NOT: vector.reduce
; CHECK: ret void
; WIDE: define
define ptx_kernel void @kernel(ptr %a, ptr %b) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr <4 x i32>, ptr %a, i64 %i
  %v = load <4 x i32>, ptr %p
  %any = call i32 @llvm.vector.reduce.or.v4i32(<4 x i32> %v)
  %most = call i32 @llvm.vector.reduce.smax.v4i32(<4 x i32> %v)
  %f = sitofp <4 x i32> %v to <4 x float>
  %sum = call float @llvm.vector.reduce.fadd.v4f32(float 1.0, <4 x float> %f)
  %s = fptosi float %sum to i32
  %x = add i32 %any, %most
  %y = add i32 %x, %s
  %q = getelementptr i32, ptr %b, i64 %i
  store i32 %y, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
