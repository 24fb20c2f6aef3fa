; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Loops that call through pointers poll if what they come to does, at last.
; RUN: %build/bin/heddle-warp -kernel methods -disable spell-out-targets -last-pass mark-polls %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel waitingMethods -disable spell-out-targets -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; POLLS: call void @heddle.poll()
; POLLS: call void @heddle.yield()
; NO-NOT: @heddle.yield

; `node` calls through a pointer in turn, and there is no function of the type that waits.
define i1 @leaf(ptr %object) {
  %v = load i32, ptr %object
  %c = icmp ne i32 %v, 0
  ret i1 %c
}
define i1 @node(ptr %object) {
  %f = load ptr, ptr %object
  %c = call i1 %f(ptr %object)
  ret i1 %c
}
define ptx_kernel void @methods(ptr %object) {
entry:
  br label %loop
loop:
  %f = load ptr, ptr %object
  %done = call i1 %f(ptr %object)
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define i1 @waitingLeaf(ptr %object, i32 %value) {
  %v = load volatile i32, ptr %object
  %c = icmp eq i32 %v, %value
  ret i1 %c
}
define i1 @waitingNode(ptr %object, i64 %value) {
  %f = load ptr, ptr %object
  %n = trunc i64 %value to i32
  %c = call i1 %f(ptr %object, i32 %n)
  ret i1 %c
}
define ptx_kernel void @waitingMethods(ptr %object) {
entry:
  br label %loop
loop:
  %f = load ptr, ptr %object
  %done = call i1 %f(ptr %object, i64 1)
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
!heddle.functions = !{!0, !1, !2, !3}
!0 = !{ptr @leaf}
!1 = !{ptr @node}
!2 = !{ptr @waitingLeaf}
!3 = !{ptr @waitingNode}
