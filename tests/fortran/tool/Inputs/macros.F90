! Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program macros
#ifdef VALUE
  integer, parameter :: v = VALUE
#else
  integer, parameter :: v = -1
#endif
#ifdef _CUDA
  integer :: cuda = 1
#else
  integer :: cuda = 0
#endif
#ifdef __NVCOMPILER
  integer :: nvcompiler = 1
#else
  integer :: nvcompiler = 0
#endif
  print '(3(a,i0))', 'value ', v, ' cuda ', cuda, ' nvcompiler ', nvcompiler
end program
