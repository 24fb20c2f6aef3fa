; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A loop that fills a tile, waits, reads it and waits again: two tiles take turns, and one wait is left.
; RUN: %build/bin/heddle-warp -block 16,16 -kernel tiles -last-pass=double-buffer-tiles %s | FileCheck %s
; Not where the second wait orders something else.
; RUN: %build/bin/heddle-warp -block 16,16 -kernel seenLater -last-pass=double-buffer-tiles %s | FileCheck %s --check-prefix=TWO
; RUN: %build/bin/heddle-warp -block 16,16 -kernel leftAlone -last-pass=double-buffer-tiles %s | FileCheck %s --check-prefix=TWO
; RUN: %build/bin/heddle-warp -block 16,16 -kernel writes -last-pass=double-buffer-tiles %s | FileCheck %s --check-prefix=TWO
; RUN: %build/bin/heddle-warp -block 16,16 -kernel tiles -disable=double-buffer-tiles -last-pass=double-buffer-tiles %s | FileCheck %s --check-prefix=TWO
; Behind the loop the second wait stays where it orders what is loaded from other memory; addresses that are the same in all rounds
; may be computed in the loop.
; LEGAL double-buffer-tiles: reads behind
; RUN: %build/bin/heddle-warp -block 16,16 -kernel readsBehind -last-pass=double-buffer-tiles %s | FileCheck %s --check-prefix=BEHIND
; One program holds the block: there is nothing to wait for.
; RUN: %build/bin/heddle-warp -block 16,2 -kernel tiles -last-pass=double-buffer-tiles %s | FileCheck %s --check-prefix=TWO

; CHECK-LABEL: define {{.*}} @tiles
; CHECK: %half = phi i64 [ 0, {{.*}} ], [ %half.next, {{.*}} ]
; CHECK: [[TILES:%.*]] = getelementptr i8, ptr %shared, i64 %half
; CHECK: store float
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; CHECK-NEXT: load float
; CHECK-NOT: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; CHECK: %half.next = sub i64 1024, %half
; BEHIND-LABEL: define {{.*}} @readsBehind
; BEHIND: store float
; BEHIND: store float
; BEHIND-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; BEHIND-NOT: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; BEHIND: %half.next = sub i64 1024, %half
; BEHIND: br i1
; BEHIND: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; BEHIND-NEXT: store float
; TWO-NOT: %half
; TWO: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; TWO: call void @llvm.nvvm.barrier.cta.sync.aligned.all

@tile = internal addrspace(3) global [16 x [16 x float]] undef, align 4

define ptx_kernel void @tiles(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %cell = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %y, i32 %x
  %corner = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %x, i32 %y
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %more, %loop ]
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load float, ptr addrspace(3) %corner
  %more = fadd float %sum, %w
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %i, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %q = getelementptr float, ptr %c, i32 %x
  store float %more, ptr %q
  ret void
}

; The last tile is read behind the loop.
define ptx_kernel void @seenLater(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %cell = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %y, i32 %x
  %corner = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %x, i32 %y
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %more, %loop ]
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load float, ptr addrspace(3) %corner
  %more = fadd float %sum, %w
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %i, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %last = load float, ptr addrspace(3) %corner
  %all = fadd float %more, %last
  %q = getelementptr float, ptr %c, i32 %x
  store float %all, ptr %q
  ret void
}

; Threads leave the loop one by one, and others read what they have left.
define ptx_kernel void @leftAlone(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %cell = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %y, i32 %x
  %corner = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %x, i32 %y
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %more, %loop ]
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load float, ptr addrspace(3) %corner
  %more = fadd float %sum, %w
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %i, 1
  %on = icmp slt i32 %next, %y
  br i1 %on, label %loop, label %done
done:
  %q = getelementptr float, ptr %c, i32 %x
  store float %more, ptr %q
  ret void
}

; What one thread writes the others read in the next round.
define ptx_kernel void @writes(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %cell = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %y, i32 %x
  %corner = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %x, i32 %y
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load float, ptr addrspace(3) %corner
  %q = getelementptr float, ptr %a, i32 %x
  store float %w, ptr %q
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %i, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  ret void
}

define ptx_kernel void @readsBehind(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %cell = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %y, i32 %x
  %corner = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %x, i32 %y
  %q = getelementptr float, ptr %c, i32 %x
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %more, %loop ]
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  %beside = getelementptr i8, ptr addrspace(3) %cell, i32 4
  store float %v, ptr addrspace(3) %beside
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %u = load float, ptr %q
  %w = load float, ptr addrspace(3) %corner
  %both = fmul float %u, %w
  %more = fadd float %sum, %both
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %i, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  store float %more, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
