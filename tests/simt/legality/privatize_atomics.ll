; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A worker keeps additions; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s
; LEGAL privatize-atomics: old values
; RUN: %break uses && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL privatize-atomics: additions
; RUN: %break minimum && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL privatize-atomics: unordered
; RUN: %break orders && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break fence && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break volatile && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL privatize-atomics: looks later
; RUN: %break looks && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL privatize-atomics: global only
; RUN: %break both && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE

; CHECK: heddle.keep

; NONE-NOT: heddle.keep

@cells = internal addrspace(3) global [32 x i32] undef, align 4

define ptx_kernel void @kernel(ptr %sums, ptr %in, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %a
  %p = getelementptr i32, ptr %sums, i64 %i ; not both
;@both  %cell = getelementptr i32, ptr addrspace(3) @cells, i64 %i
;@both  %shared = addrspacecast ptr addrspace(3) %cell to ptr
;@both  %global = getelementptr i32, ptr %sums, i64 %i
;@both  %goes = icmp slt i32 %t, %n
;@both  %p = select i1 %goes, ptr %shared, ptr %global
  %o = atomicrmw add ptr %p, i32 %x monotonic ; not uses orders volatile minimum
;@uses  %o = atomicrmw add ptr %p, i32 %x monotonic
;@uses  %o2 = atomicrmw add ptr %p, i32 %o monotonic
;@orders  %o = atomicrmw add ptr %p, i32 %x acq_rel
;@volatile  %o = atomicrmw volatile add ptr %p, i32 %x monotonic
;@minimum  %o = atomicrmw add ptr %p, i32 %x monotonic
;@minimum  %o2 = atomicrmw min ptr %p, i32 %x monotonic
;@fence  fence seq_cst
;@looks  %again = load i32, ptr %p
;@looks  store i32 %again, ptr %a
;@both  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
;@both  %seen = load i32, ptr addrspace(3) %cell
;@both  %o2 = atomicrmw add ptr %sums, i32 %seen monotonic
;@stores  store i32 1, ptr %a
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
