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
; Without a sign where that is enough, and nothing with a sign is compared with it.
; RUN: %build/bin/heddle-warp -kernel grey -block 64 -last-pass narrow-sums %s | FileCheck %s --check-prefix=LONG
; RUN: sed 's/icmp sgt i32 %grey, 40000/icmp sgt i32 %grey, %less/' %s > %t.signed.ll
; RUN: %build/bin/heddle-warp -kernel grey -block 64 -last-pass narrow-sums %t.signed.ll | FileCheck %s --check-prefix=GREY
; What is made by minima, maxima and choices only is of bytes.
; RUN: %build/bin/heddle-warp -kernel median -block 64 -last-pass narrow-sums %s | FileCheck %s --check-prefix=BYTES
; LEGAL narrow-sums: bytes
; RUN: sed 's/icmp slt i32 %high, 9$/icmp slt i32 %high, %joint/' %s > %t.nobyte.ll
; RUN: %build/bin/heddle-warp -kernel median -block 64 -last-pass narrow-sums %t.nobyte.ll | FileCheck %s --check-prefix=SHORTS
; RUN: sed 's/%c = load i8, ptr %q/%c = load i16, ptr %q/; s/zext i8 %c to/sext i16 %c to/' %s > %t.sign.ll
; RUN: %build/bin/heddle-warp -kernel median -block 64 -last-pass narrow-sums %t.sign.ll | FileCheck %s --check-prefix=SHORTS

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

; LONG-LABEL: define internal void @grey.thread
; LONG: mul i16 {{.*}}, 150
; LONG: add i16
; LONG: icmp ugt i16 {{.*}}, -25536
; GREY-LABEL: define internal void @grey.thread
; GREY-NOT: mul i16
; GREY: icmp sgt i32

define ptx_kernel void @grey(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr inbounds i8, ptr %in, i64 %i
  %q = getelementptr inbounds i8, ptr %p, i64 64
  %a = load i8, ptr %p
  %b = load i8, ptr %q
  %x = zext i8 %a to i32
  %y = zext i8 %b to i32
  %first = mul i32 %x, 100
  %second = mul i32 %y, 150
  %grey = add i32 %first, %second
  %less = sub i32 %x, %y
  %light = icmp sgt i32 %grey, 40000
  %byte = zext i1 %light to i8
  %o = getelementptr inbounds i8, ptr %out, i64 %i
  store i8 %byte, ptr %o
  ret void
}

; BYTES-LABEL: define internal void @median.thread
; BYTES: call i8 @llvm.umin.i8
; BYTES: call i8 @llvm.umax.i8
; BYTES: icmp ult i8
; SHORTS-LABEL: define internal void @median.thread
; SHORTS-NOT: i8 @llvm.u
; SHORTS: call i16 @llvm.smin.i16

define ptx_kernel void @median(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr inbounds i8, ptr %in, i64 %i
  %q = getelementptr inbounds i8, ptr %p, i64 64
  %a = load i8, ptr %p
  %c = load i8, ptr %q
  %x = zext i8 %a to i32
  %y = zext i8 %c to i32
  %low = call i32 @llvm.smin.i32(i32 %x, i32 %y)
  %high = call i32 @llvm.smax.i32(i32 %low, i32 7)
  %joint = add i32 %x, %y
  %few = icmp slt i32 %high, 9
  %one = select i1 %few, i32 %low, i32 %high
  %byte = trunc i32 %one to i8
  %o = getelementptr inbounds i8, ptr %out, i64 %i
  store i8 %byte, ptr %o
  ret void
}

declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
