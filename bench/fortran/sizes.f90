! Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The sizes of the benchmarks in CUDA Fortran; kernels.cu has the same.
module sizes
  integer, parameter :: matrix = 2048 ! of the transpose
  integer, parameter :: tile = 32, rows = 8
  integer, parameter :: cube = 64, few = 4, many = 32 ! of the derivative, and its tiles' widths
  integer, parameter :: mesh = 2048, width = 32, height = 16 ! of Laplace's equation, and its blocks
  integer, parameter :: points = 4 * 1024 * 1024, blocks = 256, threads = 512 ! of the Monte Carlo method
  integer, parameter :: vector = 4 * 1024 * 1024 ! of saxpy
end module
