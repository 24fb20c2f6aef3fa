// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of the samples (helper_string.h).
#pragma once

#include <cstddef>
#include <pthread.h>

typedef pthread_t CUTThread;
typedef void *(*CUT_THREADROUTINE)(void *);
#ifndef CUT_THREADPROC
#define CUT_THREADPROC void *
#define CUT_THREADEND return NULL
#endif

inline CUTThread cutStartThread(CUT_THREADROUTINE routine, void *data) {
  pthread_t thread;
  pthread_create(&thread, NULL, routine, data);
  return thread;
}
inline void cutEndThread(CUTThread thread) { pthread_join(thread, NULL); }
inline void cutWaitForThreads(const CUTThread *threads, int count) {
  for (int i = 0; i < count; ++i)
    cutEndThread(threads[i]);
}
