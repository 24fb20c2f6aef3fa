; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A loop that ends by a vote of its block. Programs of 256 threads would halt in each round; one program of the whole block
; does not, also where its threads are as many as its lanes.
; RUN: %build/bin/heddle-warp -width 0 -block 256 -last-pass build-entry %s | FileCheck %s --check-prefixes=ENTRY -DWIDTH=256
; RUN: %build/bin/heddle-warp -width 0 -block 512 -last-pass build-entry %s | FileCheck %s --check-prefixes=ENTRY -DWIDTH=512
; RUN: %build/bin/heddle-warp -width 0 -block 32,16 -last-pass build-entry %s | FileCheck %s --check-prefixes=ENTRY -DWIDTH=512
; RUN: %build/bin/heddle-warp -width 0 -block 768 -last-pass build-entry %s | FileCheck %s --check-prefixes=ENTRY -DWIDTH=1024
; RUN: %build/bin/heddle-warp -width 0 -block 1024 -last-pass build-entry %s | FileCheck %s --check-prefixes=ENTRY -DWIDTH=1024
; RUN: %build/bin/heddle-warp -width 0 -block 512 -target-cpu x86-64-v3 -last-pass build-entry %s | FileCheck %s --check-prefixes=ENTRY -DWIDTH=512

; Who waits for nobody has nothing of it.
; RUN: %build/bin/heddle-warp -kernel alone -width 0 -block 512 -last-pass build-entry %s | FileCheck %s --check-prefix=ALONE

; More values carried than registers, and a halt in each round at which parts of the block would keep them in memory, too.
; RUN: %build/bin/heddle-warp -kernel march -width 0 -block 32,8 -last-pass build-entry %s | FileCheck %s --check-prefix=ENTRY -DWIDTH=256
; RUN: sed -e '/barrier.cta.sync.*; halt/d' %s > %t.ll
; RUN: %build/bin/heddle-warp -kernel march -width 0 -block 32,8 -last-pass build-entry %t.ll | FileCheck %s --check-prefix=PART

; PART: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 {{16|32}},
; ENTRY: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 [[WIDTH]],
; ALONE-NOT: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 512,
; ALONE: @heddle_kernel = constant

define ptx_kernel void @kernel(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr i32, ptr %out, i64 %i
  %first = load i32, ptr %p
  br label %loop
loop:
  %x = phi i32 [ %first, %entry ], [ %next, %loop ]
  %half = lshr i32 %x, 1
  %next = xor i32 %half, %n
  %isLarge = icmp ugt i32 %next, 1000
  %vote = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %isLarge)
  br i1 %vote, label %loop, label %done
done:
  store i32 %next, ptr %p
  ret void
}

define ptx_kernel void @alone(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr i32, ptr %out, i64 %i
  %first = load i32, ptr %p
  br label %loop
loop:
  %x = phi i32 [ %first, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %half = lshr i32 %x, 1
  %next = xor i32 %half, %n
  %k.next = add i32 %k, 1
  %again = icmp ult i32 %k.next, %n
  br i1 %again, label %loop, label %done
done:
  store i32 %next, ptr %p
  ret void
}
@tile = internal addrspace(3) global [256 x float] undef

define ptx_kernel void @march(ptr noalias %in, ptr noalias %out, i64 %plane) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nuw nsw i32 %y, 32
  %t = add nuw nsw i32 %row, %x
  %i = zext nneg i32 %t to i64
  %own = getelementptr float, ptr addrspace(3) @tile, i64 %i
  %far = xor i64 %i, 128
  %other = getelementptr float, ptr addrspace(3) @tile, i64 %far
  br label %loop
loop:
  %at = phi i64 [ %i, %entry ], [ %at.next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %v0 = phi float [ 0.0, %entry ], [ %v1, %loop ]
  %v1 = phi float [ 0.0, %entry ], [ %v2, %loop ]
  %v2 = phi float [ 0.0, %entry ], [ %v3, %loop ]
  %v3 = phi float [ 0.0, %entry ], [ %v4, %loop ]
  %v4 = phi float [ 0.0, %entry ], [ %v5, %loop ]
  %v5 = phi float [ 0.0, %entry ], [ %v6, %loop ]
  %v6 = phi float [ 0.0, %entry ], [ %v7, %loop ]
  %v7 = phi float [ 0.0, %entry ], [ %v8, %loop ]
  %v8 = phi float [ 0.0, %entry ], [ %v9, %loop ]
  %v9 = phi float [ 0.0, %entry ], [ %v10, %loop ]
  %v10 = phi float [ 0.0, %entry ], [ %v11, %loop ]
  %v11 = phi float [ 0.0, %entry ], [ %v12, %loop ]
  %v12 = phi float [ 0.0, %entry ], [ %v13, %loop ]
  %v13 = phi float [ 0.0, %entry ], [ %new, %loop ]
  %p = getelementptr inbounds float, ptr %in, i64 %at
  %new = load float, ptr %p
  store float %v7, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; halt
  %beside = load float, ptr addrspace(3) %other
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; halt
  %s0 = fadd float %beside, %new
  %s1 = fadd float %s0, %v0
  %s2 = fadd float %s1, %v1
  %s3 = fadd float %s2, %v2
  %s4 = fadd float %s3, %v3
  %s5 = fadd float %s4, %v4
  %s6 = fadd float %s5, %v5
  %s7 = fadd float %s6, %v6
  %s8 = fadd float %s7, %v7
  %s9 = fadd float %s8, %v8
  %s10 = fadd float %s9, %v9
  %s11 = fadd float %s10, %v10
  %s12 = fadd float %s11, %v11
  %s13 = fadd float %s12, %v12
  %s14 = fadd float %s13, %v13
  %q = getelementptr inbounds float, ptr %out, i64 %at
  store float %s14, ptr %q
  %at.next = add nsw i64 %at, %plane
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, 48
  br i1 %again, label %loop, label %done
done:
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
