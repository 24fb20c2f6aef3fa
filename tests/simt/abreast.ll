; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A loop that goes from plane to plane with two barriers a step: one program for the block, which halts at the last of them,
; and four blocks in turns. What it writes once may go past the caches, without a fence at each halt.
; RUN: %build/bin/heddle-warp -kernel walk -block 32,8 -width 0 -last-pass=split-coroutine %s | FileCheck %s
; RUN: %build/bin/heddle-warp -kernel walk -block 32,8 -width 0 -last-pass=split-coroutine -target-cpu x86-64-v3 -disable=hoist-store-choices %s | FileCheck %s
; RUN: %build/bin/heddle-warp -kernel walk -block 32,8 -width 0 -last-pass=split-coroutine -disable=blocks-abreast %s | FileCheck %s --check-prefix=APART
; Rows as long as what four blocks would read together.
; RUN: %build/bin/heddle-warp -kernel walk -block 256 -width 0 -last-pass=split-coroutine %s | FileCheck %s --check-prefix=APART
; The width that was asked for.
; RUN: %build/bin/heddle-warp -kernel walk -block 32,8 -width 32 -last-pass=split-coroutine %s | FileCheck %s --check-prefix=APART
; It moves by neighbouring elements.
; RUN: %build/bin/heddle-warp -kernel near -block 32,8 -width 0 -last-pass=split-coroutine %s | FileCheck %s --check-prefix=APART
; It writes after the loop.
; RUN: %build/bin/heddle-warp -kernel after -block 32,8 -width 0 -last-pass=split-coroutine %s | FileCheck %s --check-prefix=APART

; CHECK: @heddle_kernel = constant {{.*}} { i32 {{[0-9]+}}, i32 256, i32 1, i32 1, {{.*}}, i32 4, i32 1, i32 1, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; CHECK: define internal fastcc void @start.resume
; CHECK-NOT: fence seq_cst
; CHECK: store <32 x float> {{.*}} !nontemporal
; CHECK-NOT: fence seq_cst
; APART: @heddle_kernel = constant {{.*}} i32 0, i32 1, i32 1, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }

@tile = internal addrspace(3) global [256 x float] undef, align 4

define ptx_kernel void @walk(i32 %n, i32 %plane, ptr %in, ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %y, 4096
  %first = add i32 %row, %x
  %across = mul i32 %y, 32
  %t = add i32 %across, %x
  %cell = getelementptr [256 x float], ptr addrspace(3) @tile, i32 0, i32 %t
  %u = xor i32 %t, 128
  %other = getelementptr [256 x float], ptr addrspace(3) @tile, i32 0, i32 %u
  br label %loop
loop:
  %z = phi i32 [ 0, %0 ], [ %next, %loop ]
  %i = phi i32 [ %first, %0 ], [ %up, %loop ]
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load float, ptr addrspace(3) %other
  %q = getelementptr float, ptr %out, i64 %wide
  store float %w, ptr %q
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %up = add nsw i32 %i, %plane
  %next = add i32 %z, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  ret void
}

define ptx_kernel void @near(i32 %n, ptr %in, ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %y, 4096
  %first = add i32 %row, %x
  %across = mul i32 %y, 32
  %t = add i32 %across, %x
  %cell = getelementptr [256 x float], ptr addrspace(3) @tile, i32 0, i32 %t
  %u = xor i32 %t, 128
  %other = getelementptr [256 x float], ptr addrspace(3) @tile, i32 0, i32 %u
  br label %loop
loop:
  %z = phi i32 [ 0, %0 ], [ %next, %loop ]
  %i = phi i32 [ %first, %0 ], [ %up, %loop ]
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load float, ptr addrspace(3) %other
  %q = getelementptr float, ptr %out, i64 %wide
  store float %w, ptr %q
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %up = add nsw i32 %i, 32
  %next = add i32 %z, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  ret void
}

define ptx_kernel void @after(i32 %n, i32 %plane, ptr %in, ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %y, 4096
  %first = add i32 %row, %x
  %across = mul i32 %y, 32
  %t = add i32 %across, %x
  %cell = getelementptr [256 x float], ptr addrspace(3) @tile, i32 0, i32 %t
  %u = xor i32 %t, 128
  %other = getelementptr [256 x float], ptr addrspace(3) @tile, i32 0, i32 %u
  br label %loop
loop:
  %z = phi i32 [ 0, %0 ], [ %next, %loop ]
  %i = phi i32 [ %first, %0 ], [ %up, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %more, %loop ]
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load float, ptr addrspace(3) %other
  %more = fadd float %sum, %w
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %up = add nsw i32 %i, %plane
  %next = add i32 %z, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %far = sext i32 %first to i64
  %q = getelementptr float, ptr %out, i64 %far
  store float %more, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
