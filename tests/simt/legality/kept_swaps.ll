; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Loops around a compare-and-swap end where it would change nothing; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 32 -last-pass kept-swaps %s | FileCheck %s
; LEGAL kept-swaps: nothing else
; RUN: %break counted && %build/bin/heddle-warp -block 32 -last-pass kept-swaps %t.ll | FileCheck %s --check-prefix=MAX
; RUN: %break changing && %build/bin/heddle-warp -block 32 -last-pass kept-swaps %t.ll | FileCheck %s --check-prefix=MAX
; LEGAL kept-swaps: looked
; RUN: %break guessed && %build/bin/heddle-warp -block 32 -last-pass kept-swaps %t.ll | FileCheck %s --check-prefix=MAX
; RUN: %break written && %build/bin/heddle-warp -block 32 -last-pass kept-swaps %t.ll | FileCheck %s --check-prefix=MAX
; LEGAL kept-swaps: relaxed
; RUN: %break ordered && %build/bin/heddle-warp -block 32 -last-pass kept-swaps %t.ll | FileCheck %s --check-prefix=MAX
; RUN: %break volatile && %build/bin/heddle-warp -block 32 -last-pass kept-swaps %t.ll | FileCheck %s --check-prefix=MAX

; CHECK: call float @llvm.maxnum
; CHECK: [[SAME:%.*]] = icmp eq
; CHECK-NEXT: br i1 [[SAME]]
; CHECK: cmpxchg

; MAX: call float @llvm.maxnum
; MAX-NEXT: bitcast
; MAX-NEXT: cmpxchg

define ptx_kernel void @kernel(ptr %in, ptr %most) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %a
  %first = load i32, ptr %most ; not guessed
;@guessed  %first = load i32, ptr %in
;@written  store i32 %t, ptr %most
  br label %max
max:
  %assumed = phi i32 [ %first, %0 ], [ %old, %max ]
;@counted  store i32 %assumed, ptr %a
  %was = bitcast i32 %assumed to float
  %w = fadd float %v, 0.0 ; not changing
;@changing  %w = load float, ptr %a
  %new = call float @llvm.maxnum.f32(float %was, float %w)
  %bits = bitcast float %new to i32
  %pair = cmpxchg ptr %most, i32 %assumed, i32 %bits monotonic monotonic ; not ordered volatile
;@ordered  %pair = cmpxchg ptr %most, i32 %assumed, i32 %bits acq_rel monotonic
;@volatile  %pair = cmpxchg volatile ptr %most, i32 %assumed, i32 %bits monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %again = icmp ne i32 %old, %assumed
  br i1 %again, label %max, label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
