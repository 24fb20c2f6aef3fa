! Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program kinds
  print '(3(i0,1x))', kind(1.0), kind(1), len('ab\tcd')
end program
