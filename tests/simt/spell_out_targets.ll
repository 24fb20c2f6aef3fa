; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Calls through pointers become choices among the functions of their type. One of a method that calls the same method
; of its parts is inlined once, and behind that gets a copy of a local variable.
; RUN: %build/bin/heddle-warp -block 32 -kernel trace -last-pass lower-device %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 -kernel trace -disable spell-out-targets -last-pass lower-device %s \
; RUN:   | FileCheck %s --check-prefix=NOT

; CHECK-LABEL: define internal float @list.thread(
; CHECK: switch i64 {{.*}}, label %[[BAD:[^ ]+]] [
; CHECK: call float @list.thread(
; CHECK-NOT: call float @leaf
; LEGAL spell-out-targets: other targets
; CHECK: [[BAD]]:
; CHECK: call void @heddle.bad.call(
; CHECK-LABEL: define internal void @trace.thread(
; CHECK: switch i64
; CHECK-NOT: call float @leaf
; CHECK: memcpy{{.*}}(ptr {{.*}}[[COPY:%[0-9]+]], ptr {{.*}}, i64 4, i1 false)
; CHECK: [[PLACE:%.+]] = getelementptr i8, ptr [[COPY]]
; CHECK: call float @list.thread({{.*}}, ptr [[PLACE]])
; CHECK-NOT: @other

; NOT-COUNT-2: call float %

; LEGAL spell-out-targets: own variables
; RUN: %build/bin/heddle-warp -block 32 -kernel keep -last-pass lower-device %s | FileCheck %s --check-prefix=KEEP
; KEEP-LABEL: define internal void @keep.thread(
; KEEP-NOT: memcpy

define float @leaf(ptr %object, ptr %ray) {
  %p = getelementptr i8, ptr %object, i64 8
  %a = load float, ptr %p
  %b = load float, ptr %ray
  %c = fmul float %a, %b
  ret float %c
}
define float @list(ptr %object, ptr %ray) {
  %p = getelementptr i8, ptr %object, i64 8
  %part = load ptr, ptr %p
  %f = load ptr, ptr %part
  %a = call float %f(ptr %part, ptr %ray)
  %b = fadd float %a, 1.0
  ret float %b
}
define float @other(float %x) {
  ret float %x
}
define ptx_kernel void @trace(ptr %object, ptr %out) {
  %ray = alloca float
  %x = load float, ptr %out
  store float %x, ptr %ray
  %f = load ptr, ptr %object
  %y = call float %f(ptr %object, ptr %ray)
  store float %y, ptr %out
  ret void
}
define i32 @keeper(ptr %object, ptr %ray) {
  %p = getelementptr i8, ptr %object, i64 16
  store ptr %ray, ptr %p
  %part = load ptr, ptr %object
  %f = load ptr, ptr %part
  %a = call i32 %f(ptr %part, ptr %ray)
  ret i32 %a
}
define i32 @twice(ptr %a, ptr %b, ptr %object) {
  %f = load ptr, ptr %object
  store i32 1, ptr %a
  %x = call i32 %f(ptr %b, ptr %a, ptr %object)
  %y = load i32, ptr %b
  %z = add i32 %x, %y
  ret i32 %z
}
define ptx_kernel void @keep(ptr %object, ptr %out) {
  %ray = alloca float
  %v = alloca i32
  %f = load ptr, ptr %object
  %y = call i32 %f(ptr %object, ptr %ray)
  %g = load ptr, ptr %out
  %z = call i32 %g(ptr %v, ptr %v, ptr %object)
  %s = add i32 %y, %z
  store i32 %s, ptr %out
  ret void
}
!heddle.functions = !{!0, !1, !2, !3, !4}
!0 = !{ptr @leaf}
!1 = !{ptr @list}
!2 = !{ptr @other}
!3 = !{ptr @keeper}
!4 = !{ptr @twice}
