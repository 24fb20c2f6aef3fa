// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_RTC_CCCL_STDIO_H
#define HEDDLE_RTC_CCCL_STDIO_H
// printf is known to every program.
#endif
