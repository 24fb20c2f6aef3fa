// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How data lies on several devices (cuFFT API Reference, "Multiple GPU Data Organization").
#pragma once

#include "fft/problem.h"

#include <cufftXt.h>

#include <vector>

namespace heddle::fft {

/// The data of an in-place transform as boxes of complex elements: `outer` slices of `middle` rows
/// of `inner`. Real rows are as long as the complex ones. One of the first two dimensions is what
/// the devices share.
struct Boxes {
  int64_t outer, middle, inner;
  size_t bytes; ///< of an element
};

Boxes boxesOf(const Problem &problem);

/// True for data in the order of the host, of which each device has some slices; false for data as
/// a transform leaves them, of which each device has some rows of all slices.
bool isNatural(cufftXtSubFormat format);

/// The part of one device, in elements of the dimension that is shared.
struct Share {
  int64_t begin, count;
};

Share shareOf(const Boxes &boxes, bool natural, int device, int devices);

/// The bytes that a device's share takes.
size_t shareBytes(const Boxes &boxes, bool natural, Share share);

/// Copies between the shares of all devices and one array in the order of the host.
void gather(const Boxes &boxes, bool natural, const std::vector<void *> &shares, void *array);
void scatter(const Boxes &boxes, bool natural, const std::vector<void *> &shares,
             const void *array);

} // namespace heddle::fft
