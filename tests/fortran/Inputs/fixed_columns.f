C     Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
C     SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
C     For fixed_columns.test. What stands behind column 72 is no code; names and text go on
C     in the next line.
      module m
      real,                                                      textured
     &, pointer :: t(:)
      real, texture,                                                points
     &ter :: u(:)
      contains
      attributes(global) subroutine k(o)
      real :: o(*)
      o(threadIdx%x) = t(threadIdx%x) + u(threadIdx%x)
      end subroutine
      end module
      program p
      use m
      real, device, target :: a(4), b(4)
      real, device :: o_d(4)
      real :: o(4)
      character(40) :: text
      text = ' ;'
      text =                                                  'one, textzz'
     &ure, end; call nothing()'
      a = [1., 2., 3., 4.]
      b = [10., 20., 30., 40.]
      t => a
      u => b
      call k<<<1, 4>>>(o_d)
      o = o_d
      print '(a, 4(1x, f0.1))', trim(text), o
      end program
