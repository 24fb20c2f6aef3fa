! Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module plain
contains
 integer function twice(i)
  integer, intent(in) :: i
  twice = 2*i
 end function
end module
