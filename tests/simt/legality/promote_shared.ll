; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Shared memory becomes registers; with one condition broken it stays.
; RUN: %build/bin/heddle-warp -width 64 -block 64 -last-pass promote-shared %s | FileCheck %s
; LEGAL promote-shared: whole block
; RUN: %build/bin/heddle-warp -width 32 -block 64 -last-pass promote-shared %s | FileCheck %s --check-prefix=NONE
; LEGAL promote-shared: known places
; RUN: %break data && %build/bin/heddle-warp -width 64 -block 64 -last-pass promote-shared %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL promote-shared: plain accesses
; RUN: %break escapes && %build/bin/heddle-warp -width 64 -block 64 -last-pass promote-shared %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL promote-shared: different places
; RUN: %break collide && %build/bin/heddle-warp -width 64 -block 64 -last-pass promote-shared %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL promote-shared: within
; RUN: %break beyond && %build/bin/heddle-warp -width 64 -block 64 -last-pass promote-shared %t.ll | FileCheck %s --check-prefix=NONE

; CHECK-LABEL: define internal void @runBlocks
; CHECK-NOT: ptr %shared
; CHECK: ret void

; NONE: ptr %shared

@cells = internal addrspace(3) global [64 x float] poison, align 4

define ptx_kernel void @kernel(ptr %out, ptr %in) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext nneg i32 %t to i64
  %pin = getelementptr float, ptr %in, i64 %t64
  %x = load float, ptr %pin
  %mine = getelementptr float, ptr addrspace(3) @cells, i64 %t64
  store float %x, ptr addrspace(3) %mine
;@escapes  %address = ptrtoint ptr addrspace(3) %mine to i64
;@escapes  store i64 %address, ptr %out
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %loop
loop:
  %half = phi i32 [ 32, %entry ], [ %next, %latch ]
  %takesPart = icmp ult i32 %t, %half
  br i1 %takesPart, label %add, label %latch
add:
  %other = add i32 %t, %half
  %other64 = zext nneg i32 %other to i64
  %theirs = getelementptr float, ptr addrspace(3) @cells, i64 %other64 ; not data
;@data  %index = fptosi float %x to i64
;@data  %theirs = getelementptr float, ptr addrspace(3) @cells, i64 %index
  %a = load float, ptr addrspace(3) %mine
  %b = load float, ptr addrspace(3) %theirs
  %s = fadd float %a, %b
  store float %s, ptr addrspace(3) %mine ; not collide beyond
;@beyond  %isLarge = fcmp ogt float %s, 0.0
;@beyond  br i1 %isLarge, label %keep, label %kept
;@beyond  keep:
;@beyond  %one = getelementptr float, ptr addrspace(3) %mine, i64 64
;@beyond  store float %s, ptr addrspace(3) %one
;@beyond  br label %kept
;@beyond  kept:
;@collide  %isLarge = fcmp ogt float %s, 0.0
;@collide  br i1 %isLarge, label %keep, label %kept
;@collide  keep:
;@collide  %slot = and i64 %t64, 1
;@collide  %one = getelementptr float, ptr addrspace(3) @cells, i64 %slot
;@collide  store float %s, ptr addrspace(3) %one
;@collide  br label %kept
;@collide  kept:
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
