; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A factor of all that a loop adds up is multiplied with the sums behind the loops, once for each sum.
; RUN: %build/bin/heddle-warp -block 32 -kernel sums -last-pass=factor-reductions %s | FileCheck %s
; Two products with the factor in one sum, one of them behind a choice.
; RUN: %build/bin/heddle-warp -block 32 -kernel joined -last-pass=factor-reductions %s | FileCheck %s --check-prefix=JOINED
; Not where something else is added, a sum does not start at zero, the loop wants the factor, the order counts, or the
; factor is large.
; LEGAL factor-reductions: all addends
; RUN: %build/bin/heddle-warp -block 32 -kernel other -last-pass=factor-reductions %s | FileCheck %s --check-prefix=NONE
; LEGAL factor-reductions: starts at zero
; RUN: %build/bin/heddle-warp -block 32 -kernel start -last-pass=factor-reductions %s | FileCheck %s --check-prefix=NONE
; LEGAL factor-reductions: wanted behind
; RUN: %build/bin/heddle-warp -block 32 -kernel wanted -last-pass=factor-reductions %s | FileCheck %s --check-prefix=NONE
; LEGAL factor-reductions: once
; RUN: %build/bin/heddle-warp -block 32 -kernel square -last-pass=factor-reductions %s | FileCheck %s --check-prefix=NONE
; LEGAL factor-reductions: any order
; RUN: %build/bin/heddle-warp -block 32 -kernel strict -last-pass=factor-reductions %s | FileCheck %s --check-prefix=NONE
; LEGAL factor-reductions: small factor
; RUN: %build/bin/heddle-warp -block 32 -kernel large -last-pass=factor-reductions %s | FileCheck %s --check-prefix=LARGE
; RUN: %build/bin/heddle-warp -block 32 -kernel sums -disable factor-reductions -last-pass=factor-reductions %s | FileCheck %s --check-prefix=NONE

; CHECK-LABEL: define internal void @sums.thread
; CHECK: inner:
; CHECK-NOT: 1.500000e+00
; CHECK: fmul fast float %m, %m
; CHECK-NOT: 1.500000e+00
; CHECK: outer.end:
; CHECK-NOT: 1.500000e+00
; CHECK: end:
; CHECK: [[X:%.*]] = phi float
; CHECK: [[Y:%.*]] = phi float
; CHECK-DAG: [[WX:%.*]] = fmul fast float [[X]], 1.500000e+00
; CHECK-DAG: [[WY:%.*]] = fmul fast float [[Y]], 1.500000e+00
; CHECK: store float
; CHECK: ret void

; JOINED-LABEL: define internal void @joined.thread
; JOINED: inner:
; JOINED-NOT: 1.500000e+00
; JOINED: end:
; JOINED: fmul fast float {{.*}}, 1.500000e+00
; JOINED-NOT: 1.500000e+00
; JOINED: ret void

; NONE-LABEL: define internal void
; NONE: inner:
; NONE: fmul {{.*}}float {{.*}}, 1.500000e+00
; NONE: br i1
; NONE-NOT: 1.500000e+00
; NONE: ret void

; LARGE-LABEL: define internal void
; LARGE: inner:
; LARGE: fmul fast float {{.*}}, 1.700000e+01
; LARGE: ret void

define ptx_kernel void @sums(ptr %p, i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.end ]
  %x.out = phi float [ 0.0, %entry ], [ %x.next, %outer.end ]
  %y.out = phi float [ 0.0, %entry ], [ %y.next, %outer.end ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %x = phi float [ %x.out, %outer ], [ %x.next, %inner ]
  %y = phi float [ %y.out, %outer ], [ %y.next, %inner ]
  %q = getelementptr float, ptr %p, i32 %j
  %m = load volatile float, ptr %q
  %factor = fmul fast float %m, 1.5
  %f = fmul fast float %factor, %m
  %x.next = call fast float @llvm.fma.f32(float %f, float %m, float %x)
  %away = fneg fast float %f
  %y.next = fsub fast float %y, %away
  %j.next = add i32 %j, 1
  %more = icmp slt i32 %j.next, %n
  br i1 %more, label %inner, label %outer.end
outer.end:
  store volatile i32 %i, ptr %p
  %i.next = add i32 %i, 1
  %again = icmp slt i32 %i.next, %n
  br i1 %again, label %outer, label %end
end:
  store float %x.next, ptr %p
  %q.y = getelementptr float, ptr %p, i64 1
  store float %y.next, ptr %q.y
  %both = fmul fast float %y.next, %x.next
  store volatile float %both, ptr %p
  ret void
}

