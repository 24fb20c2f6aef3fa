// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device library's bitcode as data. The build defines HEDDLE_DEVLIB as its path.
  .section .rodata
  .hidden heddleDevlibBegin
  .hidden heddleDevlibEnd
  .globl heddleDevlibBegin
  .globl heddleDevlibEnd
  .balign 16
heddleDevlibBegin:
#ifdef HEDDLE_DEVLIB
  .incbin HEDDLE_DEVLIB
#endif
heddleDevlibEnd:
  .section .note.GNU-stack,"",%progbits
