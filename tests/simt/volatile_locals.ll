; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A variable that is read as volatile, but not volatile itself, is no memory; one that is, or that others know, stays.
; RUN: %build/bin/heddle-warp -width 32 -block 32 -kernel k -last-pass normalize %s | FileCheck %s
; Lanes that look back with such pointers and publish what they found stay a warp.
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel lookBack -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; WARP: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 {{16|32|64}},

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: define {{.*}}@k.thread
; CHECK-NOT: load volatile ptr
; CHECK: store i32 1
; CHECK: store volatile i32 2
; CHECK: load volatile i32
; CHECK: load volatile i32
define ptx_kernel void @k(ptr %p, ptr %q, ptr %r) {
  %ref = alloca ptr
  %waits = alloca i32
  %known = alloca i32
  store ptr %p, ptr %ref
  %to = load volatile ptr, ptr %ref
  store i32 1, ptr %to
  store volatile i32 2, ptr %waits
  %x = load volatile i32, ptr %waits
  store i32 %x, ptr %to
  store ptr %known, ptr %q
  %y = load volatile i32, ptr %known
  store i32 %y, ptr %r
  ret void
}

define ptx_kernel void @lookBack(ptr %states, ptr %out, i32 %n) {
entry:
  %own = alloca ptr
  %other = alloca ptr
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr %states, i32 %t
  store ptr %mine, ptr %own
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %end
loop:
  %block = phi i32 [ %n, %entry ], [ %next, %again ]
  %sum = phi i32 [ 0, %entry ], [ %more, %again ]
  %at = mul i32 %block, 64
  %place = add i32 %at, %t
  %there = getelementptr i32, ptr %states, i32 %place
  store ptr %there, ptr %other
  %from = load volatile ptr, ptr %other
  %seen = load atomic i32, ptr %from acquire, align 4
  %there.yet = icmp ne i32 %seen, 0
  %step = sext i1 %there.yet to i32
  %next = add i32 %block, %step
  %more = add i32 %sum, %seen
  %total = icmp slt i32 %seen, 0
  br i1 %total, label %exit, label %again
again:
  br label %loop
exit:
  %to = load volatile ptr, ptr %own
  store atomic i32 %more, ptr %to release, align 4
  br label %end
end:
  %found = phi i32 [ 0, %entry ], [ %more, %exit ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %result = getelementptr i32, ptr %out, i32 %t
  store i32 %found, ptr %result
  ret void
}
