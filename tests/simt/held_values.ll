; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A thread that holds forty numbers at once in straight code gets a register for each: 16 lanes with AVX-512, 8 with
; AVX2.
; RUN: %build/bin/heddle-warp -width 0 -block 128 %s | FileCheck %s --check-prefix=WIDE
; RUN: %build/bin/heddle-warp -width 0 -block 128 -target-cpu x86-64-v3 %s | FileCheck %s --check-prefix=NARROW

; WIDE: define internal void @kernel.thread.warp({{.*}}<16 x i1> %active)
; NARROW: define internal void @kernel.thread.warp({{.*}}<8 x i1> %active)

define ptx_kernel void @kernel(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext nneg i32 %t to i64
  %first = getelementptr float, ptr %in, i64 %t64
  %x0 = load float, ptr %first
  %p1 = getelementptr float, ptr %first, i64 128
  %x1 = load float, ptr %p1
  %p2 = getelementptr float, ptr %first, i64 256
  %x2 = load float, ptr %p2
  %p3 = getelementptr float, ptr %first, i64 384
  %x3 = load float, ptr %p3
  %p4 = getelementptr float, ptr %first, i64 512
  %x4 = load float, ptr %p4
  %p5 = getelementptr float, ptr %first, i64 640
  %x5 = load float, ptr %p5
  %p6 = getelementptr float, ptr %first, i64 768
  %x6 = load float, ptr %p6
  %p7 = getelementptr float, ptr %first, i64 896
  %x7 = load float, ptr %p7
  %p8 = getelementptr float, ptr %first, i64 1024
  %x8 = load float, ptr %p8
  %p9 = getelementptr float, ptr %first, i64 1152
  %x9 = load float, ptr %p9
  %p10 = getelementptr float, ptr %first, i64 1280
  %x10 = load float, ptr %p10
  %p11 = getelementptr float, ptr %first, i64 1408
  %x11 = load float, ptr %p11
  %p12 = getelementptr float, ptr %first, i64 1536
  %x12 = load float, ptr %p12
  %p13 = getelementptr float, ptr %first, i64 1664
  %x13 = load float, ptr %p13
  %p14 = getelementptr float, ptr %first, i64 1792
  %x14 = load float, ptr %p14
  %p15 = getelementptr float, ptr %first, i64 1920
  %x15 = load float, ptr %p15
  %p16 = getelementptr float, ptr %first, i64 2048
  %x16 = load float, ptr %p16
  %p17 = getelementptr float, ptr %first, i64 2176
  %x17 = load float, ptr %p17
  %p18 = getelementptr float, ptr %first, i64 2304
  %x18 = load float, ptr %p18
  %p19 = getelementptr float, ptr %first, i64 2432
  %x19 = load float, ptr %p19
  %p20 = getelementptr float, ptr %first, i64 2560
  %x20 = load float, ptr %p20
  %p21 = getelementptr float, ptr %first, i64 2688
  %x21 = load float, ptr %p21
  %p22 = getelementptr float, ptr %first, i64 2816
  %x22 = load float, ptr %p22
  %p23 = getelementptr float, ptr %first, i64 2944
  %x23 = load float, ptr %p23
  %p24 = getelementptr float, ptr %first, i64 3072
  %x24 = load float, ptr %p24
  %p25 = getelementptr float, ptr %first, i64 3200
  %x25 = load float, ptr %p25
  %p26 = getelementptr float, ptr %first, i64 3328
  %x26 = load float, ptr %p26
  %p27 = getelementptr float, ptr %first, i64 3456
  %x27 = load float, ptr %p27
  %p28 = getelementptr float, ptr %first, i64 3584
  %x28 = load float, ptr %p28
  %p29 = getelementptr float, ptr %first, i64 3712
  %x29 = load float, ptr %p29
  %p30 = getelementptr float, ptr %first, i64 3840
  %x30 = load float, ptr %p30
  %p31 = getelementptr float, ptr %first, i64 3968
  %x31 = load float, ptr %p31
  %p32 = getelementptr float, ptr %first, i64 4096
  %x32 = load float, ptr %p32
  %p33 = getelementptr float, ptr %first, i64 4224
  %x33 = load float, ptr %p33
  %p34 = getelementptr float, ptr %first, i64 4352
  %x34 = load float, ptr %p34
  %p35 = getelementptr float, ptr %first, i64 4480
  %x35 = load float, ptr %p35
  %p36 = getelementptr float, ptr %first, i64 4608
  %x36 = load float, ptr %p36
  %p37 = getelementptr float, ptr %first, i64 4736
  %x37 = load float, ptr %p37
  %p38 = getelementptr float, ptr %first, i64 4864
  %x38 = load float, ptr %p38
  %p39 = getelementptr float, ptr %first, i64 4992
  %x39 = load float, ptr %p39
  %s39 = fadd float %x0, %x39
  %s38 = fadd float %s39, %x38
  %s37 = fadd float %s38, %x37
  %s36 = fadd float %s37, %x36
  %s35 = fadd float %s36, %x35
  %s34 = fadd float %s35, %x34
  %s33 = fadd float %s34, %x33
  %s32 = fadd float %s33, %x32
  %s31 = fadd float %s32, %x31
  %s30 = fadd float %s31, %x30
  %s29 = fadd float %s30, %x29
  %s28 = fadd float %s29, %x28
  %s27 = fadd float %s28, %x27
  %s26 = fadd float %s27, %x26
  %s25 = fadd float %s26, %x25
  %s24 = fadd float %s25, %x24
  %s23 = fadd float %s24, %x23
  %s22 = fadd float %s23, %x22
  %s21 = fadd float %s22, %x21
  %s20 = fadd float %s21, %x20
  %s19 = fadd float %s20, %x19
  %s18 = fadd float %s19, %x18
  %s17 = fadd float %s18, %x17
  %s16 = fadd float %s17, %x16
  %s15 = fadd float %s16, %x15
  %s14 = fadd float %s15, %x14
  %s13 = fadd float %s14, %x13
  %s12 = fadd float %s13, %x12
  %s11 = fadd float %s12, %x11
  %s10 = fadd float %s11, %x10
  %s9 = fadd float %s10, %x9
  %s8 = fadd float %s9, %x8
  %s7 = fadd float %s8, %x7
  %s6 = fadd float %s7, %x6
  %s5 = fadd float %s6, %x5
  %s4 = fadd float %s5, %x4
  %s3 = fadd float %s4, %x3
  %s2 = fadd float %s3, %x2
  %s1 = fadd float %s2, %x1
  %to = getelementptr float, ptr %out, i64 %t64
  store float %s1, ptr %to
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
