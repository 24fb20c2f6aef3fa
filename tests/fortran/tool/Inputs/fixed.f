C Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
C SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
      program fixed
      print '(a)',                                           'a line of more than 72 columns'
      end
