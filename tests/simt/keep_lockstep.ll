; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Lanes of a program that is less than a warp meet before accesses that rely on lockstep, and nowhere else.
; RUN: %build/bin/heddle-warp -width 8 -block 64 -kernel neighbours -last-pass keep-lockstep %s | FileCheck %s --check-prefix=NEIGHBOURS
; RUN: %build/bin/heddle-warp -width 1 -block 64 -kernel publishes -last-pass keep-lockstep %s | FileCheck %s --check-prefix=PUBLISHES
; RUN: %build/bin/heddle-warp -width 1 -block 64 -kernel polls -last-pass keep-lockstep %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -width 1 -block 64 -kernel locks -last-pass keep-lockstep %s | FileCheck %s --check-prefix=LOCKS
; RUN: %build/bin/heddle-warp -width 1 -block 64 -kernel rounds -last-pass keep-lockstep %s | FileCheck %s --check-prefix=ROUNDS
; RUN: %build/bin/heddle-warp -width 32 -block 64 -kernel neighbours -last-pass keep-lockstep %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -width 8 -block 64 -kernel own -last-pass keep-lockstep %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -width 8 -block 64 -kernel withBarrier -last-pass keep-lockstep %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -width 8 -block 64 -kernel withSync -last-pass keep-lockstep %s | FileCheck %s --check-prefix=NO
; NO: store volatile
; NO-NOT: @heddle.meet

@places = internal addrspace(3) global [256 x i32] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)

; NEIGHBOURS: store volatile
; NEIGHBOURS: call void @heddle.meet(i32 1, i32 3)
; NEIGHBOURS-NEXT: %x = load volatile
; NEIGHBOURS: call void @heddle.meet(i32 2, i32 3)
; NEIGHBOURS-NEXT: store volatile
define ptx_kernel void @neighbours(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %next = add nuw nsw i32 %t, 1
  %own = getelementptr i32, ptr addrspace(3) @places, i32 %t
  %other = getelementptr i32, ptr addrspace(3) @places, i32 %next
  store volatile i32 %t, ptr addrspace(3) %own
  %x = load volatile i32, ptr addrspace(3) %other
  store volatile i32 %x, ptr addrspace(3) %own
  ret void
}

define ptx_kernel void @own(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspace(3) @places, i32 %t
  %x = load volatile i32, ptr addrspace(3) %own
  %y = add i32 %x, %t
  store volatile i32 %y, ptr addrspace(3) %own
  ret void
}

define ptx_kernel void @withBarrier(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %next = add nuw nsw i32 %t, 1
  %own = getelementptr i32, ptr addrspace(3) @places, i32 %t
  %other = getelementptr i32, ptr addrspace(3) @places, i32 %next
  store volatile i32 %t, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = load volatile i32, ptr addrspace(3) %other
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store volatile i32 %x, ptr addrspace(3) %own
  ret void
}

define ptx_kernel void @withSync(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %next = add nuw nsw i32 %t, 1
  %own = getelementptr i32, ptr addrspace(3) @places, i32 %t
  %other = getelementptr i32, ptr addrspace(3) @places, i32 %next
  store volatile i32 %t, ptr addrspace(3) %own
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %x = load volatile i32, ptr addrspace(3) %other
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  store volatile i32 %x, ptr addrspace(3) %own
  ret void
}

; All lanes have written before one says so.
; PUBLISHES: store i32 %t
; PUBLISHES: fence
; PUBLISHES: call void @heddle.meet(i32 1, i32 3)
; PUBLISHES-NEXT: store volatile i32 1
define ptx_kernel void @publishes(ptr %out, ptr %flag) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %to = getelementptr i32, ptr %out, i32 %t
  store i32 %t, ptr %to
  fence acq_rel
  %first = icmp eq i32 %t, 0
  br i1 %first, label %put, label %exit
put:
  store volatile i32 1, ptr %flag
  br label %exit
exit:
  ret void
}

; One lane polls, and all read what it has waited for. Nobody of the warp does what it polls for.
; POLLS: call void @heddle.yield(){{.*}}!heddle.place [[PLACE:![0-9]+]]
; POLLS: call void @heddle.meet(i32 2, i32 6)
; POLLS-NEXT: %x = load i32
; POLLS: [[PLACE]] = !{i32 1, i32 1}
define ptx_kernel void @polls(ptr %out, ptr %flag) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr %out, i32 %t
  %first = icmp eq i32 %t, 0
  br i1 %first, label %wait, label %go
wait:
  %seen = load volatile i32, ptr %flag
  %done = icmp eq i32 %seen, 1
  br i1 %done, label %go, label %wait
go:
  %x = load i32, ptr %from
  %use = icmp eq i32 %x, 77
  br i1 %use, label %trap, label %exit
trap:
  call void @llvm.trap()
  unreachable
exit:
  ret void
}

; Lanes that try to take a lock are waited for before the section behind it; they may poll for what a lane does there.
; LOCKS: call void @heddle.yield(){{.*}}!heddle.place [[PLACE:![0-9]+]]
; LOCKS: call void @heddle.meet(i32 2, i32 2)
; LOCKS-NEXT: %x = load volatile
; LOCKS: call void @heddle.meet(i32 3, i32 3)
; LOCKS-NEXT: store volatile
; LOCKS: atomicrmw xchg
; LOCKS: [[PLACE]] = !{i32 1, i32 2}
define ptx_kernel void @locks(ptr %lock, ptr %sum) {
entry:
  br label %try
try:
  %pair = cmpxchg ptr %lock, i32 0, i32 1 monotonic monotonic
  %taken = extractvalue { i32, i1 } %pair, 1
  br i1 %taken, label %section, label %try
section:
  %x = load volatile i32, ptr %sum
  %y = add i32 %x, 1
  store volatile i32 %y, ptr %sum
  fence acq_rel
  %old = atomicrmw xchg ptr %lock, i32 0 monotonic
  ret void
}

; Nobody begins the next round before all have left the loop that polls. Who is there has nothing that others poll for;
; who is before the exchange gives the lock back.
; ROUNDS: round:
; ROUNDS-NOT: heddle.meet
; ROUNDS: store volatile
; ROUNDS: call void @heddle.meet(i32 [[#]], i32 6)
; ROUNDS: call void @heddle.yield(){{.*}}!heddle.place [[PLACE:![0-9]+]]
; ROUNDS: call void @heddle.meet(i32 [[#]], i32 2)
; ROUNDS-NEXT: atomicrmw xchg
; ROUNDS: call void @heddle.meet(i32 [[#]], i32 6)
; ROUNDS-NEXT: br i1 %more
; ROUNDS: [[PLACE]] = !{i32 [[#]], i32 2}
define ptx_kernel void @rounds(ptr %locks) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspace(3) @places, i32 %t
  %next = add nuw nsw i32 %t, 1
  %other = getelementptr i32, ptr addrspace(3) @places, i32 %next
  br label %round
round:
  %i = phi i32 [ 0, %entry ], [ %i.next, %section ]
  store volatile i32 %i, ptr addrspace(3) %own
  %x = load volatile i32, ptr addrspace(3) %other
  %lock = getelementptr i32, ptr %locks, i32 %x
  br label %try
try:
  %pair = cmpxchg ptr %lock, i32 0, i32 1 monotonic monotonic
  %taken = extractvalue { i32, i1 } %pair, 1
  br i1 %taken, label %section, label %try
section:
  fence acq_rel
  %old = atomicrmw xchg ptr %lock, i32 0 monotonic
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 4
  br i1 %more, label %round, label %exit
exit:
  ret void
}

declare void @llvm.trap()
