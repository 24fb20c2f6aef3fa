; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A program of one lane keeps the long vectors of its thread; in others, and of short ones, elements are scalars. Of a row
; that each thread sums for itself, threads go one by one.
; RUN: %build/bin/heddle-warp -kernel rows -width 1 -block 32 %s | FileCheck %s
; RUN: %build/bin/heddle-warp -kernel rows -width 32 -block 32 %s | FileCheck %s --check-prefix=LANES
; RUN: %build/bin/heddle-warp -kernel short -width 1 -block 32 %s | FileCheck %s --check-prefix=SHORT
; RUN: %build/bin/heddle-warp -kernel rows -width 0 -block 32 -lanes-with= %s | FileCheck %s --check-prefix=ONE

; CHECK: fadd <16 x float>
; CHECK: shufflevector <16 x float>
; CHECK: fadd <8 x float>
; LANES-NOT: fadd <16 x float>
; LANES: fadd <32 x float>
; ONE: {{^}}1{{$}}
define ptx_kernel void @rows(ptr noalias %out, ptr noalias %in, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %at = add i32 %first, %k
  %i = sext i32 %at to i64
  %a = getelementptr <16 x float>, ptr %in, i64 %i
  %v = load <16 x float>, ptr %a, align 64
  %more = fadd <16 x float> %sum, %v
  %next = add nuw nsw i32 %k, 1
  %isEnd = icmp sge i32 %next, %n
  br i1 %isEnd, label %end, label %loop
end:
  %low = shufflevector <16 x float> %more, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %high = shufflevector <16 x float> %more, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %half = fadd <8 x float> %low, %high
  %j = zext i32 %t to i64
  %b = getelementptr <8 x float>, ptr %out, i64 %j
  store <8 x float> %half, ptr %b, align 32
  ret void
}

; SHORT-NOT: fadd <4 x float>
; SHORT: fadd float
define ptx_kernel void @short(ptr noalias %out, ptr noalias %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr <4 x float>, ptr %in, i64 %i
  %v = load <4 x float>, ptr %a, align 16
  %w = fadd <4 x float> %v, %v
  %b = getelementptr <4 x float>, ptr %out, i64 %i
  store <4 x float> %w, ptr %b, align 16
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
