; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Loops that poll give way at each turn; others do not.
; RUN: %build/bin/heddle-warp -kernel flag -last-pass mark-polls %s | FileCheck %s --check-prefix=FLAG
; RUN: %build/bin/heddle-warp -kernel bounded -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel addsNothing -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel takenBack -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel fenced -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel barrierForCompiler -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel cached -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel guardedSwap -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel nextWhenReady -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel inCircle -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel throughShared -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel pair -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel swapOfPairs -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel pool -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel lockBit -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel setBack -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel pause -last-pass mark-polls %s | FileCheck %s --check-prefix=PAUSE
; RUN: %build/bin/heddle-warp -kernel plain -last-pass mark-polls %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel search -last-pass mark-polls %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel probe -last-pass mark-polls %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel probeAndCount -last-pass mark-polls %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel retry -last-pass mark-polls %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel roots -last-pass mark-polls %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel hooks -last-pass mark-polls %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel least -last-pass mark-polls %s | FileCheck %s --check-prefix=POLLS
; RUN: %build/bin/heddle-warp -kernel queue -last-pass mark-polls %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel rounds -last-pass mark-polls %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel searchOfPairs -last-pass mark-polls %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel ownVolatile -last-pass mark-polls %s | FileCheck %s --check-prefix=OWN
; RUN: %build/bin/heddle-warp -kernel ownVariable -last-pass mark-polls %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel cachedOnce -last-pass mark-polls %s | FileCheck %s --check-prefix=ONCE
; POLLS: call void @heddle.poll()
; POLLS: call void @heddle.yield()
; OWN-NOT: @heddle.yield
; NO-NOT: @heddle.yield
; NO-NOT: volatile

