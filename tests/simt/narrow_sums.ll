; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; What bytes add up to is computed with 16 bits, and compared, or stored as a byte.
; RUN: %build/bin/heddle-warp -kernel sums -block 64 -last-pass narrow-sums %s | FileCheck %s
; RUN: %build/bin/heddle-warp -kernel sums -block 64 -disable narrow-sums -last-pass insert-checks %s | FileCheck %s --check-prefix=WIDE
; LEGAL narrow-sums: fits
; RUN: sed 's/i32 %both, 20$/i32 %both, 200/' %s > %t.large.ll
; RUN: %build/bin/heddle-warp -kernel sums -block 64 -last-pass narrow-sums %t.large.ll | FileCheck %s --check-prefix=WIDE
; LEGAL narrow-sums: both
; RUN: sed 's/icmp ult i32 %fifth, %y$/icmp ult i32 %fifth, %n/' %s > %t.other.ll
; RUN: %build/bin/heddle-warp -kernel sums -block 64 -last-pass narrow-sums %t.other.ll | FileCheck %s --check-prefix=WIDE

; CHECK-LABEL: define internal void @sums.thread
; CHECK: add i16
; CHECK: mul i16
; CHECK: udiv i16
; CHECK: icmp {{.*}}ult i16

; WIDE-LABEL: define internal void @sums.thread
; WIDE-NOT: add i16
; WIDE: icmp {{.*}}ult i32

define ptx_kernel void @sums(ptr %out, ptr %in, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr inbounds i8, ptr %in, i64 %i
  %q = getelementptr inbounds i8, ptr %p, i64 64
  %a = load i8, ptr %p
  %b = load i8, ptr %q
  %x = zext i8 %a to i32
  %y = zext i8 %b to i32
  %both = add i32 %x, %y
  %sum = mul i32 %both, 20
  %fifth = udiv i32 %sum, 7
  %same = icmp ult i32 %fifth, %y
  %byte = zext i1 %same to i8
  %o = getelementptr inbounds i8, ptr %out, i64 %i
  store i8 %byte, ptr %o
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
