// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaCreateChannelDesc<T>(): the channel format of a scalar or builtin vector type.
#ifndef HEDDLE_CHANNEL_DESCRIPTOR_H
#define HEDDLE_CHANNEL_DESCRIPTOR_H
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"
#include "vector_types.h"

#if defined(__cplusplus)
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define HEDDLE_CHANNEL(T, bits, count, kind)                                                       \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<T>() {                            \
    return cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0,                 \
                                 count > 3 ? bits : 0, cudaChannelFormatKind##kind);               \
  }
#define HEDDLE_CHANNELS(T, vector, bits, kind)                                                     \
  HEDDLE_CHANNEL(T, bits, 1, kind)                                                                 \
  HEDDLE_CHANNEL(vector##1, bits, 1, kind)                                                         \
  HEDDLE_CHANNEL(vector##2, bits, 2, kind)                                                         \
  HEDDLE_CHANNEL(vector##4, bits, 4, kind)
HEDDLE_CHANNEL(char, 8, 1, Signed)
HEDDLE_CHANNELS(signed char, char, 8, Signed)
HEDDLE_CHANNELS(unsigned char, uchar, 8, Unsigned)
HEDDLE_CHANNELS(short, short, 16, Signed)
HEDDLE_CHANNELS(unsigned short, ushort, 16, Unsigned)
HEDDLE_CHANNELS(int, int, 32, Signed)
HEDDLE_CHANNELS(unsigned int, uint, 32, Unsigned)
HEDDLE_CHANNELS(float, float, 32, Float)
#undef HEDDLE_CHANNEL
#undef HEDDLE_CHANNELS

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() {
  return cudaCreateChannelDescHalf();
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescNV12() {
  return cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindNV12);
}
#endif

#endif
