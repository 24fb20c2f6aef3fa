// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the program that load and store a plan's elements (cuFFT API Reference, "cuFFT
// Callback Routines").
//
// A callback is a device function, and its address means something only in the device code that it
// was linked with. So the kernels that call callbacks are linked with the program's: they are in
// libcufft_static.a alone, as with NVIDIA's, in relocatable device code (callbacks.cu). FFTW cannot
// call a function for each element; a kernel in front of it loads all elements into memory of the
// plan, and one behind it stores them from there. The layouts of this memory are those of the
// program's, so an element has one offset in both.
#pragma once

#include "fft/problem.h"

#include <cuda_runtime_api.h>

namespace heddle::fft {

struct Callback {
  void *routine = nullptr; ///< of the device; null: an element is what lies in memory
  void *info = nullptr;    ///< what the program gets back
  size_t sharedBytes = 0;  ///< of dynamic shared memory for each block
};

/// One side's elements, between the program's memory and the plan's.
struct Passage {
  Problem problem;
  bool input, inPlace;
  Callback callback;
  void *data; ///< the program's
  void *room; ///< the plan's
};

/// A plan's callbacks, and what they need.
struct Callbacks {
  Callback load, store;
  void *rooms[2] = {}; ///< for the input and the output; both for either
  cudaError_t (*pass)(const Passage &,
                      cudaStream_t) = nullptr; ///< of callbacks.cu, if there are callbacks

  bool any() const { return load.routine || store.routine; }
};

} // namespace heddle::fft
