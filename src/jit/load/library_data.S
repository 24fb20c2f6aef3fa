// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device library's bitcode as data, and that of its scalar part and of GPUs. The build defines
// HEDDLE_DEVLIB, HEDDLE_DEVLIB_SCALAR and HEDDLE_DEVLIB_GPU as their paths.
  .section .rodata
  .hidden heddleDevlibBegin
  .hidden heddleDevlibEnd
  .hidden heddleDevlibScalarBegin
  .hidden heddleDevlibScalarEnd
  .hidden heddleDevlibGpuBegin
  .hidden heddleDevlibGpuEnd
  .globl heddleDevlibGpuBegin
  .globl heddleDevlibGpuEnd
  .globl heddleDevlibBegin
  .globl heddleDevlibEnd
  .globl heddleDevlibScalarBegin
  .globl heddleDevlibScalarEnd
  .balign 16
heddleDevlibBegin:
#ifdef HEDDLE_DEVLIB
  .incbin HEDDLE_DEVLIB
#endif
heddleDevlibEnd:
  .balign 16
heddleDevlibScalarBegin:
#ifdef HEDDLE_DEVLIB_SCALAR
  .incbin HEDDLE_DEVLIB_SCALAR
#endif
heddleDevlibScalarEnd:
  .balign 16
heddleDevlibGpuBegin:
#ifdef HEDDLE_DEVLIB_GPU
  .incbin HEDDLE_DEVLIB_GPU
#endif
heddleDevlibGpuEnd:
  .section .note.GNU-stack,"",%progbits
