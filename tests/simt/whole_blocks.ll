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
declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
