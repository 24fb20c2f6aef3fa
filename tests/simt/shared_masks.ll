; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Neighbours in groups of eight change places where the data says so: stores under a mask that is known at run time,
; in segments of four lanes. They become selects of the lanes' values; no branch skips them, no mask is shuffled.
; RUN: %build/bin/heddle-warp -width 32 -block 32 -last-pass eliminate-dead-lanes %s | FileCheck %s
; RUN: %build/bin/heddle-warp -width 32 -block 32 -disable promote-shared -last-pass eliminate-dead-lanes %s | FileCheck %s --check-prefix=MEMORY

; CHECK-LABEL: define internal void @runBlocks
; CHECK-NOT: shufflevector <{{[0-9]+}} x i1>
; CHECK-NOT: masked
; CHECK: [[SWAPS:%[0-9]+]] = icmp sgt <[[N:[0-9]+]] x i32> [[A:%[0-9]+]], [[B:%[0-9]+]]
; CHECK-NOT: br
; CHECK-NOT: shufflevector <{{[0-9]+}} x i1>
; CHECK: select <[[N]] x i1> [[SWAPS]], <[[N]] x i32> [[B]], <[[N]] x i32> [[A]]
; CHECK: select <[[N]] x i1> [[SWAPS]], <[[N]] x i32> [[A]], <[[N]] x i32> [[B]]
; CHECK-NOT: masked
; CHECK: ret void

; MEMORY-LABEL: define internal void @runBlocks
; MEMORY: br i1 {{.*}}label %swap.i
; MEMORY: masked.store

@cells = internal addrspace(3) global [64 x i32] poison, align 4

define ptx_kernel void @kernel(ptr %out, ptr %in) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext nneg i32 %t to i64
  %pin = getelementptr i32, ptr %in, i64 %t64
  %pin2 = getelementptr i32, ptr %pin, i64 32
  %x = load i32, ptr %pin
  %x2 = load i32, ptr %pin2
  %mine = getelementptr i32, ptr addrspace(3) @cells, i64 %t64
  %mine2 = getelementptr i32, ptr addrspace(3) %mine, i64 32
  store i32 %x, ptr addrspace(3) %mine
  store i32 %x2, ptr addrspace(3) %mine2
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %twice = shl i32 %t, 1
  %inGroup = and i32 %t, 3
  %low = sub i32 %twice, %inGroup
  %low64 = zext nneg i32 %low to i64
  %first = getelementptr i32, ptr addrspace(3) @cells, i64 %low64
  %second = getelementptr i32, ptr addrspace(3) %first, i64 4
  %a = load i32, ptr addrspace(3) %first
  %b = load i32, ptr addrspace(3) %second
  %swaps = icmp sgt i32 %a, %b
  br i1 %swaps, label %swap, label %join
swap:
  store i32 %b, ptr addrspace(3) %first
  store i32 %a, ptr addrspace(3) %second
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %y = load i32, ptr addrspace(3) %mine
  %y2 = load i32, ptr addrspace(3) %mine2
  %pout = getelementptr i32, ptr %out, i64 %t64
  %pout2 = getelementptr i32, ptr %pout, i64 32
  store i32 %y, ptr %pout
  store i32 %y2, ptr %pout2
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
