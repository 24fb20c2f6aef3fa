; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A block that does little but gather and scatter runs lane by lane: a counted loop where the active lanes are neighbours.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 %s -disable=serialize-lanes | FileCheck %s --check-prefix=OFF

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK-NOT: masked.gather
; CHECK: range:
; CHECK: [[LANE:%.*]] = phi i32
; CHECK: mul i64 {{.*}}, -128
; CHECK: load i32, ptr
; CHECK: load i32, ptr
; CHECK: store i32
; CHECK: [[NEXT:%.*]] = add nuw nsw i32 [[LANE]], 1
; CHECK: icmp ult i32 [[NEXT]]
; CHECK: lane:
; CHECK: cttz

; OFF-LABEL: define internal void @kernel.thread.warp
; OFF: masked.gather
; OFF-NOT: range:

; Where all lanes run, the loop is unrolled: what it collects is in registers then.
; RUN: %build/bin/heddle-warp -kernel sums -block 32 -target-cpu x86-64-v3 %s | FileCheck %s --check-prefix=UNROLLED
; UNROLLED-LABEL: define internal void @sums.thread.warp
; UNROLLED: br i1 {{.*}}, label %range{{[0-9]*}}, label {{.*}}, !llvm.loop [[ALL:![0-9]+]]
; UNROLLED: [[ALL]] = distinct !{[[ALL]], [[FULL:![0-9]+]]}
; UNROLLED: [[FULL]] = !{!"llvm.loop.unroll.full"}

define ptx_kernel void @kernel(ptr %a, i32 %step) {
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
  %z = load i32, ptr %q1
  %m = call i32 @llvm.smax.i32(i32 %x, i32 %z)
  %r = getelementptr i32, ptr %q, i64 34
  store i32 %m, ptr %r
  br label %done
done:
  ret void
}

define ptx_kernel void @sums(ptr %a, ptr %b, i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %m
  br i1 %in, label %work, label %done
work:
  %row = mul i32 %t, %n
  %first = zext nneg i32 %row to i64
  %length = zext i32 %n to i64
  %rowOfA = getelementptr float, ptr %a, i64 %first
  %rowOfB = getelementptr float, ptr %b, i64 %first
  br label %loop
loop:
  %i = phi i64 [ 0, %work ], [ %next, %loop ]
  %sum = phi float [ 0.0, %work ], [ %more, %loop ]
  %p = getelementptr float, ptr %rowOfA, i64 %i
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %q = getelementptr float, ptr %rowOfB, i64 %i
  store float %more, ptr %q
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, %length
  br i1 %again, label %loop, label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.smax.i32(i32, i32)
