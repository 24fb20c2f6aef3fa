; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Four bytes are one word; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 32 -last-pass normalize %s | FileCheck %s
; LEGAL combine-member-loads: nothing between
; RUN: %break loads && %build/bin/heddle-warp -block 32 -last-pass normalize %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break waits && %build/bin/heddle-warp -block 32 -last-pass normalize %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL combine-member-loads: plain accesses
; RUN: %break volatile && %build/bin/heddle-warp -block 32 -last-pass normalize %t.ll | FileCheck %s --check-prefix=NONE

; CHECK: store i32 {{.*}}, align 4
; CHECK-NOT: store i8

; NONE-NOT: store i32 {{.*}}, ptr %q,
; NONE: store {{i8|i16}} {{.*}}, ptr %q,

define ptx_kernel void @kernel(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %q = getelementptr [4 x i8], ptr %out, i64 %i
  %q1 = getelementptr i8, ptr %q, i64 1
  %q2 = getelementptr i8, ptr %q, i64 2
  %q3 = getelementptr i8, ptr %q, i64 3
  %b = trunc i32 %t to i8
  store i8 %b, ptr %q, align 4
  store i8 2, ptr %q1, align 1 ; not volatile
;@volatile  store volatile i8 2, ptr %q1, align 1
;@loads  %seen = load i32, ptr %in
;@waits  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  store i8 3, ptr %q2, align 2
  store i8 4, ptr %q3, align 1
;@loads  %later = getelementptr i32, ptr %in, i64 100
;@loads  store i32 %seen, ptr %later
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.bar.warp.sync(i32)
