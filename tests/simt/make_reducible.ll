; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A cycle that is entered at two blocks, both of a branch into it, gets one entry, with what the phis had.
; RUN: %build/bin/heddle-warp -block 32 -last-pass normalize %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread
; CHECK: dispatch:
; CHECK-NEXT: %to = phi i32 [ 0, %way ], [ %to.ph, %dispatch.preheader ]
; CHECK-NEXT: %b.count3 = phi i32 [ %a.next, %way ], [ %b.count3.ph, %dispatch.preheader ]
; CHECK-NEXT: [[FIRST:%.*]] = icmp eq i32 %to, 0
; CHECK-NEXT: br i1 [[FIRST]], label %b, label %a
; CHECK: %b.count = phi i32 [ %b.count3, %dispatch ]
; CHECK: br i1 %b.ends, label %end, label %a

define ptx_kernel void @kernel(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  br i1 %odd, label %a, label %b
a:
  %a.count = phi i32 [ 1, %entry ], [ %b.next, %b ]
  %a.next = mul i32 %a.count, 3
  %a.ends = icmp sgt i32 %a.next, %n
  br i1 %a.ends, label %end, label %b
b:
  %b.count = phi i32 [ 2, %entry ], [ %a.next, %a ]
  %b.next = add i32 %b.count, 1
  %b.ends = icmp sgt i32 %b.next, %n
  br i1 %b.ends, label %end, label %a
end:
  %result = phi i32 [ %a.next, %a ], [ %b.next, %b ]
  %at = getelementptr i32, ptr %out, i32 %t
  store i32 %result, ptr %at
  ret void
}
