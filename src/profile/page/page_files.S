// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of the HTML report as texts that end with a zero. The build
// gives their folder as one of includes.
.macro file name, path
  .hidden \name
  .globl \name
\name:
  .incbin "\path"
  .byte 0
.endm
  .section .rodata
  file heddlePageHtml, "page.html"
  file heddlePageCss, "page.css"
  file heddlePageScript, "page.js"
  file heddlePictureCss, "picture.css"
  .section .note.GNU-stack,"",%progbits
