; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Uniform control flow stays scalar; only what differs between lanes is a vector; the access is contiguous.
; RUN: %build/bin/heddle-warp -block 64 %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 64 -width 1 %s | FileCheck %s --check-prefix=ONE

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: phi i32
; CHECK: load float, ptr
; CHECK: fadd float
; CHECK-NOT: phi <32
; CHECK: masked.load.v32f32.p0(ptr align 4 %{{.*}}, <32 x i1> %{{.*}}, <32 x float> poison)
; CHECK: fmul <32 x float>
; CHECK: masked.store.v32f32.p0
; CHECK-NOT: gather
; ONE-LABEL: define internal void @kernel.thread.warp
; ONE-NOT: <{{[0-9]+}} x
; ONE: ret void

define ptx_kernel void @kernel(ptr %out, ptr %in, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %ik = zext i32 %k to i64
  %pk = getelementptr float, ptr %in, i64 %ik
  %v = load float, ptr %pk
  %more = fadd float %sum, %v
  %next = add nuw nsw i32 %k, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %base = mul i32 %b, %w
  %i = add i32 %base, %t
  %ii = sext i32 %i to i64
  %pi = getelementptr float, ptr %in, i64 %ii
  %x = load float, ptr %pi
  %y = fmul float %x, %more
  %po = getelementptr float, ptr %out, i64 %ii
  store float %y, ptr %po
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
