; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; An addition to the same places in every block is kept by the worker: its kind is in the kernel's code, neighbours are
; compared and added as vectors, and the first addition is a real one. Not so if the kernel looks there later. Where it looks
; elsewhere, as far as one can tell from its parameters, lanes with addresses of their own look into their cells one by one.
; RUN: %build/bin/heddle-warp -block 32 %s -kernel keeps | FileCheck %s --check-prefix=KEEPS
; RUN: %build/bin/heddle-warp -block 32 %s -kernel looks | FileCheck %s --check-prefix=LOOKS
; RUN: %build/bin/heddle-warp -block 32 %s -kernel counts | FileCheck %s --check-prefix=COUNTS
; RUN: %build/bin/heddle-warp -block 32 %s -kernel keeps -disable=privatize-atomics | FileCheck %s --check-prefix=LOOKS

; KEEPS-LABEL: define internal void @keeps.thread.warp
; KEEPS: [[TAGS:%.*]] = load <32 x i64>
; KEEPS: icmp ne <32 x i64> [[TAGS]]
; KEEPS: kept:
; KEEPS: [[OLD:%.*]] = load <32 x i32>
; KEEPS: [[NEW:%.*]] = add <32 x i32> [[OLD]]
; KEEPS: store <32 x i32> [[NEW]]
; KEEPS: first:
; KEEPS-DAG: atomicrmw add
; KEEPS-DAG: call void @heddle.keep

; Where all lanes' indices lie in an array that is kept as a whole, they add to its copy.
; COUNTS-LABEL: define internal void @counts.thread.warp
; COUNTS: icmp ugt <32 x i8>
; COUNTS: label %add.other, label %whole
; COUNTS: icmp ult i64 {{%.*}}, 4096
; COUNTS: lanes: {{.*}}%whole
; COUNTS-NOT: icmp eq i64
; COUNTS: [[SUM:%.*]] = add i32 {{%.*}}, 1
; COUNTS-NEXT: store i32 [[SUM]]
; COUNTS-NOT: icmp eq i64
; COUNTS: icmp ult i32 {{%.*}}, 32
; COUNTS-COUNT-4: icmp eq i64
; COUNTS: heddle.keep

; LOOKS-NOT: heddle.keep
; LOOKS: {{load|atomicrmw}}
; LOOKS-NOT: heddle.keep

define ptx_kernel void @keeps(ptr %sums, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %a
  %p = getelementptr i32, ptr %sums, i64 %i
  %o = atomicrmw add ptr %p, i32 %x monotonic
  ret void
}

define ptx_kernel void @looks(ptr %sums, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %sums, i64 %i
  %o = atomicrmw add ptr %p, i32 1 monotonic
  %a = getelementptr i32, ptr %sums, i64 %i
  %x = load i32, ptr %a
  store i32 %x, ptr %in
  ret void
}

define ptx_kernel void @counts(ptr %sums, ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr i8, ptr %in, i64 %i
  %x = load i8, ptr %a
  %n = zext i8 %x to i64
  %p = getelementptr i32, ptr %sums, i64 %n
  %o = atomicrmw add ptr %p, i32 1 monotonic
  store i32 0, ptr %out
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
