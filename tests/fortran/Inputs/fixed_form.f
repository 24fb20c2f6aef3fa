C     Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
C     SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
C
C     For fixed_form.test. A comment with texture, and ballot(1).
      module m
      implicit none
      real, texture, pointer :: aTex(:)                                 , texture
      type pair
         real :: a, b
      end type
      interface operator(+)
         module procedure addPairs
      end interface
!@cuf integer, device :: lanes
      contains
      attributes(device) function addPairs(p, q) result(r)
      type(pair), intent(in) :: p, q
      type(pair) :: r
      r%a = p%a + q%a
      r%b = p%b + q%b
      end function
      attributes(global) subroutine k(o, n)
      use cudafor ! texture
      real :: o(*)
      integer, value ::
     &   n
      integer :: i, mask
      i = threadIdx%x
      mask = ballot(i > 0)
      if (i == 1) lanes = popcnt(mask) + __shfl(0, 0)
      if (i <= n) o(i) = aTex(i)
      end subroutine
      attributes(global) subroutine sums(o)
      use cudafor
      real :: o(*)
      real :: v(3)
      type(pair) :: p
      v = [3, 4, 5]
      o(1) = sum(v)
      p = pair(1., 1.) + pair(2., 2.)
      o(2) = p%b
#ifdef WRONG
      call wrong(o)
#endif
      end subroutine
      end module
      program p
      use m
      implicit none
      real, device, target :: a_d(4)
      real, device :: o_d(4)
      real :: o(4)
      integer :: n
      a_d = [1.5, 2.5, 3.5, 4.5]
      aTex => a_d
      call k<<<1, 32>>>(o_d, 4)
      o = o_d
      n = lanes
      print '(a, 4(1x, f0.1))', 'texture', o
      print '(a, 1x, i0)', 'lanes', n
      call sums<<<1, 1>>>(o_d)
      o = o_d
      print '(2(a, 1x, f0.0, 1x))', 'sum', o(1), 'operator', o(2)
      end program
