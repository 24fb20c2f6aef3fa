; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; LLVM's saturating conversions, which the PTX reader makes of cvt, become comparisons: back ends take vectors of them
; lane by lane.
; RUN: %build/bin/heddle-warp -width 32 -block 64 %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK-NOT: fpto{{.*}}sat
; CHECK: fcmp ogt <32 x float>
; CHECK: fptosi <32 x float>
; CHECK: fptoui <32 x float>
; CHECK-NOT: fpto{{.*}}sat
; CHECK: ret void

define ptx_kernel void @kernel(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext nneg i32 %t to i64
  %pin = getelementptr float, ptr %in, i64 %t64
  %x = load float, ptr %pin
  %s = call i32 @llvm.fptosi.sat.i32.f32(float %x)
  %u = call i64 @llvm.fptoui.sat.i64.f32(float %x)
  %low = trunc i64 %u to i32
  %sum = add i32 %s, %low
  %pout = getelementptr i32, ptr %out, i64 %t64
  store i32 %sum, ptr %pout
  ret void
}
