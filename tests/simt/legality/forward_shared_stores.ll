; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; What is read of shared memory comes from registers; with one condition broken from memory.
; RUN: %build/bin/heddle-warp -width 512 -block 512 -target-cpu x86-64-v3 -disable promote-shared -last-pass forward-shared-stores %s | FileCheck %s
; LEGAL forward-shared-stores: whole block
; RUN: %build/bin/heddle-warp -width 256 -block 512 -target-cpu x86-64-v3 -disable promote-shared -last-pass forward-shared-stores %s | FileCheck %s --check-prefix=PARTS
; LEGAL forward-shared-stores: known places
; RUN: %break data && %build/bin/heddle-warp -width 512 -block 512 -target-cpu x86-64-v3 -disable promote-shared -last-pass forward-shared-stores %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL forward-shared-stores: one writer
; RUN: %break twice && %build/bin/heddle-warp -width 512 -block 512 -target-cpu x86-64-v3 -disable promote-shared -last-pass forward-shared-stores %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL forward-shared-stores: no mask
; RUN: %break masked && %build/bin/heddle-warp -width 512 -block 512 -target-cpu x86-64-v3 -disable promote-shared -last-pass forward-shared-stores %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL forward-shared-stores: stored before
; RUN: %break early && %build/bin/heddle-warp -width 512 -block 512 -target-cpu x86-64-v3 -disable promote-shared -last-pass forward-shared-stores %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL forward-shared-stores: plain accesses
; RUN: %break escapes && %build/bin/heddle-warp -width 512 -block 512 -target-cpu x86-64-v3 -disable promote-shared -last-pass forward-shared-stores %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL forward-shared-stores: same type
; RUN: %break type && %build/bin/heddle-warp -width 512 -block 512 -target-cpu x86-64-v3 -disable promote-shared -last-pass forward-shared-stores %t.ll | FileCheck %s --check-prefix=NONE

; CHECK-NOT: load <512 x float>, ptr %shared
; CHECK: insertelement <512 x float>
; CHECK: ret void

; NONE: load <512 x float>, ptr %shared

; PARTS: coro.suspend
; PARTS: masked.load.v256f32
; PARTS: masked.store.v256f32

@cells = internal addrspace(3) global [514 x float] poison, align 4

define ptx_kernel void @kernel(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t64 = zext nneg i32 %t to i64
  %b64 = zext nneg i32 %b to i64
  %pin = getelementptr float, ptr %in, i64 %t64
  %x = load float, ptr %pin
  %left = getelementptr float, ptr addrspace(3) @cells, i64 %t64 ; not data
;@early  %soon = load float, ptr addrspace(3) %left
;@data  %left = getelementptr float, ptr addrspace(3) @cells, i64 %t64
;@data  %index = fptosi float %x to i64
;@data  %far = getelementptr float, ptr addrspace(3) @cells, i64 %index
;@data  store float 0.0, ptr addrspace(3) %far
  %mine = getelementptr float, ptr addrspace(3) %left, i64 1
  store float %x, ptr addrspace(3) %mine ; not masked type
;@type  %bits = bitcast float %x to i32
;@type  %low = trunc i32 %bits to i16
;@type  %high.bits = lshr i32 %bits, 16
;@type  %high = trunc i32 %high.bits to i16
;@type  %above = getelementptr i8, ptr addrspace(3) %mine, i64 2
;@type  store i16 %low, ptr addrspace(3) %mine
;@type  store i16 %high, ptr addrspace(3) %above
;@escapes  %address = ptrtoint ptr addrspace(3) %mine to i64
;@escapes  store i64 %address, ptr %out
;@twice  %right = getelementptr float, ptr addrspace(3) %left, i64 2
;@twice  store float 1.0, ptr addrspace(3) %right
;@masked  %isLarge = fcmp ogt float %x, 0.0
;@masked  br i1 %isLarge, label %keep, label %kept
;@masked  keep:
;@masked  store float %x, ptr addrspace(3) %mine
;@masked  br label %kept
;@masked  kept:
  %isFirst = icmp eq i32 %t, 0
  %inside = icmp sgt i32 %b, 0
  %both = and i1 %isFirst, %inside
  br i1 %both, label %load, label %go
load:
  %pleft = getelementptr float, ptr %in, i64 %b64
  %rim = load float, ptr %pleft
  store float %rim, ptr addrspace(3) @cells
  br label %go
go:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %a = load float, ptr addrspace(3) %left
  %pout = getelementptr float, ptr %out, i64 %t64
  store float %a, ptr %pout ; not early
;@early  %both.sum = fadd float %a, %soon
;@early  store float %both.sum, ptr %pout
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
