; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A tile of 512 cells that is read shifted stays in memory where there are 16 registers of eight lanes; what is read was
; stored from registers. The cell at the left, which a branch may have stored, is loaded by itself, and what nobody
; reads is not stored.
; RUN: %build/bin/heddle-warp -kernel rim -width 512 -block 512 -target-cpu x86-64-v3 -last-pass forward-shared-stores %s | FileCheck %s --check-prefix=RIM
; RUN: %build/bin/heddle-warp -kernel rim -width 512 -block 512 -target-cpu x86-64-v3 -last-pass forward-shared-stores -disable forward-shared-stores %s | FileCheck %s --check-prefix=WITHOUT
; Two stores that may both have written a cell, or one under a mask: from memory.
; RUN: %build/bin/heddle-warp -kernel twice -width 512 -block 512 -target-cpu x86-64-v3 -last-pass forward-shared-stores -disable promote-shared %s | FileCheck %s --check-prefix=TWICE

; RIM-LABEL: define internal void @runBlocks
; RIM: [[X:%.*]] = load <512 x float>
; RIM-NOT: store <512 x float>
; RIM: store float %{{.*}}, ptr %shared
; RIM-NOT: load <512 x float>, ptr %shared
; RIM: shufflevector <512 x float> [[X]], <512 x float> poison, <512 x i32> <i32 poison, i32 0, i32 1,
; RIM: [[AT:%.*]] = getelementptr i8, ptr %shared, i64 0
; RIM: [[CELL:%.*]] = load float, ptr [[AT]]
; RIM: insertelement <512 x float> %{{.*}}, float [[CELL]], i64 0
; RIM: ret void

; WITHOUT-LABEL: define internal void @runBlocks
; WITHOUT: store <512 x float>
; WITHOUT: load <512 x float>, ptr %shared
; WITHOUT: ret void

; TWICE-LABEL: define internal void @runBlocks
; TWICE: masked.store.v512f32
; TWICE: load <512 x float>, ptr %shared
; TWICE: ret void

@cells = internal addrspace(3) global [514 x float] poison, align 4

define ptx_kernel void @rim(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t64 = zext nneg i32 %t to i64
  %b64 = zext nneg i32 %b to i64
  %pin = getelementptr float, ptr %in, i64 %t64
  %x = load float, ptr %pin
  %left = getelementptr float, ptr addrspace(3) @cells, i64 %t64
  %mine = getelementptr float, ptr addrspace(3) %left, i64 1
  store float %x, ptr addrspace(3) %mine
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
  store float %a, ptr %pout
  ret void
}

define ptx_kernel void @twice(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext nneg i32 %t to i64
  %pin = getelementptr float, ptr %in, i64 %t64
  %x = load float, ptr %pin
  %left = getelementptr float, ptr addrspace(3) @cells, i64 %t64
  %mine = getelementptr float, ptr addrspace(3) %left, i64 1
  store float %x, ptr addrspace(3) %mine
  %some = fcmp ogt float %x, 0.0
  br i1 %some, label %again, label %go
again:
  %right = getelementptr float, ptr addrspace(3) %left, i64 2
  store float 1.0, ptr addrspace(3) %right
  br label %go
go:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %a = load float, ptr addrspace(3) %left
  %pout = getelementptr float, ptr %out, i64 %t64
  store float %a, ptr %pout
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
