/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   on_libgomp.cpp as bitcode, for use_libgomp.cpp. */
  .section .rodata,"a",%progbits
  .p2align 4
  .globl heddle_on_libgomp_begin, heddle_on_libgomp_end
  .hidden heddle_on_libgomp_begin, heddle_on_libgomp_end
heddle_on_libgomp_begin:
  .incbin HEDDLE_ON_LIBGOMP
heddle_on_libgomp_end:
  .section .note.GNU-stack,"",%progbits
