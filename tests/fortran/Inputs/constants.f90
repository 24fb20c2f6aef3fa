! Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! For shared_constants.cuf.
module constants
  implicit none
  real(8), parameter :: weights(5) = [1d0, 2d0, 3d0, 2d0, 1d0] / 9, scale = 1.5d0
  integer, parameter :: offsets(2, 3) = reshape([1, 0, 0, 1, 4, 7], [2, 3])
  type pair
    integer :: a(3)
    real :: b
  end type
  type(pair), parameter :: pairs(2) = [pair([1, 2, 3], 0.5), pair([4, 5, 6], 1.5)]
  complex, parameter :: roots(2) = [(1.0, -1.0), (0.0, 2.0)]
  character, parameter :: letters(2) = ['x', 'y']
end module
