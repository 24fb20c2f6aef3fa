; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; The line of a later block's atomic is fetched; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 256 -last-pass prefetch-atomics %s | FileCheck %s
; LEGAL prefetch-atomics: comes to the load
; RUN: %break data && %build/bin/heddle-warp -block 256 -last-pass prefetch-atomics %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL prefetch-atomics: one load
; RUN: %break list && %build/bin/heddle-warp -block 256 -last-pass prefetch-atomics %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL prefetch-atomics: plain load
; RUN: %break volatile && %build/bin/heddle-warp -block 256 -last-pass prefetch-atomics %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL prefetch-atomics: no traps
; RUN: %break divides && %build/bin/heddle-warp -block 256 -last-pass prefetch-atomics %t.ll | FileCheck %s --check-prefix=NONE

; CHECK: call void @heddle.fetch

; NONE-NOT: call void @heddle.fetch

define ptx_kernel void @kernel(i32 %n, ptr %keys, ptr %table, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 256
  %i = add i32 %first, %t
  %inside = icmp slt i32 %i, %n ; not data
;@data  %flag = load i32, ptr %out
;@data  %inside = icmp slt i32 %i, %flag
  br i1 %inside, label %work, label %end
work:
  %wide = sext i32 %i to i64
  %at = getelementptr i32, ptr %keys, i64 %wide ; not list
;@list  %row = getelementptr i32, ptr %keys, i32 %b
;@list  %from = load i32, ptr %row
;@list  %far = sext i32 %from to i64
;@list  %at = getelementptr i32, ptr %keys, i64 %far
  %key = load i32, ptr %at ; not volatile
;@volatile  %key = load volatile i32, ptr %at
  %hash = lshr i32 %key, 7 ; not divides
;@divides  %hash = udiv i32 %key, %n
  %place = zext i32 %hash to i64
  %slot = getelementptr i32, ptr %table, i64 %place
  %old = atomicrmw add ptr %slot, i32 1 monotonic
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %old, ptr %to
  ; What is in a register or at the thread's own place is not fetched.
  %mine = atomicrmw add ptr %to, i32 1 monotonic
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
