; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Guarded code has a copy for full warps, as far as that is the same.
; RUN: %build/bin/heddle-warp -block 256 -last-pass version-guards -kernel tests %s | FileCheck %s --check-prefix=TESTS
; LEGAL version-guards: effects
; RUN: %break effects && %build/bin/heddle-warp -block 256 -last-pass version-guards -kernel tests %t.ll | FileCheck %s --check-prefix=EFFECTS
; RUN: %build/bin/heddle-warp -block 256 -last-pass version-guards -kernel loop %s | FileCheck %s --check-prefix=LOOP
; LEGAL version-guards: one way out
; RUN: %break leaves && %build/bin/heddle-warp -block 256 -last-pass version-guards -kernel loop %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 256 -last-pass version-guards -kernel behind %s | FileCheck %s --check-prefix=BEFORE
; LEGAL version-guards: free of risk
; RUN: %break risk && %build/bin/heddle-warp -block 256 -last-pass version-guards -kernel behind %t.ll | FileCheck %s --check-prefix=RISK
; LEGAL version-guards: holds in all lanes
; RUN: %build/bin/heddle-warp -block 256 -kernel wraps -last-pass widen %s | FileCheck %s --check-prefix=WRAPS

; TESTS: call i1 @heddle.all
; TESTS: br i1 {{.*}}, label %some
; TESTS: call i1 @heddle.all
; TESTS-NEXT: br i1 {{.*}}, label %some,

; What has been stored is not stored again.
; EFFECTS: call i1 @heddle.all
; EFFECTS: call i1 @heddle.all
; EFFECTS-NOT: br i1 {{.*}}, label %some,

; LOOP: call i1 @heddle.all
; LOOP: label %part
; NONE-NOT: label %part

; BEFORE: define internal void @behind
; BEFORE: add {{.*}}i32 {{.*}}, 1
; BEFORE: call i1 @heddle.all
; RISK-NOT: load i32, ptr %end
; RISK: call i1 @heddle.all

; The last lane's index is below the bound, and not because it has wrapped around.
; WRAPS: [[LAST:%.*]] = add i32 [[FIRST:%.*]], 31
; WRAPS: icmp ult i32 [[LAST]]
; WRAPS: icmp ule i32 [[FIRST]], {{%.*}}

define ptx_kernel void @tests(ptr %out, ptr %in, i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %next, label %exit
next:
  %tt = zext i32 %t to i64
  %p = getelementptr i32, ptr %in, i64 %tt
  %v = load i32, ptr %p
;@effects  store i32 7, ptr %p
  %d = icmp ugt i32 %t, %m
  %q = getelementptr i32, ptr %out, i64 %tt
  br i1 %d, label %body, label %other
body:
  store i32 %v, ptr %q
  br label %exit
other:
  %w = xor i32 %v, %t
  store i32 %w, ptr %q, align 2
  br label %exit
exit:
  ret void
}

define ptx_kernel void @loop(ptr %out, i32 %n, i32 %stride) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %body, label %exit
body:
  %i = phi i32 [ %t, %entry ], [ %next, %body ] ; not leaves
;@leaves  %i = phi i32 [ %t, %entry ], [ %next, %on ]
  %ii = zext i32 %i to i64
  %p = getelementptr i32, ptr %out, i64 %ii
  store i32 %i, ptr %p
  %next = add i32 %i, %stride ; not leaves
;@leaves  %far = getelementptr i8, ptr %p, i64 65536
;@leaves  %v = load i32, ptr %far
;@leaves  %stop = icmp slt i32 %v, 0
;@leaves  br i1 %stop, label %exit, label %on
;@leaves  on:
;@leaves  store i32 %v, ptr %p
;@leaves  %next = add i32 %i, %stride
  %d = icmp ult i32 %next, %n
  br i1 %d, label %body, label %exit
exit:
  ret void
}

define ptx_kernel void @behind(ptr %out, i32 %n, i32 %stride) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  %end = getelementptr i32, ptr %out, i64 1000
  br i1 %c, label %before, label %exit
before:
  %first = add i32 %t, 1 ; not risk
;@risk  %first = load i32, ptr %end
  br label %body
body:
  %i = phi i32 [ %t, %before ], [ %next, %body ]
  %ii = zext i32 %i to i64
  %p = getelementptr i32, ptr %out, i64 %ii
  store i32 %first, ptr %p
  %next = add i32 %i, %stride
  %d = icmp ult i32 %next, %n
  br i1 %d, label %body, label %exit
exit:
  ret void
}

define ptx_kernel void @wraps(ptr %out, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = mul i32 %b, 255
  %i = add i32 %base, %t
  %c = icmp ult i32 %i, %n
  br i1 %c, label %body, label %exit
body:
  %tt = zext i32 %t to i64
  %p = getelementptr i32, ptr %out, i64 %tt
  store i32 %t, ptr %p
  br label %exit
exit:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
