; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Neighbouring blocks are lanes of one program; not where functions stay.
; RUN: %build/bin/heddle-warp -block 1 -width 32 -last-pass build-entry %s | FileCheck %s
; LEGAL coarsen-blocks: no functions
; RUN: %break calls && %build/bin/heddle-warp -block 1 -width 32 -last-pass build-entry %t.ll | FileCheck %s --check-prefix=NONE

; CHECK: @heddle_kernel = constant {{.*}}, i32 1, i32 32, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }

; NONE: @heddle_kernel = constant {{.*}}, i32 1, i32 1, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }

define ptx_kernel void @kernel(ptr %out, ptr %in) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %b = mul i32 %x, %s
  %n = add i32 %b, %t
  %i = zext i32 %n to i64
  %p = getelementptr float, ptr %in, i64 %i
  %q = getelementptr float, ptr %out, i64 %i
  %v = load float, ptr %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = fadd float %v, 1.0 ; not calls
;@calls  %w = call float @power(float %v, i32 %n)
  store float %w, ptr %q
  ret void
}

define float @power(float %x, i32 %n) {
  %isZero = icmp eq i32 %n, 0
  br i1 %isZero, label %end, label %more
more:
  %half = lshr i32 %n, 1
  %root = call float @power(float %x, i32 %half)
  %square = fmul float %root, %root
  ret float %square
end:
  ret float 1.0
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
