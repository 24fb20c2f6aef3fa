; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A sum over a block of 64 threads in shared memory: one program holds the block, the loop over the barriers is unrolled,
; the shared array becomes registers, and vectors are cut to what is needed. Left out, each part can be seen missing.
; RUN: %build/bin/heddle-warp -width 64 -block 64 -last-pass promote-shared %s | FileCheck %s
; RUN: %build/bin/heddle-warp -width 64 -block 64 -last-pass eliminate-dead-lanes %s | FileCheck %s --check-prefix=CUT
; RUN: %build/bin/heddle-warp -width 64 -block 64 -disable promote-shared -last-pass eliminate-dead-lanes %s | FileCheck %s --check-prefix=MEMORY
; RUN: %build/bin/heddle-warp -width 64 -block 64 -disable unroll-barrier-loops -last-pass eliminate-dead-lanes %s | FileCheck %s --check-prefix=LOOP

; CHECK-LABEL: define internal void @runBlocks
; CHECK-NOT: alloca
; CHECK: load <64 x float>
; CHECK-NOT: masked.load
; CHECK-NOT: load <
; CHECK-NOT: store <
; CHECK: fadd <64 x float>
; CHECK: store float
; CHECK: ret void

; No vector is longer than a register, and the additions are those of a tree.
; CUT-LABEL: define internal void @runBlocks
; CUT-NOT: <64 x
; CUT-NOT: masked
; CUT: fadd <{{16|8|4}} x float>
; CUT: fadd <4 x float>
; CUT: fadd <2 x float>
; CUT: fadd <1 x float>
; CUT-NOT: fadd
; CUT: store float
; CUT: ret void

; MEMORY-LABEL: define internal void @runBlocks
; MEMORY: masked.store.v64f32
; MEMORY-COUNT-5: masked.store.v64f32
; MEMORY: masked.store.v1f32

; LOOP-LABEL: define internal void @runBlocks
; LOOP-NOT: alloca
; LOOP: %shared = load ptr
; LOOP: store <64 x float> {{.*}}, ptr %shared
; LOOP: masked.load.v64f32

@cells = internal addrspace(3) global [64 x float] poison, align 4

define ptx_kernel void @kernel(ptr %out, ptr %in) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext nneg i32 %t to i64
  %pin = getelementptr float, ptr %in, i64 %t64
  %x = load float, ptr %pin
  %mine = getelementptr float, ptr addrspace(3) @cells, i64 %t64
  store float %x, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %loop
loop:
  %half = phi i32 [ 32, %entry ], [ %next, %latch ]
  %takesPart = icmp ult i32 %t, %half
  br i1 %takesPart, label %add, label %latch
add:
  %other = add i32 %t, %half
  %other64 = zext nneg i32 %other to i64
  %theirs = getelementptr float, ptr addrspace(3) @cells, i64 %other64
  %a = load float, ptr addrspace(3) %mine
  %b = load float, ptr addrspace(3) %theirs
  %s = fadd float %a, %b
  store float %s, ptr addrspace(3) %mine
  br label %latch
latch:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = lshr i32 %half, 1
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
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
