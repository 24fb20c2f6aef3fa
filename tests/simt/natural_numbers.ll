; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Quotients, remainders and shifts of numbers that are never negative are unsigned.
; RUN: %build/bin/heddle-warp -block 192 -kernel index -last-pass natural-numbers %s | FileCheck %s --check-prefix=INDEX
; RUN: %build/bin/heddle-warp -block 192 -kernel counter -last-pass natural-numbers %s | FileCheck %s --check-prefix=COUNTER
; The number of a thread in its block, and of a block, is natural whatever the launch.
; RUN: %build/bin/heddle-warp -block 192 -long-objects -kernel block -last-pass natural-numbers %s | FileCheck %s --check-prefix=BLOCK
; So are remainders that are written as differences, and what is chosen of natural numbers.
; RUN: %build/bin/heddle-warp -block 192 -kernel remainder -last-pass natural-numbers %s | FileCheck %s --check-prefix=REMAINDER
; LEGAL natural-numbers: natural
; RUN: %build/bin/heddle-warp -block 192 -kernel negative -last-pass natural-numbers %s | FileCheck %s --check-prefix=SIGNED
; RUN: %build/bin/heddle-warp -block 192 -kernel wraps -last-pass natural-numbers %s | FileCheck %s --check-prefix=SIGNED
; RUN: %build/bin/heddle-warp -block 192 -kernel divisor -last-pass natural-numbers %s | FileCheck %s --check-prefix=SIGNED
; LEGAL natural-numbers: fits
; RUN: %build/bin/heddle-warp -block 192 -kernel sums -last-pass natural-numbers %s | FileCheck %s --check-prefix=SUMS
; RUN: %build/bin/heddle-warp -block 192 -long-objects -kernel sums -last-pass natural-numbers %s | FileCheck %s --check-prefix=LONGSUMS
; LEGAL natural-numbers: trusts
; RUN: %build/bin/heddle-warp -block 192 -long-objects -kernel index -last-pass natural-numbers %s | FileCheck %s --check-prefix=LONG
; Comparisons that the block's shape decides are constants.
; LEGAL natural-numbers: decided
; RUN: %build/bin/heddle-warp -block 32,8 -kernel decided -last-pass natural-numbers %s | FileCheck %s --check-prefix=DECIDED
; RUN: %build/bin/heddle-warp -block 34,8 -kernel decided -last-pass natural-numbers %s | FileCheck %s --check-prefix=OPEN

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; INDEX-LABEL: define {{.*}}@index
; INDEX: udiv i32 {{.*}}, 1024
; INDEX: urem i32 {{.*}}, 64
; INDEX: lshr exact i32 {{.*}}, 5
; INDEX: urem i64 {{.*}}, 12
; INDEX: sdiv i32 {{.*}}, 7
; LONG-LABEL: define {{.*}}@index
; LONG: sdiv i32 {{.*}}, 1024
; LONG: srem i32 {{.*}}, 64
; LONG: ashr exact i32 {{.*}}, 5
; LONG: srem i64 {{.*}}, 12
define ptx_kernel void @index(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 192
  %i = add i32 %first, %t
  %q = sdiv i32 %i, 1024
  %r = srem i32 %q, 64
  %s = ashr exact i32 %i, 5
  %wide = sext i32 %i to i64
  %w = srem i64 %wide, 12
  %any = sdiv i32 %n, 7
  store volatile i32 %r, ptr %out
  store volatile i32 %s, ptr %out
  store volatile i64 %w, ptr %out
  store volatile i32 %any, ptr %out
  ret void
}

; COUNTER-LABEL: define {{.*}}@counter
; COUNTER: udiv i32 {{.*}}, 4
; COUNTER: sdiv i32 {{.*}}, 6
define ptx_kernel void @counter(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %wrapping = phi i32 [ %t, %entry ], [ %other, %loop ]
  %q = sdiv i32 %i, 4
  store volatile i32 %q, ptr %out
  %p = sdiv i32 %wrapping, 6
  store volatile i32 %p, ptr %out
  %next = add nsw i32 %i, 192
  %other = add i32 %wrapping, 192
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}

; BLOCK-LABEL: define {{.*}}@block
; BLOCK: udiv i32 {{.*}}, 3
; BLOCK: urem i32 {{.*}}, 5
; BLOCK: lshr i32 {{.*}}, 1
define ptx_kernel void @block(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %q = sdiv i32 %b, 3
  %r = srem i32 %t, 5
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %sum = add i32 %t, %y
  %s = ashr i32 %sum, 1
  store volatile i32 %q, ptr %out
  store volatile i32 %r, ptr %out
  store volatile i32 %s, ptr %out
  ret void
}

; REMAINDER-LABEL: define {{.*}}@remainder
; REMAINDER: udiv i32 {{.*}}, 12
; REMAINDER: udiv i32 {{.*}}, 5
; REMAINDER: udiv i32 {{.*}}, 3
; REMAINDER: sdiv i32 {{.*}}, 7
define ptx_kernel void @remainder(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = sdiv i32 %t, 12
  %begin = mul i32 %row, 12
  %column = sub i32 %t, %begin
  %part = sdiv i32 %column, 5
  %first = icmp eq i32 %n, 0
  %one = select i1 %first, i32 %row, i32 %part
  %third = sdiv i32 %one, 3
  %begins = mul i32 %row, 13
  %none = sub i32 %t, %begins
  %any = sdiv i32 %none, 7
  store volatile i32 %third, ptr %out
  store volatile i32 %any, ptr %out
  ret void
}

; SIGNED: {{s(div|rem)}} i32
define ptx_kernel void @negative(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %j = sub i32 %t, 1
  %q = sdiv i32 %j, 4
  store volatile i32 %q, ptr %out
  ret void
}
define ptx_kernel void @wraps(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 200
  %i = add i32 %first, %t
  %q = srem i32 %i, 4
  store volatile i32 %q, ptr %out
  ret void
}
define ptx_kernel void @divisor(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = sdiv i32 %t, %n
  store volatile i32 %q, ptr %out
  ret void
}

; Indices that count from one. What is added may be of any size in the second.
; SUMS-LABEL: define {{.*}}@sums
; SUMS: mul nsw i32 {{.*}}, 192
; SUMS: add nsw i32 {{.*}}, 1
; SUMS: add nsw i32
; SUMS: add i32 {{.*}}
; SUMS: sext
; LONGSUMS-LABEL: define {{.*}}@sums
; LONGSUMS: mul i32 {{.*}}, 192
; LONGSUMS: add nsw i32 {{.*}}, 1
; LONGSUMS: add i32
define ptx_kernel void @sums(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 192
  %one = add i32 %t, 1
  %i = add i32 %first, %one
  %any = add i32 %i, %n
  %wide = sext i32 %i to i64
  %also = sext i32 %any to i64
  store volatile i64 %wide, ptr %out
  store volatile i64 %also, ptr %out
  ret void
}

; DECIDED-LABEL: define {{.*}}@decided
; DECIDED: store volatile i1 true
; DECIDED: store volatile i1 false
; DECIDED: store volatile i1 %
; OPEN-LABEL: define {{.*}}@decided
; OPEN: store volatile i1 %
; OPEN: store volatile i1 false
; OPEN: store volatile i1 %
define ptx_kernel void @decided(ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %column = icmp ult i32 %x, 33
  %next = add nuw nsw i32 %y, 8
  %row = icmp slt i32 %next, 8
  %first = icmp ult i32 %next, 10
  store volatile i1 %column, ptr %out
  store volatile i1 %row, ptr %out
  store volatile i1 %first, ptr %out
  ret void
}
