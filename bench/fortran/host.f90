! Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The five kernels as loops of the host with OpenMP, for `flang-22 -O3 -fopenmp`.
module host_loops
  use sizes
  implicit none
contains
  subroutine transposeHost(odata, idata)
    real, intent(out) :: odata(matrix, matrix)
    real, intent(in) :: idata(matrix, matrix)
    integer :: i, j, bi, bj
    !$omp parallel do collapse(2) private(i, j)
    do bj = 0, matrix - tile, tile
      do bi = 0, matrix - tile, tile
        do j = bj + 1, bj + tile
          do i = bi + 1, bi + tile
            odata(i, j) = idata(j, i)
          end do
        end do
      end do
    end do
  end subroutine

  pure integer function around(i)
    integer, intent(in) :: i
    around = i
    if (i < 1) around = i + cube - 1
    if (i > cube) around = i - cube + 1
  end function

  subroutine derivativeXHost(f, df, c)
    real, intent(in) :: f(cube, cube, cube), c(4)
    real, intent(out) :: df(cube, cube, cube)
    real :: line(-3:cube + 4)
    integer :: i, j, k
    !$omp parallel do collapse(2) private(i, line)
    do k = 1, cube
      do j = 1, cube
        line(1:cube) = f(:, j, k)
        line(-3:0) = f(cube - 4:cube - 1, j, k)
        line(cube + 1:cube + 4) = f(2:5, j, k)
        do i = 1, cube
          df(i, j, k) = c(1) * (line(i + 1) - line(i - 1)) + c(2) * (line(i + 2) - line(i - 2)) &
              + c(3) * (line(i + 3) - line(i - 3)) + c(4) * (line(i + 4) - line(i - 4))
        end do
      end do
    end do
  end subroutine

  subroutine derivativeYHost(f, df, c)
    real, intent(in) :: f(cube, cube, cube), c(4)
    real, intent(out) :: df(cube, cube, cube)
    integer :: i, j, k
    !$omp parallel do collapse(2) private(i)
    do k = 1, cube
      do j = 1, cube
        do i = 1, cube
          df(i, j, k) = c(1) * (f(i, around(j + 1), k) - f(i, around(j - 1), k)) &
              + c(2) * (f(i, around(j + 2), k) - f(i, around(j - 2), k)) &
              + c(3) * (f(i, around(j + 3), k) - f(i, around(j - 3), k)) &
              + c(4) * (f(i, around(j + 4), k) - f(i, around(j - 4), k))
        end do
      end do
    end do
  end subroutine

  subroutine derivativeZHost(f, df, c)
    real, intent(in) :: f(cube, cube, cube), c(4)
    real, intent(out) :: df(cube, cube, cube)
    integer :: i, j, k
    !$omp parallel do collapse(2) private(i)
    do k = 1, cube
      do j = 1, cube
        do i = 1, cube
          df(i, j, k) = c(1) * (f(i, j, around(k + 1)) - f(i, j, around(k - 1))) &
              + c(2) * (f(i, j, around(k + 2)) - f(i, j, around(k - 2))) &
              + c(3) * (f(i, j, around(k + 3)) - f(i, j, around(k - 3))) &
              + c(4) * (f(i, j, around(k + 4)) - f(i, j, around(k - 4)))
        end do
      end do
    end do
  end subroutine

  subroutine jacobiHost(a, new)
    real, intent(in) :: a(mesh, mesh)
    real, intent(out) :: new(mesh, mesh)
    integer :: i, j
    !$omp parallel do private(i)
    do j = 2, mesh - 1
      do i = 2, mesh - 1
        new(i, j) = 0.2 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)) &
            + 0.05 * (a(i - 1, j - 1) + a(i + 1, j - 1) + a(i - 1, j + 1) + a(i + 1, j + 1))
      end do
    end do
  end subroutine

  integer function countHost(x, y)
    real, intent(in) :: x(points), y(points)
    integer :: i, inside
    inside = 0
    !$omp parallel do reduction(+: inside)
    do i = 1, points
      if (x(i) * x(i) + y(i) * y(i) <= 1) inside = inside + 1
    end do
    countHost = inside
  end function

  subroutine saxpyHost(a, x, y)
    real, intent(in) :: a, x(vector)
    real, intent(inout) :: y(vector)
    integer :: i
    !$omp parallel do
    do i = 1, vector
      y(i) = a * x(i) + y(i)
    end do
  end subroutine
end module
