; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Clusters. An arrival is a note in the warp's state, the end of the barrier a wait, also for a block of one program.
; The place in a cluster follows from the block's index. An address in another block's shared memory is that block's
; base and the distance from the own one. A kernel that makes one runs as one that waits (flags 1 and 1024), its blocks
; one by one, though it never does.
; RUN: %build/bin/heddle-warp -kernel barrier -block 32 -last-pass widen %s | FileCheck %s --check-prefix=BARRIER
; RUN: %build/bin/heddle-warp -kernel mapped -block 1 -last-pass build-entry %s | FileCheck %s --check-prefix=MAPPED
; RUN: %build/bin/heddle-warp -kernel places -block 32 -last-pass lower-device %s | FileCheck %s --check-prefix=PLACES

@cell = internal addrspace(3) global i32 undef, align 4

; BARRIER-LABEL: define {{.*}}void @barrier
; BARRIER: or i32 %{{.*}}, 1
; BARRIER: store i32 %{{.*}}, ptr %{{.*}}, align 4
; BARRIER-NOT: heddle.suspend
; BARRIER: store i32 5, ptr
; BARRIER: store i32 4, ptr
; BARRIER: call void @heddle.suspend()
; BARRIER: ret void
define ptx_kernel void @barrier(ptr %out) {
  call void @llvm.nvvm.barrier.cluster.arrive()
  store i32 5, ptr %out
  call void @llvm.nvvm.barrier.cluster.wait()
  ret void
}

; MAPPED: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 1025, i32 1, i64 {{[0-9]+}}, i32 16, i32 0, ptr null, ptr @start
define ptx_kernel void @mapped(ptr %out) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %own = addrspacecast ptr addrspace(3) @cell to ptr
  %other = call ptr @llvm.nvvm.mapa(ptr %own, i32 %b)
  store i32 1, ptr %other
  ret void
}

; PLACES-LABEL: define {{.*}}void @places
; PLACES: urem i32 %blockIdx.x
; PLACES: udiv i32 %blockIdx.x
; PLACES-NOT: llvm.nvvm.read.ptx.sreg.cluster
; PLACES: ret void
define ptx_kernel void @places(ptr %out) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
  %s = add i32 %i, %c
  store i32 %s, ptr %out
  ret void
}
declare void @llvm.nvvm.barrier.cluster.arrive()
declare void @llvm.nvvm.barrier.cluster.wait()
declare ptr @llvm.nvvm.mapa(ptr, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
