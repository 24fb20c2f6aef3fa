; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A loop that lanes leave one by one goes on while a lane is left; its counter stays scalar; what leaves it is blended.
; RUN: %build/bin/heddle-warp -block 32 -disable whole-subsets %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK-DAG: [[K:%.*]] = phi i32 {{.*}}[ 0,
; CHECK-DAG: [[M:%.*]] = phi <32 x i1> {{.*}}[ %active,
; CHECK-DAG: [[R:%.*]] = phi <32 x i32> {{.*}}[ poison,
; CHECK: [[NEXT:%.*]] = add nuw nsw i32 [[K]], 1
; CHECK: icmp
; CHECK: select <32 x i1> %{{.*}}, <32 x i32> %{{.*}}, <32 x i32> [[R]]
; CHECK: icmp ne i32 %{{.*}}, 0
; CHECK: br i1

define ptx_kernel void @kernel(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i32 %k, 1
  %square = mul i32 %next, %next
  %done = icmp ugt i32 %square, %t
  br i1 %done, label %exit, label %loop
exit:
  %r = phi i32 [ %k, %loop ]
  %tt = zext i32 %t to i64
  %po = getelementptr i32, ptr %out, i64 %tt
  store i32 %r, ptr %po
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; Behind a branch: the lanes that came into the loop come out of it, so once none is left in it, nobody asks who waits behind.
; RUN: %build/bin/heddle-warp -block 32 -kernel behind -disable whole-subsets,unroll-barrier-loops %s | FileCheck %s --check-prefix=BEHIND
; BEHIND-LABEL: define internal void @behind.thread.warp
; BEHIND-COUNT-2: icmp ne i32
; BEHIND-NOT: icmp ne i32
; BEHIND: ret void
define ptx_kernel void @behind(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = and i32 %t, 7
  %none = icmp eq i32 %some, 0
  br i1 %none, label %join, label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ %t, %entry ], [ %more, %loop ]
  %square = mul i32 %sum, %sum
  %more = add i32 %square, %k
  %next = add nuw nsw i32 %k, 1
  %done = icmp eq i32 %next, %some
  br i1 %done, label %join, label %loop
join:
  %r = phi i32 [ %t, %entry ], [ %more, %loop ]
  %tt = zext i32 %t to i64
  %po = getelementptr i32, ptr %out, i64 %tt
  store i32 %r, ptr %po
  ret void
}
