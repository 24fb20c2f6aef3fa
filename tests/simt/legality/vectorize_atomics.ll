; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Atomics of a lane on neighbours are one operation; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s
; LEGAL vectorize-atomics: shared
; RUN: %break global && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL vectorize-atomics: old values
; RUN: %break used && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL vectorize-atomics: one operation
; RUN: %break other && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL vectorize-atomics: unordered
; RUN: %break ordered && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL vectorize-atomics: known distance
; RUN: %break root && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL vectorize-atomics: nothing between
; RUN: %break between && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE

; CHECK: fadd <2 x float>

; NONE-NOT: <2 x float>

@sums = internal addrspace(3) global [64 x float] undef, align 4

define ptx_kernel void @kernel(ptr %in, ptr %given) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr i32, ptr %in, i64 %i
  %n = load i32, ptr %a
  %c = uitofp i32 %n to float
  %d = uitofp i32 %t to float
  %nn = zext i32 %n to i64
  %g = addrspacecast ptr addrspace(3) @sums to ptr ; not global
;@global  %g = getelementptr i8, ptr %given, i64 0
  %p = getelementptr float, ptr %g, i64 %nn
  %o = atomicrmw fadd ptr %p, float %c monotonic
;@between  %seen = load float, ptr %p
;@between  store float %seen, ptr %a
  %p1 = getelementptr float, ptr %p, i64 1 ; not root
;@root  %m = xor i64 %nn, 1
;@root  %p1 = getelementptr float, ptr %g, i64 %m
  %o1 = atomicrmw fadd ptr %p1, float %d monotonic ; not used other ordered
;@ordered  %o1 = atomicrmw fadd ptr %p1, float %d acq_rel
;@other  %o1 = atomicrmw fmax ptr %p1, float %d monotonic
;@used  %o1 = atomicrmw fadd ptr %p1, float %d monotonic
;@used  store float %o1, ptr %a
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
