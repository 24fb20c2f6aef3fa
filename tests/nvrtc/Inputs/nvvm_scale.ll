; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

define double @scale(double %x) {
  %r = fmul double %x, 3.0
  ret double %r
}
