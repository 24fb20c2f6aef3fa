// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What FFTW has measured, kept between processes: <cache>/fftw/<float|double>, where <cache> is the
// folder of the compiled kernels (docs/jit.md): CUDA_CACHE_PATH, or heddle in the user's cache
// folder. CUDA_CACHE_DISABLE=1 turns it off. As with kernels, a folder or file that others may
// write to is not used. Callers hold Planning.
#pragma once

namespace heddle::fft {

/// Gives FFTW what earlier processes kept.
template <typename T> void readWisdom();

/// Keeps what FFTW knows by now, together with what others have kept meanwhile.
template <typename T> void keepWisdom();

extern template void readWisdom<float>();
extern template void readWisdom<double>();
extern template void keepWisdom<float>();
extern template void keepWisdom<double>();

} // namespace heddle::fft