define ptx_kernel void @joined(ptr %p, i32 %n) {
entry:
  br label %inner
inner:
  %j = phi i32 [ 0, %entry ], [ %j.next, %inner ]
  %x = phi float [ 0.0, %entry ], [ %x.next, %inner ]
  %q = getelementptr float, ptr %p, i32 %j
  %m = load volatile float, ptr %q
  %k = load volatile float, ptr %q
  %weight = fmul fast float %m, 1.5
  %f = fmul fast float %weight, %m
  %other = fmul fast float %k, 1.5
  %g = fmul fast float %other, %k
  %first = fadd fast float %x, %f
  %is = fcmp fast olt float %k, 2.0
  %chosen = select i1 %is, float %g, float 0.0
  %x.next = fadd fast float %first, %chosen
  %j.next = add i32 %j, 1
  %more = icmp slt i32 %j.next, %n
  br i1 %more, label %inner, label %end
end:
  store float %x.next, ptr %p
  ret void
}

define ptx_kernel void @other(ptr %p, i32 %n) {
entry:
  br label %inner
inner:
  %j = phi i32 [ 0, %entry ], [ %j.next, %inner ]
  %x = phi float [ 0.0, %entry ], [ %x.next, %inner ]
  %q = getelementptr float, ptr %p, i32 %j
  %m = load volatile float, ptr %q
  %k = load volatile float, ptr %q
  %weight = fmul fast float %m, 1.5
  %f = fmul fast float %weight, %m
  %first = fadd fast float %x, %f
  %x.next = fadd fast float %first, %k
  %j.next = add i32 %j, 1
  %more = icmp slt i32 %j.next, %n
  br i1 %more, label %inner, label %end
end:
  store float %x.next, ptr %p
  ret void
}

define ptx_kernel void @start(ptr %p, i32 %n) {
entry:
  %begin = load float, ptr %p
  br label %inner
inner:
  %j = phi i32 [ 0, %entry ], [ %j.next, %inner ]
  %x = phi float [ %begin, %entry ], [ %x.next, %inner ]
  %q = getelementptr float, ptr %p, i32 %j
  %m = load volatile float, ptr %q
  %weight = fmul fast float %m, 1.5
  %f = fmul fast float %weight, %m
  %x.next = fadd fast float %x, %f
  %j.next = add i32 %j, 1
  %more = icmp slt i32 %j.next, %n
  br i1 %more, label %inner, label %end
end:
  store float %x.next, ptr %p
  ret void
}

define ptx_kernel void @wanted(ptr %p, i32 %n) {
entry:
  br label %inner
inner:
  %j = phi i32 [ 0, %entry ], [ %j.next, %inner ]
  %x = phi float [ 0.0, %entry ], [ %x.next, %inner ]
  %q = getelementptr float, ptr %p, i32 %j
  %m = load volatile float, ptr %q
  %weight = fmul fast float %m, 1.5
  %f = fmul fast float %weight, %m
  %x.next = fadd fast float %x, %f
  store volatile float %x.next, ptr %q
  %j.next = add i32 %j, 1
  %more = icmp slt i32 %j.next, %n
  br i1 %more, label %inner, label %end
end:
  store float %x.next, ptr %p
  ret void
}

define ptx_kernel void @square(ptr %p, i32 %n) {
entry:
  br label %inner
inner:
  %j = phi i32 [ 0, %entry ], [ %j.next, %inner ]
  %x = phi float [ 0.0, %entry ], [ %x.next, %inner ]
  %q = getelementptr float, ptr %p, i32 %j
  %m = load volatile float, ptr %q
  %k = load volatile float, ptr %q
  %sum = fadd fast float %m, %k
  %f = fmul fast float %sum, 1.5
  %x.next = call fast float @llvm.fma.f32(float %f, float %f, float %x)
  %j.next = add i32 %j, 1
  %more = icmp slt i32 %j.next, %n
  br i1 %more, label %inner, label %end
end:
  store float %x.next, ptr %p
  ret void
}

define ptx_kernel void @strict(ptr %p, i32 %n) {
entry:
  br label %inner
inner:
  %j = phi i32 [ 0, %entry ], [ %j.next, %inner ]
  %x = phi float [ 0.0, %entry ], [ %x.next, %inner ]
  %q = getelementptr float, ptr %p, i32 %j
  %m = load volatile float, ptr %q
  %weight = fmul fast float %m, 1.5
  %f = fmul fast float %weight, %m
  %x.next = fadd nnan ninf nsz arcp contract afn float %x, %f
  %j.next = add i32 %j, 1
  %more = icmp slt i32 %j.next, %n
  br i1 %more, label %inner, label %end
end:
  store float %x.next, ptr %p
  ret void
}

define ptx_kernel void @large(ptr %p, i32 %n) {
entry:
  br label %inner
inner:
  %j = phi i32 [ 0, %entry ], [ %j.next, %inner ]
  %x = phi float [ 0.0, %entry ], [ %x.next, %inner ]
  %q = getelementptr float, ptr %p, i32 %j
  %m = load volatile float, ptr %q
  %weight = fmul fast float %m, 17.0
  %f = fmul fast float %weight, %m
  %x.next = fadd fast float %x, %f
  %j.next = add i32 %j, 1
  %more = icmp slt i32 %j.next, %n
  br i1 %more, label %inner, label %end
end:
  store float %x.next, ptr %p
  ret void
}
