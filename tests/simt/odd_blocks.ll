; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Blocks of any size whose barrier loops have a known length are one program: the smallest, those that are no multiple of
; a warp, and the largest. With the loop left as it is, a block a little larger than a warp still is.
; RUN: %build/bin/heddle-warp -width 0 -block 8 -last-pass build-entry %s | FileCheck %s --check-prefix=SMALL
; RUN: %build/bin/heddle-warp -width 0 -block 33 -last-pass build-entry %s | FileCheck %s --check-prefix=ODD
; RUN: %build/bin/heddle-warp -width 0 -block 33 -disable unroll-barrier-loops -last-pass build-entry %s | FileCheck %s --check-prefix=ODD
; RUN: %build/bin/heddle-warp -width 0 -block 1000 -last-pass build-entry %s | FileCheck %s --check-prefix=LARGE
; RUN: %build/bin/heddle-warp -width 0 -block 1000 -last-pass eliminate-dead-lanes %s | FileCheck %s --check-prefix=CUT

; A vector of 256 lanes stays whole for 250 threads: each register has some of them.
; RUN: %build/bin/heddle-warp -width 256 -block 250 -kernel chain -last-pass eliminate-dead-lanes %s | FileCheck %s --check-prefix=WHOLE
; RUN: %build/bin/heddle-warp -width 256 -block 240 -kernel chain -last-pass eliminate-dead-lanes %s | FileCheck %s --check-prefix=PIECES
; WHOLE: fadd <256 x float>
; WHOLE-NOT: <250 x
; PIECES-COUNT-15: fadd <16 x float>
; PIECES-NOT: fadd

; Width, flags, programs of a block.
; SMALL: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 32, i32 2048, i32 1,
; ODD: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 64, i32 2048, i32 1,
; LARGE: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 1024, i32 2048, i32 1,

; Lanes that the block does not have are not loaded.
; CUT-LABEL: define internal void @runBlocks
; CUT-NOT: masked
; CUT-NOT: i64 3996
; CUT: getelementptr float, ptr {{.*}}, i64 992
; CUT-NEXT: load <{{8|4}} x float>
; CUT: ret void

@cells = internal addrspace(3) global [1024 x float] poison, align 4

define ptx_kernel void @kernel(ptr %out, ptr %in) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t64 = zext nneg i32 %t to i64
  %pin = getelementptr float, ptr %in, i64 %t64
  %x = load float, ptr %pin
  %mine = getelementptr float, ptr addrspace(3) @cells, i64 %t64
  store float %x, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %loop
loop:
  %length = phi i32 [ %n, %entry ], [ %half, %latch ]
  %more = add i32 %length, 1
  %half = lshr i32 %more, 1
  %other = add i32 %t, %half
  %takesPart = icmp ult i32 %other, %length
  br i1 %takesPart, label %add, label %latch
add:
  %other64 = zext nneg i32 %other to i64
  %theirs = getelementptr float, ptr addrspace(3) @cells, i64 %other64
  %a = load float, ptr addrspace(3) %mine
  %b = load float, ptr addrspace(3) %theirs
  %s = fadd float %a, %b
  store float %s, ptr addrspace(3) %mine
  br label %latch
latch:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %again = icmp ugt i32 %half, 1
  br i1 %again, label %loop, label %end
end:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %write, label %done
write:
  %sum = load float, ptr addrspace(3) @cells
  store float %sum, ptr %out
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

define ptx_kernel void @chain(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = sitofp i32 %t to float
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ %x, %entry ], [ %more, %loop ]
  %more = fadd float %sum, %sum
  %next = add i32 %k, 1
  %goes = icmp slt i32 %next, %n
  br i1 %goes, label %loop, label %end
end:
  %tt = zext i32 %t to i64
  %to = getelementptr float, ptr %out, i64 %tt
  store float %more, ptr %to
  ret void
}
