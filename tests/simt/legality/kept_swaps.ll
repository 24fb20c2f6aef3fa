; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Loops around a compare-and-swap are atomic operations, or end early; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 32 -last-pass recognize-atomics %s | FileCheck %s
; LEGAL recognize-atomics: nothing else
; RUN: %break counted && %build/bin/heddle-warp -block 32 -last-pass recognize-atomics %t.ll | FileCheck %s --check-prefix=ADD
; RUN: %break changing && %build/bin/heddle-warp -block 32 -last-pass recognize-atomics %t.ll | FileCheck %s --check-prefix=ADD
; LEGAL recognize-atomics: relaxed
; RUN: %break ordered && %build/bin/heddle-warp -block 32 -last-pass recognize-atomics %t.ll | FileCheck %s --check-prefix=MAX
; RUN: %break volatile && %build/bin/heddle-warp -block 32 -last-pass recognize-atomics %t.ll | FileCheck %s --check-prefix=MAX

; CHECK: atomicrmw fadd ptr {{.*}} float {{.*}} monotonic
; CHECK-NOT: cmpxchg
; CHECK: call float @llvm.maxnum
; CHECK: [[SAME:%.*]] = icmp eq
; CHECK-NEXT: br i1 [[SAME]]
; CHECK: cmpxchg

; ADD-NOT: atomicrmw

; MAX: call float @llvm.maxnum
; MAX-NEXT: bitcast
; MAX-NEXT: cmpxchg

define ptx_kernel void @kernel(ptr %in, ptr %sum, ptr %most) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %a
  %first = load i32, ptr %sum
  br label %add
add:
  %assumed = phi i32 [ %first, %0 ], [ %old, %add ]
;@counted  store i32 %assumed, ptr %a
  %was = bitcast i32 %assumed to float
  %w = fadd float %v, 0.0 ; not changing
;@changing  %w = fmul float %v, %was
  %new = fadd float %was, %w
  %bits = bitcast float %new to i32
  %pair = cmpxchg ptr %sum, i32 %assumed, i32 %bits monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %done = icmp eq i32 %old, %assumed
  br i1 %done, label %next, label %add
next:
  %firstMost = load i32, ptr %most
  br label %max
max:
  %a2 = phi i32 [ %firstMost, %next ], [ %old2, %max ]
  %was2 = bitcast i32 %a2 to float
  %new2 = call float @llvm.maxnum.f32(float %was2, float %v)
  %bits2 = bitcast float %new2 to i32
  %pair2 = cmpxchg ptr %most, i32 %a2, i32 %bits2 monotonic monotonic ; not ordered volatile
;@ordered  %pair2 = cmpxchg ptr %most, i32 %a2, i32 %bits2 acq_rel monotonic
;@volatile  %pair2 = cmpxchg volatile ptr %most, i32 %a2, i32 %bits2 monotonic monotonic
  %old2 = extractvalue { i32, i1 } %pair2, 0
  %again = icmp ne i32 %old2, %a2
  br i1 %again, label %max, label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
