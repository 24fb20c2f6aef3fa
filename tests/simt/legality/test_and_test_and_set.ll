; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A compare-and-swap looks first; not where a failed one does more than look.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s
; LEGAL test-and-test-and-set: order
; RUN: %break ordered && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break released && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL test-and-test-and-set: not volatile
; RUN: %break volatile && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL test-and-test-and-set: fences
; RUN: %break fenced && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break fully && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE

; CHECK: masked.gather
; CHECK: cmpxchg

; NONE-NOT: masked.gather
; NONE: cmpxchg
; NONE-NOT: call {{.*}}masked.gather

define ptx_kernel void @kernel(ptr %in, ptr %slots, ptr %counts) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %a
  %xx = zext i32 %x to i64
  %p = getelementptr i32, ptr %slots, i64 %xx
  fence syncscope("singlethread") seq_cst ; not fenced fully
;@fenced  fence release
;@fully  fence seq_cst
  %both = cmpxchg ptr %p, i32 -1, i32 %t monotonic monotonic ; not volatile ordered released
;@released  %both = cmpxchg ptr %p, i32 -1, i32 %t release monotonic
;@ordered  %both = cmpxchg ptr %p, i32 -1, i32 %t acq_rel acquire
;@volatile  %both = cmpxchg volatile ptr %p, i32 -1, i32 %t monotonic monotonic
  %old = extractvalue { i32, i1 } %both, 0
  %o = zext i32 %old to i64
  %q = getelementptr i32, ptr %counts, i64 %o
  %r = atomicrmw add ptr %q, i32 1 monotonic
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
