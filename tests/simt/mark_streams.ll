; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A load and a store of arrays that the kernel was given are marked, the store because nothing reads its array.
; RUN: %build/bin/heddle-warp -kernel copy -block 64 %s | FileCheck %s --check-prefix=COPY
; RUN: %build/bin/heddle-warp -kernel copy -block 64 -disable stream-stores %s | FileCheck %s --check-prefix=NONE
; The same array is read: its line is in the cache.
; LEGAL stream-stores: only written
; RUN: %build/bin/heddle-warp -kernel update -block 64 %s | FileCheck %s --check-prefix=LOAD
; Another block may see the store: a fence, an atomic operation.
; LEGAL stream-stores: nobody looks
; RUN: %build/bin/heddle-warp -kernel fence -block 64 %s | FileCheck %s --check-prefix=LOAD
; RUN: %build/bin/heddle-warp -kernel atomic -block 64 %s | FileCheck %s --check-prefix=LOAD
; Shared memory is no array that streams.
; LEGAL stream-stores: given arrays
; RUN: %build/bin/heddle-warp -kernel shared -block 64 %s | FileCheck %s --check-prefix=LOAD
; A loop of known length multiplies what a thread stores; one of unknown length says 0.
; RUN: %build/bin/heddle-warp -kernel known -block 64 %s | FileCheck %s --check-prefix=KNOWN
; RUN: %build/bin/heddle-warp -kernel unknown -block 64 %s | FileCheck %s --check-prefix=UNKNOWN
; Two stores write the array together.
; RUN: %build/bin/heddle-warp -kernel twice -block 64 %s | FileCheck %s --check-prefix=TWICE

; TWICE: masked.store.v32f32{{.*}} !heddle.stream [[N:![0-9]+]]
; TWICE: masked.store.v32f32{{.*}} !heddle.stream [[N]]
; TWICE: [[N]] = !{i64 4, i64 8}
; COPY: masked.load.v32f32{{.*}} !heddle.stream [[N:![0-9]+]]
; COPY: masked.store.v32f32{{.*}} !heddle.stream [[N]]
; COPY: [[N]] = !{i64 4, i64 4}
; NONE-NOT: heddle.stream
; LOAD: masked.load.v32f32{{.*}} !heddle.stream
; LOAD-NOT: heddle.stream
; KNOWN: masked.store.v32f32{{.*}} !heddle.stream [[N:![0-9]+]]
; KNOWN: [[N]] = !{i64 4, i64 40}
; UNKNOWN: masked.store.v32f32{{.*}} !heddle.stream [[N:![0-9]+]]
; UNKNOWN: [[N]] = !{i64 4, i64 0}

@cells = internal addrspace(3) global [64 x float] poison, align 4

define ptx_kernel void @copy(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr float, ptr %in, i64 %i
  %to = getelementptr float, ptr %out, i64 %i
  %v = load float, ptr %from
  store float %v, ptr %to
  ret void
}

define ptx_kernel void @twice(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %near = getelementptr float, ptr %out, i64 %i
  %far = getelementptr float, ptr %near, i64 1024
  store float 1.0, ptr %near
  store float 2.0, ptr %far
  ret void
}

define ptx_kernel void @update(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %to = getelementptr float, ptr %out, i64 %i
  %v = load float, ptr %to
  %w = fadd float %v, 1.0
  store float %w, ptr %to
  ret void
}

define ptx_kernel void @fence(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr float, ptr %in, i64 %i
  %to = getelementptr float, ptr %out, i64 %i
  %v = load float, ptr %from
  store float %v, ptr %to
  fence seq_cst
  ret void
}

define ptx_kernel void @atomic(ptr %out, ptr %in, ptr %count) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr float, ptr %in, i64 %i
  %to = getelementptr float, ptr %out, i64 %i
  %v = load float, ptr %from
  store float %v, ptr %to
  %old = atomicrmw add ptr %count, i32 1 monotonic
  ret void
}

define ptx_kernel void @shared(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr float, ptr %in, i64 %i
  %to = getelementptr float, ptr addrspace(3) @cells, i64 %i
  %v = load float, ptr %from
  store float %v, ptr addrspace(3) %to
  ret void
}

define ptx_kernel void @known(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  br label %again
again:
  %k = phi i64 [ 0, %entry ], [ %next, %again ]
  %row = mul i64 %k, 640
  %at = add i64 %row, %i
  %to = getelementptr float, ptr %out, i64 %at
  store float 1.0, ptr %to
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %again, label %end
end:
  ret void
}

define ptx_kernel void @unknown(ptr %out, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  br label %again
again:
  %k = phi i64 [ 0, %entry ], [ %next, %again ]
  %at = add i64 %k, %i
  %to = getelementptr float, ptr %out, i64 %at
  store float 1.0, ptr %to
  %next = add i64 %k, 64
  %more = icmp ult i64 %next, %n
  br i1 %more, label %again, label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
