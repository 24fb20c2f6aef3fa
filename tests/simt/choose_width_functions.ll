; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Methods that are called through pointers read their objects lane by lane; functions of numbers pay there, too.
; RUN: %build/bin/heddle-warp -kernel methods -disable spell-out-targets -width 0 -block 32 -last-pass build-entry %s \
; RUN:   | FileCheck %s --check-prefix=SCALAR
; RUN: %build/bin/heddle-warp -kernel functions -disable spell-out-targets -width 0 -block 32 -last-pass build-entry %s \
; RUN:   | FileCheck %s --check-prefix=VECTOR
; Here all lanes have the same object, which shows once the method is inlined.
; RUN: %build/bin/heddle-warp -kernel methods -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=VECTOR

; VECTOR: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 32,
; SCALAR: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 1,

define internal float @method(ptr %object, ptr %ray) {
  %x0 = load float, ptr %object
  %p1 = getelementptr float, ptr %object, i64 1
  %x1 = load float, ptr %p1
  %p2 = getelementptr float, ptr %object, i64 2
  %x2 = load float, ptr %p2
  %y0 = load float, ptr %ray
  %q1 = getelementptr float, ptr %ray, i64 1
  %y1 = load float, ptr %q1
  %q2 = getelementptr float, ptr %ray, i64 2
  %y2 = load float, ptr %q2
  %m0 = fmul float %x0, %y0
  %m1 = fmul float %x1, %y1
  %m2 = fmul float %x2, %y2
  %s = fadd float %m0, %m1
  %t = fadd float %s, %m2
  %q3 = getelementptr float, ptr %ray, i64 3
  store float %t, ptr %q3
  %q4 = getelementptr float, ptr %ray, i64 4
  store float %x0, ptr %q4
  ret float %t
}
define internal float @function(float %x) {
  %a = fmul float %x, %x
  %b = fadd float %a, %x
  %c = fmul float %b, %a
  %d = fadd float %c, %b
  %e = fmul float %d, %c
  %f = fadd float %e, %d
  %g = fmul float %f, %e
  %h = fadd float %g, %f
  %i = fmul float %h, %g
  %j = fadd float %i, %h
  ret float %j
}

define ptx_kernel void @methods(ptr %objects, ptr %rays, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %ray = getelementptr [8 x float], ptr %rays, i64 %i
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr ptr, ptr %objects, i32 %k
  %object = load ptr, ptr %at
  %f = load ptr, ptr %object
  %x = call float %f(ptr %object, ptr %ray)
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define ptx_kernel void @functions(ptr %table, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %f = load ptr, ptr %table
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %x, %loop ]
  %x = call float %f(float %s)
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %p = getelementptr float, ptr %out, i64 %i
  store float %x, ptr %p
  ret void
}
!heddle.functions = !{!0, !1}
!0 = !{ptr @method}
!1 = !{ptr @function}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
