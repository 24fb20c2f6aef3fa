; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A block that gathers and scatters runs lane by lane; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s
; LEGAL serialize-lanes: no permutation
; RUN: %break permutes && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL serialize-lanes: no volatile
; RUN: %break volatile && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL serialize-lanes: nobody waits
; RUN: %break waits && %build/bin/heddle-warp -block 32 %t.ll | FileCheck %s --check-prefix=NONE

; CHECK: {{^}}range:

; NONE-NOT: {{^}}range:

define ptx_kernel void @kernel(ptr %a, i32 %step, ptr %to) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = sub i32 %step, %t
  %in = icmp ult i32 %y, 32
  br i1 %in, label %work, label %done
work:
  %row = zext i32 %y to i64
  %p = getelementptr [33 x i32], ptr %a, i64 %row
  %i = zext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %i
  %x = load i32, ptr %q
  %q1 = getelementptr i32, ptr %q, i64 1
  %z = load i32, ptr %q1 ; not volatile
;@waits  call void @llvm.nvvm.bar.warp.sync(i32 -1)
;@volatile  %z = load volatile i32, ptr %q1
  %m = call i32 @llvm.smax.i32(i32 %x, i32 %z)
  %r = getelementptr i32, ptr %q, i64 34
  store i32 %m, ptr %r ; not permutes
;@permutes  %far = sext i32 %x to i64
;@permutes  %place = getelementptr i32, ptr %a, i64 %far
;@permutes  store i32 %m, ptr %place
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.smax.i32(i32, i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