; FLAG: call void @heddle.poll()
; FLAG: %v = load volatile
; FLAG: br i1 %{{.*}}, label %[[AGAIN:.*]], label %exit
; FLAG: {{^}}[[AGAIN]]:
; FLAG-NEXT: call void @heddle.yield()
define ptx_kernel void @flag(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %done = icmp ne i32 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A bound makes it no less a poll.
define ptx_kernel void @bounded(ptr %p) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = load volatile i32, ptr %p
  %next = add i32 %k, 1
  %seen = icmp ne i32 %v, 0
  %enough = icmp eq i32 %next, 1000
  %done = or i1 %seen, %enough
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define ptx_kernel void @addsNothing(ptr %p) {
entry:
  br label %loop
loop:
  %v = atomicrmw add ptr %p, i32 0 seq_cst
  %done = icmp ne i32 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define ptx_kernel void @takenBack(ptr %p) {
entry:
  br label %loop
loop:
  %v = atomicrmw sub ptr %p, i32 1 seq_cst
  %got = icmp sgt i32 %v, 0
  br i1 %got, label %exit, label %back
back:
  %w = atomicrmw add ptr %p, i32 1 seq_cst
  br label %loop
exit:
  ret void
}

define ptx_kernel void @fenced(ptr %p) {
entry:
  br label %loop
loop:
  fence seq_cst
  %v = load i32, ptr %p
  %done = icmp ne i32 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define ptx_kernel void @barrierForCompiler(ptr %p) {
entry:
  br label %loop
loop:
  call void asm sideeffect "", "~{memory}"()
  %v = load i32, ptr %p
  %done = icmp ne i32 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define ptx_kernel void @cached(ptr %p) {
entry:
  br label %loop
loop:
  %v = load i32, ptr %p, !nontemporal !0
  call void asm sideeffect "", "~{memory}"()
  %done = icmp ne i32 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A semaphore: the swap is tried only where it may succeed.
define ptx_kernel void @guardedSwap(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %try, label %again
try:
  %less = sub i32 %v, 1
  %r = cmpxchg ptr %p, i32 %v, i32 %less monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %exit, label %again
again:
  br label %loop
exit:
  ret void
}

; The address goes on only when the value is there.
define ptx_kernel void @nextWhenReady(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %p, i32 %k
  %v = load volatile i32, ptr %at
  %ready = icmp ne i32 %v, 0
  %step = zext i1 %ready to i32
  %next = add i32 %k, %step
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Looks at one mailbox after the other, again and again.
define ptx_kernel void @inCircle(ptr %p) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %wrapped, %loop ]
  %at = getelementptr i32, ptr %p, i32 %k
  %v = load volatile i32, ptr %at
  %next = add i32 %k, 1
  %wrapped = and i32 %next, 7
  %done = icmp ne i32 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; One lane looks, the others see what it has seen in memory.
declare void @llvm.nvvm.bar.warp.sync(i32)
define ptx_kernel void @throughShared(ptr %p, ptr %s, i1 %looks) {
entry:
  br label %loop
loop:
  br i1 %looks, label %look, label %join
look:
  %v = load volatile i32, ptr %p
  store i32 %v, ptr %s
  br label %join
join:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %w = load i32, ptr %s
  %done = icmp ne i32 %w, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; __nanosleep gives way, too.
declare void @llvm.nvvm.nanosleep(i32)
; PAUSE-LABEL: @pause
; PAUSE-NOT: call void @llvm.nvvm.nanosleep
; PAUSE: call void @heddle.yield()
define ptx_kernel void @pause(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  call void @llvm.nvvm.nanosleep(i32 100)
  %done = icmp ne i32 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define ptx_kernel void @plain(ptr %p) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %old = atomicrmw add ptr %p, i32 1 monotonic
  %next = add i32 %k, 1
  %done = icmp eq i32 %next, 100
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; The address goes on with each turn.
define ptx_kernel void @search(ptr %p) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %p, i32 %k
  %v = load atomic i32, ptr %at monotonic, align 4
  %next = add i32 %k, 1
  %done = icmp ne i32 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A hash table is only filled: its probes find an end, though they go in a circle.
define ptx_kernel void @probe(ptr %p, i32 %key) {
entry:
  br label %loop
loop:
  %slot = phi i32 [ %key, %entry ], [ %wrapped, %loop ]
  %at = getelementptr i32, ptr %p, i32 %slot
  %r = cmpxchg ptr %at, i32 -1, i32 %key monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  %next = add i32 %slot, 1
  %wrapped = and i32 %next, 1023
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Nor is a table where the found are counted beside the keys, though it was cleared by the block.
@keys = internal addrspace(3) global [1024 x i32] undef
@counts = internal addrspace(3) global [1024 x i32] undef
define ptx_kernel void @probeAndCount(i32 %key) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr [1024 x i32], ptr addrspace(3) @keys, i32 0, i32 %t
  store i32 -1, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %first = and i32 %key, 1023
  br label %loop
loop:
  %slot = phi i32 [ %first, %entry ], [ %wrapped, %loop ]
  %at = getelementptr [1024 x i32], ptr addrspace(3) @keys, i32 0, i32 %slot
  %r = cmpxchg ptr addrspace(3) %at, i32 -1, i32 %key monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  %next = add i32 %slot, 1
  %wrapped = and i32 %next, 1023
  br i1 %done, label %exit, label %loop
exit:
  %count = getelementptr [1024 x i32], ptr addrspace(3) @counts, i32 0, i32 %slot
  store i32 %key, ptr addrspace(3) %count
  ret void
}

; Places that are given back.
define ptx_kernel void @pool(ptr %p, i32 %start) {
entry:
  br label %loop
loop:
  %slot = phi i32 [ %start, %entry ], [ %wrapped, %loop ]
  %at = getelementptr i32, ptr %p, i32 %slot
  %r = cmpxchg ptr %at, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  %next = add i32 %slot, 1
  %wrapped = and i32 %next, 7
  br i1 %done, label %exit, label %loop
exit:
  %back = atomicrmw sub ptr %at, i32 1 monotonic
  ret void
}

; A swap that expects something else than it saw may fail though nobody got on.
define ptx_kernel void @lockBit(ptr %p) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr %p
  %open = and i32 %old, -2
  %shut = or i32 %old, 1
  %r = cmpxchg ptr %p, i32 %open, i32 %shut monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A counter that only 0 ends, and that is set to 0.
define ptx_kernel void @setBack(ptr %p) {
entry:
  br label %loop
loop:
  %old = atomicrmw add ptr %p, i32 1 monotonic
  %done = icmp eq i32 %old, 0
  br i1 %done, label %exit, label %loop
exit:
  %back = atomicrmw xchg ptr %p, i32 0 monotonic
  ret void
}

; The swap that fails was another thread's success.
define ptx_kernel void @retry(ptr %p) {
entry:
  %start = load i32, ptr %p
  br label %loop
loop:
  %old = phi i32 [ %start, %entry ], [ %now, %loop ]
  %new = mul i32 %old, 3
  %r = cmpxchg ptr %p, i32 %old, i32 %new monotonic monotonic
  %now = extractvalue { i32, i1 } %r, 0
  %done = icmp eq i32 %now, %old
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A root that another thread has not changed since is the last one.
define ptx_kernel void @roots(ptr %p, i32 %one, i32 %other) {
entry:
  br label %loop
loop:
  %a = phi i32 [ %one, %entry ], [ %a.next, %join ]
  %b = phi i32 [ %other, %entry ], [ %b.next, %join ]
  br label %walk
walk:
  %i = phi i32 [ %b, %loop ], [ %parent, %walk ]
  %at = getelementptr i32, ptr %p, i32 %i
  %parent = load i32, ptr %at
  %root = icmp eq i32 %parent, %i
  br i1 %root, label %choose, label %walk
choose:
  %less = icmp slt i32 %a, %i
  br i1 %less, label %lower, label %raise
lower:
  %old = atomicrmw min ptr %at, i32 %a monotonic
  %same = icmp eq i32 %old, %i
  br label %join
raise:
  %more = icmp sgt i32 %a, %i
  br i1 %more, label %swap, label %exit
swap:
  %at.a = getelementptr i32, ptr %p, i32 %a
  %seen.a = load i32, ptr %at.a
  %old.a = atomicrmw min ptr %at.a, i32 %i monotonic
  %same.a = icmp eq i32 %old.a, %seen.a
  br label %join
join:
  %done = phi i1 [ %same, %lower ], [ %same.a, %swap ]
  %a.next = phi i32 [ %a, %lower ], [ %old.a, %swap ]
  %b.next = phi i32 [ %old, %lower ], [ %i, %swap ]
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; What is found is where to try next, in those turns that try it.
define ptx_kernel void @hooks(ptr %p, i32 %one, i32 %other) {
entry:
  br label %loop
loop:
  %a = phi i32 [ %one, %entry ], [ %a.next, %join ]
  %b = phi i32 [ %other, %entry ], [ %b.next, %join ]
  %one.root = icmp eq i32 %a, %b
  br i1 %one.root, label %join, label %two
two:
  %less = icmp slt i32 %a, %b
  br i1 %less, label %high, label %try
high:
  %at.b = getelementptr i32, ptr %p, i32 %b
  %r.b = cmpxchg ptr %at.b, i32 %b, i32 %a monotonic monotonic
  %found.b = extractvalue { i32, i1 } %r.b, 0
  %same.b = icmp eq i32 %found.b, %b
  br label %join
try:
  %at.a = getelementptr i32, ptr %p, i32 %a
  %r.a = cmpxchg ptr %at.a, i32 %a, i32 %b monotonic monotonic
  %found.a = extractvalue { i32, i1 } %r.a, 0
  %same.a = icmp eq i32 %found.a, %a
  br label %join
join:
  %a.next = phi i32 [ %a, %loop ], [ %a, %high ], [ %found.a, %try ]
  %b.next = phi i32 [ %a, %loop ], [ %found.b, %high ], [ %b, %try ]
  %done = phi i1 [ true, %loop ], [ %same.b, %high ], [ %same.a, %try ]
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A number that others bring, not what was there.
define ptx_kernel void @least(ptr %p, i32 %wanted) {
entry:
  br label %loop
loop:
  %old = atomicrmw min ptr %p, i32 100 monotonic
  %done = icmp eq i32 %old, %wanted
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define ptx_kernel void @queue(ptr %next, ptr %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %next, i32 1 monotonic
  %at = getelementptr i32, ptr %out, i32 %i
  %more = icmp slt i32 %i, %n
  br i1 %more, label %work, label %exit
work:
  store i32 1, ptr %at
  br label %loop
exit:
  ret void
}

; All threads of the block come round together.
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @rounds(ptr %p) {
entry:
  br label %loop
loop:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load atomic i32, ptr %p monotonic, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %done = icmp ne i32 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; What is seen comes by way of the thread's own variable.
declare void @__heddle_load_pair(ptr, ptr)
define ptx_kernel void @pair(ptr %p) {
entry:
  %result = alloca [2 x i64]
  br label %loop
loop:
  call void @__heddle_load_pair(ptr %p, ptr %result)
  %at = getelementptr i64, ptr %result, i64 1
  %v = load i64, ptr %at
  %done = icmp ne i64 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
declare void @__heddle_cas128(ptr, ptr, ptr, ptr)
define ptx_kernel void @swapOfPairs(ptr %p) {
entry:
  %values = alloca [6 x i64]
  %desired = getelementptr i64, ptr %values, i64 2
  %result = getelementptr i64, ptr %values, i64 4
  store i128 0, ptr %values
  store i128 1, ptr %desired
  br label %loop
loop:
  call void @__heddle_cas128(ptr %p, ptr %values, ptr %desired, ptr %result)
  %v = load i64, ptr %result
  %done = icmp eq i64 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A search through pairs, and a variable that nobody else writes.
define ptx_kernel void @searchOfPairs(ptr %p) {
entry:
  %result = alloca [2 x i64]
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds [2 x i64], ptr %p, i64 %i
  call void @__heddle_load_pair(ptr %at, ptr %result)
  %v = load i64, ptr %result
  %next = add nuw nsw i64 %i, 1
  %done = icmp ne i64 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
define ptx_kernel void @ownVariable(ptr %p, i32 %n) {
entry:
  %list = alloca [64 x i32]
  call void @llvm.memcpy.p0.p0.i64(ptr %list, ptr %p, i64 256, i1 false)
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %list, i32 %i
  %next = load i32, ptr %at
  store i32 -1, ptr %at
  %done = icmp slt i32 %next, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; No other thread writes a thread's own variable, volatile as it is.
define ptx_kernel void @ownVolatile(ptr %p) {
entry:
  %left = alloca i32
  %n = load i32, ptr %p
  store volatile i32 %n, ptr %left
  br label %loop
loop:
  %now = load volatile i32, ptr %left
  %next = sub i32 %now, 1
  store volatile i32 %next, ptr %left
  %done = icmp eq i32 %next, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; What no loop polls with is an ordinary load.
; ONCE-LABEL: @cachedOnce
; ONCE: load i32, ptr %{{.*}}, align 4{{$}}
; ONCE-NOT: fence
define ptx_kernel void @cachedOnce(ptr %p, ptr %out) {
entry:
  %v = load i32, ptr %p, align 4, !nontemporal !0
  call void asm sideeffect "", "~{memory}"()
  store i32 %v, ptr %out
  ret void
}
!0 = !{i32 1}
