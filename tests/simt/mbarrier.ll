; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A change of an mbarrier object is one compare-and-swap, tried until it succeeds: not a loop that polls. A loop around
; a look at the object is one.
; RUN: %build/bin/heddle-warp -kernel arrive -block 32 -last-pass mark-polls %s | FileCheck %s --check-prefix=ARRIVE
; RUN: %build/bin/heddle-warp -kernel wait -block 32 -last-pass mark-polls %s | FileCheck %s --check-prefix=WAIT

@barrier = internal addrspace(3) global i64 undef, align 8

; ARRIVE-LABEL: define {{.*}}@arrive
; ARRIVE: load volatile i64
; ARRIVE: cmpxchg ptr {{.*}} monotonic monotonic, align 8
; ARRIVE-NOT: heddle.yield
; ARRIVE: ret void
define ptx_kernel void @arrive(ptr %out) {
  %b = addrspacecast ptr addrspace(3) @barrier to ptr
  %state = call i64 @__heddle_mbarrier_change(ptr %b, i32 1, i32 0, i64 0)
  store i64 %state, ptr %out
  ret void
}

; WAIT-LABEL: define {{.*}}@wait
; WAIT: load volatile i64
; WAIT: call void @heddle.yield()
define ptx_kernel void @wait(ptr %out) {
  %b = addrspacecast ptr addrspace(3) @barrier to ptr
  br label %look
look:
  %now = load volatile i64, ptr %b
  %over = icmp slt i64 %now, 0
  br i1 %over, label %done, label %look
done:
  store i64 %now, ptr %out
  ret void
}
declare i64 @__heddle_mbarrier_change(ptr, i32, i32, i64)
