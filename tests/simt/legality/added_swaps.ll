; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A loop that swaps a float for its sum is one addition; not with one condition broken.
; RUN: %build/bin/heddle-warp -last-pass normalize %s | FileCheck %s
; LEGAL added-swaps: leaves when swapped
; RUN: %break stores && %build/bin/heddle-warp -last-pass normalize %t.ll | FileCheck %s --check-prefix=SWAP
; LEGAL added-swaps: expects what was seen
; RUN: %break waits && %build/bin/heddle-warp -last-pass normalize %t.ll | FileCheck %s --check-prefix=SWAP
; LEGAL added-swaps: sum of one value
; RUN: %break changes && %build/bin/heddle-warp -last-pass normalize %t.ll | FileCheck %s --check-prefix=SWAP
; LEGAL added-swaps: one place
; RUN: %break moves && %build/bin/heddle-warp -last-pass normalize %t.ll | FileCheck %s --check-prefix=SWAP
; LEGAL added-swaps: used behind
; RUN: %break counts && %build/bin/heddle-warp -last-pass normalize %t.ll | FileCheck %s --check-prefix=SWAP

; LEGAL added-swaps: nothing but the addition
; RUN: %break peels && %build/bin/heddle-warp -last-pass normalize %t.ll | FileCheck %s
; RUN: %break fails && %build/bin/heddle-warp -last-pass normalize %t.ll | FileCheck %s --check-prefix=BOTH

; BOTH: cmpxchg
; BOTH: atomicrmw fadd
; CHECK-NOT: cmpxchg
; CHECK: atomicrmw fadd
; SWAP-NOT: atomicrmw fadd
; SWAP: cmpxchg

define ptx_kernel void @kernel(ptr %p, float %v, ptr %out) {
entry:
  %first = load volatile i32, ptr %p
  br label %loop ; not peels fails
;@peels  %x1 = bitcast i32 %first to float
;@peels  %sum1 = fadd float %x1, %v
;@peels  %new1 = bitcast float %sum1 to i32
;@peels  %both1 = cmpxchg ptr %p, i32 %first, i32 %new1 monotonic monotonic
;@peels  %done1 = extractvalue { i32, i1 } %both1, 1
;@peels  br i1 %done1, label %end, label %loop
;@fails  %x1 = bitcast i32 %first to float
;@fails  %sum1 = fadd float %x1, %v
;@fails  %new1 = bitcast float %sum1 to i32
;@fails  %both1 = cmpxchg ptr %p, i32 %first, i32 %new1 monotonic monotonic
;@fails  %done1 = extractvalue { i32, i1 } %both1, 1
;@fails  br i1 %done1, label %end, label %failed
;@fails failed:
;@fails  store i64 1, ptr %out
;@fails  br label %entry2
;@fails entry2:
;@fails  br label %loop
loop:
  %old = phi i32 [ %first, %entry ], [ %seen, %loop ] ; not waits fails
;@fails  %old = phi i32 [ %first, %entry2 ], [ %seen, %loop ]
;@waits  %old = phi i32 [ %first, %entry ], [ %old, %loop ]
  %turn = phi i64 [ 0, %entry ], [ %next, %loop ] ; not fails
;@fails  %turn = phi i64 [ 0, %entry2 ], [ %next, %loop ]
  %next = add i64 %turn, 1
  %q = getelementptr i8, ptr %p, i64 0 ; not moves
;@moves  %q = getelementptr float, ptr %p, i64 %turn
  %x = bitcast i32 %old to float
  %sum = fadd float %x, %v ; not changes
;@changes  %w = uitofp i64 %turn to float
;@changes  %sum = fadd float %x, %w
  %new = bitcast float %sum to i32
;@stores  store i64 %turn, ptr %out
  %both = cmpxchg ptr %q, i32 %old, i32 %new monotonic monotonic
  %seen = extractvalue { i32, i1 } %both, 0
  %done = extractvalue { i32, i1 } %both, 1
  br i1 %done, label %end, label %loop
end:
;@counts  store i64 %turn, ptr %out
  ret void
}
