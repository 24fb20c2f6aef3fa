// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C, "Image Read and Write Functions" and "Image Addressing and Filtering". The compiler makes
// __heddle_image_of and __heddle_sampler_of what they say.
//
// These functions can do all formats and samplers. A kernel has those parts only that its samplers and the
// formats of its images need: both are constants when it is compiled (frontend/opencl/specialize.cpp).
#include "base/abi/opencl_image.h"
#include "builtins.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

typedef struct HeddleClImage Image;
__attribute__((pure)) float __heddle_texture_srgb(ulong object, uint byte);
CONST_FUNCTION uint __heddle_sampler_of(sampler_t);

#define OneFloat 0x3f800000

/// The channels of a texel in the order that programs see: OpenCL C, "Image Channel Order".
static uint4 arrange(const global Image *image, uint4 v, uint one) {
  switch (image->order) {
  case CLK_R:
  case CLK_DEPTH:
    return (uint4)(v.x, 0, 0, one);
  case CLK_A:
    return (uint4)(0, 0, 0, v.x);
  case CLK_RG:
    return (uint4)(v.x, v.y, 0, one);
  case CLK_RA:
    return (uint4)(v.x, 0, 0, v.y);
  case CLK_BGRA:
  case CLK_sBGRA:
    return (uint4)(v.z, v.y, v.x, v.w);
  case CLK_ARGB:
    return (uint4)(v.y, v.z, v.w, v.x);
  case CLK_ABGR:
    return (uint4)(v.w, v.z, v.y, v.x);
  case CLK_INTENSITY:
    return (uint4)(v.x, v.x, v.x, v.x);
  case CLK_LUMINANCE:
    return (uint4)(v.x, v.x, v.x, one);
  default:
    return (uint4)(v.x, v.y, v.z, v.w);
  }
}

/// The same the other way round.
static uint4 disarrange(const global Image *image, uint4 v) {
  switch (image->order) {
  case CLK_A:
    return v.wwww;
  case CLK_RA:
    return v.xwww;
  case CLK_BGRA:
    return v.zyxw;
  case CLK_ARGB:
    return v.wxyz;
  case CLK_ABGR:
    return v.wzyx;
  default:
    return v;
  }
}

static float scaled(float value, float least, float most) {
  float v = value > 1 ? 1 : value < least ? least : value == value ? value : 0;
  return __builtin_rintf(v * most);
}

static uint encodeFloat(uint type, uint word) {
  float value = __builtin_astype(word, float);
  switch (type) {
  case CLK_SNORM_INT8:
    return (uint)(int)scaled(value, -1, 127);
  case CLK_SNORM_INT16:
    return (uint)(int)scaled(value, -1, 32767);
  case CLK_UNORM_INT8:
    return (uint)scaled(value, 0, 255);
  case CLK_UNORM_INT16:
    return (uint)scaled(value, 0, 65535);
  case CLK_HALF_FLOAT:
    return __builtin_astype((half)value, ushort);
  default:
    return word;
  }
}
static uint encodeInt(uint type, uint word) {
  int value = (int)word;
  int most = type == CLK_SIGNED_INT8 ? 127 : type == CLK_SIGNED_INT16 ? 32767 : 0x7fffffff;
  return (uint)(value > most ? most : value < -most - 1 ? -most - 1 : value);
}
static uint encodeUint(uint type, uint word) {
  uint most = type == CLK_UNSIGNED_INT8 ? 255 : type == CLK_UNSIGNED_INT16 ? 65535 : ~0u;
  return word > most ? most : word;
}

static void put(const global Image *image, uchar *to, uint4 v) {
  uint channels = image->channels, bytes = image->texelBytes / channels;
  uint words[4] = {v.x, v.y, v.z, v.w};
  for (uint c = 0; c < 4; ++c) {
    if (c >= channels)
      break;
    if (bytes == 1)
      to[c] = (uchar)words[c];
    else if (bytes == 2)
      ((ushort *)to)[c] = (ushort)words[c];
    else
      ((uint *)to)[c] = words[c];
  }
}

/// The texel at these indices, which lie inside.
static uchar *texelInside(const global Image *image, int x, int y, int slice) {
  return (uchar *)image->data + (ulong)(uint)slice * image->sliceBytes + (ulong)(uint)y * image->rowBytes +
         (ulong)(uint)x * image->texelBytes;
}

/// Null if they lie outside. An index that the image does not have is 0.
static uchar *texelAt(const global Image *image, int x, int y, int slice, bool isLayer) {
  const uint slices = isLayer ? image->layers : image->depth;
  const bool isIn = (uint)x < image->width && (!y || (uint)y < image->height) && (!slice || (uint)slice < slices);
  return isIn ? texelInside(image, x, y, slice) : 0;
}

static int layerOf(float layer, uint count) {
  float l = __builtin_rintf(layer);
  return l < 0 ? 0 : l > (float)(count - 1) ? (int)(count - 1) : (int)l;
}

// Indices, of a texel that is asked for by floats or by integers.
static OVERLOADABLE int indexOf(int i) { return i; }
static OVERLOADABLE int indexOf(float c) {
  float f = __builtin_floorf(c);
  return f >= 0x1p31f ? 0x7fffffff : f > -0x1p31f ? (int)f : -0x7fffffff - 1;
}
static OVERLOADABLE int layerIndex(int i, uint layers) { return i; }
static OVERLOADABLE int layerIndex(float c, uint layers) { return layerOf(c, layers); }
static int within(int i, uint count) {
  return __builtin_elementwise_max(0, __builtin_elementwise_min(i, (int)count - 1));
}

/// A texel's channels as they lie there, of 8, 16 or 32 bits; 0 where it has none.
static uint4 channelsAt(const uchar *at, uint channels, uint bytes) {
  uint4 v = 0;
  if (bytes == 1) {
    uint all = channels == 4 ? *(const uint *)at : channels == 2 ? *(const ushort *)at : *at;
    return (uint4)(all & 255, all >> 8 & 255, all >> 16 & 255, all >> 24);
  }
  if (bytes == 2) {
    ulong all = channels == 4 ? *(const ulong *)at : channels == 2 ? *(const uint *)at : *(const ushort *)at;
    return (uint4)((uint)all & 65535, (uint)all >> 16, (uint)(all >> 32) & 65535, (uint)(all >> 48));
  }
  v.x = *(const uint *)at;
  if (channels > 1)
    v.y = ((const uint *)at)[1];
  if (channels > 2) {
    v.z = ((const uint *)at)[2];
    v.w = ((const uint *)at)[3];
  }
  return v;
}

#define FLOATS(v) __builtin_convertvector(v, float4)
#define SIGNED(v, bits) __builtin_convertvector(__builtin_astype((v) << (32 - (bits)), int4) >> (32 - (bits)), float4)
static uint4 wordsOf(float4 v) { return __builtin_astype(v, uint4); }

static uint4 decodeFloat(const global Image *image, uint4 v) {
  switch (image->type) {
  case CLK_UNORM_INT8:
    if (image->order == CLK_sRGBA || image->order == CLK_sBGRA) {
      ulong t = image->texture;
      return wordsOf((float4)(__heddle_texture_srgb(t, v.x), __heddle_texture_srgb(t, v.y),
                              __heddle_texture_srgb(t, v.z), (float)v.w / 255.0f));
    }
    return wordsOf(FLOATS(v) / 255.0f);
  case CLK_UNORM_INT16:
    return wordsOf(FLOATS(v) / 65535.0f);
  case CLK_SNORM_INT8:
    return wordsOf(__builtin_elementwise_max(SIGNED(v, 8) / 127.0f, (float4)-1.0f));
  case CLK_SNORM_INT16:
    return wordsOf(__builtin_elementwise_max(SIGNED(v, 16) / 32767.0f, (float4)-1.0f));
  case CLK_HALF_FLOAT:
    return wordsOf(FLOATS(__builtin_astype(__builtin_convertvector(v, ushort4), half4)));
  default:
    return v;
  }
}
static uint4 decodeInt(const global Image *image, uint4 v) {
  uint unused = image->type == CLK_SIGNED_INT8 ? 24 : image->type == CLK_SIGNED_INT16 ? 16 : 0;
  return __builtin_astype(__builtin_astype(v << unused, int4) >> (int)unused, uint4);
}
static uint4 decodeUint(const global Image *image, uint4 v) { return v; }

/// The texel at these indices. Outside, it is the nearest one, or nothing.
static uint4 texel(const global Image *image, uint dimensions, bool hasBorder, int x, int y, int slice, bool isLayer) {
  int column = within(x, image->width), row = dimensions > 1 ? within(y, image->height) : 0;
  int behind = isLayer || dimensions > 2 ? within(slice, isLayer ? image->layers : image->depth) : 0;
  uint4 v = channelsAt(texelInside(image, column, row, behind), image->channels, image->texelBytes / image->channels);
  if (hasBorder && (x != column || y != row || (dimensions > 2 && slice != behind)))
    v = 0;
  return v;
}

/// The texels along an axis that a sample lies between, or its texel twice; how much of the second; whether
/// the border is not there.
typedef struct {
  int first, second;
  float part;
  bool isFirstIn, isSecondIn;
} Axis;

static Axis axisOf(uint sampler, uint count, float at) {
  const uint mode = sampler & 14;
  const int extent = (int)count;
  float u = at;
  if (sampler & CLK_NORMALIZED_COORDS_TRUE) {
    if (mode == CLK_ADDRESS_REPEAT)
      u -= __builtin_floorf(u);
    else if (mode == CLK_ADDRESS_MIRRORED_REPEAT)
      u = __builtin_fabsf(u - 2.0f * __builtin_rintf(0.5f * u));
    u *= (float)extent;
  }
  if (sampler & CLK_FILTER_LINEAR)
    u -= 0.5f;
  const float whole = __builtin_floorf(u);
  const float bounded = whole > -2.0f ? whole < (float)extent + 1.0f ? whole : (float)extent + 1.0f : -2.0f;
  Axis axis = {(int)bounded, (int)bounded + 1, u - whole, true, true};
  if (mode == CLK_ADDRESS_REPEAT) {
    axis.first += axis.first < 0 ? extent : 0;
    axis.first -= axis.first >= extent ? extent : 0;
    axis.second -= axis.second >= extent ? extent : 0;
  }
  const int first = within(axis.first, count), second = within(axis.second, count);
  if (mode == CLK_ADDRESS_CLAMP) {
    axis.isFirstIn = first == axis.first;
    axis.isSecondIn = second == axis.second;
  }
  axis.first = first;
  axis.second = second;
  return axis;
}

/// The words of a sample: of one texel, or (filters) of floats between 2, 4 or 8.
#define SAMPLE(kind, filters)                                                                      \
  static uint4 sample_##kind(const global Image *image, uint sampler, uint dimensions, float x, float y, float z, \
                             int layer, bool isLayer) {                                            \
    const Axis none = {0, 0, 0, true, true}, ax = axisOf(sampler, image->width, x);                \
    const Axis ay = dimensions > 1 ? axisOf(sampler, image->height, y) : none;                     \
    const Axis az = dimensions > 2 ? axisOf(sampler, image->depth, z) : none;                      \
    const bool isLinear = filters && (sampler & CLK_FILTER_LINEAR);                                \
    float4 sum = 0;                                                                                \
    _Pragma("unroll") for (uint corner = 0; corner < 8; ++corner) {                                \
      const bool right = corner & 1, below = corner & 2, behind = corner & 4;                      \
      if (corner >> dimensions)                                                                    \
        break;                                                                                     \
      const int column = right ? ax.second : ax.first, row = below ? ay.second : ay.first;         \
      const int slice = isLayer ? layer : behind ? az.second : az.first;                           \
      const uchar *at = texelInside(image, column, row, slice);                                    \
      uint4 v = channelsAt(at, image->channels, image->texelBytes / image->channels);              \
      v = (right ? ax.isSecondIn : ax.isFirstIn) && (below ? ay.isSecondIn : ay.isFirstIn) &&      \
                  (behind ? az.isSecondIn : az.isFirstIn)                                          \
              ? v                                                                                  \
              : 0;                                                                                 \
      v = DECODE_##kind(image, v);                                                                 \
      if (!isLinear)                                                                               \
        return v;                                                                                  \
      sum += (right ? ax.part : 1 - ax.part) *                                                     \
             (dimensions < 2 ? 1 : below ? ay.part : 1 - ay.part) *                                \
             (dimensions < 3 ? 1 : behind ? az.part : 1 - az.part) * __builtin_astype(v, float4);  \
    }                                                                                              \
    return wordsOf(sum);                                                                           \
  }

/// A sampler that neither filters, nor repeats, nor takes coordinates between 0 and 1.
#define IS_OF_TEXELS(sampler) (!((sampler) & (CLK_FILTER_LINEAR | CLK_NORMALIZED_COORDS_TRUE)) && ((sampler) & 14) < 6)
#define HAS_BORDER(sampler) (((sampler) & 14) == CLK_ADDRESS_CLAMP)

#define AS_f(v) __builtin_astype(v, float4)
#define AS_h(v) __builtin_convertvector(__builtin_astype(v, float4), half4)
#define AS_i(v) __builtin_astype(v, int4)
#define AS_ui(v) (v)
#define ONE_f OneFloat
#define ONE_h OneFloat
#define ONE_i 1
#define ONE_ui 1
#define WORDS_f(v) __builtin_astype(v, uint4)
#define WORDS_h(v) __builtin_astype(__builtin_convertvector(v, float4), uint4)
#define WORDS_i WORDS_f
#define WORDS_ui WORDS_f
#define DECODE_f decodeFloat
#define DECODE_h decodeFloat
#define DECODE_i decodeInt
#define DECODE_ui decodeUint
#define ENCODE_f encodeFloat
#define ENCODE_h encodeFloat
#define ENCODE_i encodeInt
#define ENCODE_ui encodeUint

#define OF(access, type) CONST_FUNCTION const global Image *__heddle_image_of(access type);

SAMPLE(f, true)
SAMPLE(i, false)
SAMPLE(ui, false)
#define sample_h sample_f

// Where coordinates c of an image lie: dimensions, x, y, z, layer, whether it has layers.
#define PLACE_1d(c) 1, (float)(c), 0, 0, 0, false
#define PLACE_1d_array(c) 1, (float)(c).x, 0, 0, layerOf((float)(c).y, image->layers), true
#define PLACE_2d(c) 2, (float)(c).x, (float)(c).y, 0, 0, false
#define PLACE_2d_array(c) 2, (float)(c).x, (float)(c).y, 0, layerOf((float)(c).z, image->layers), true
#define PLACE_3d(c) 3, (float)(c).x, (float)(c).y, (float)(c).z, 0, false
// As surfaces: x, y, slice, whether it is a layer.
#define TEXEL_1d(c) (c), 0, 0, false
#define TEXEL_1d_buffer(c) (c), 0, 0, false
#define TEXEL_1d_array(c) (c).x, 0, (c).y, true
#define TEXEL_2d(c) (c).x, (c).y, 0, false
#define TEXEL_2d_array(c) (c).x, (c).y, (c).z, true
#define TEXEL_3d(c) (c).x, (c).y, (c).z, false

// Of a texel: dimensions, whether there is a border; x, y, slice, whether it is a layer.
#define INDEX_1d(c, border) 1, border, indexOf(c), 0, 0, false
#define INDEX_1d_buffer(c, border) 1, border, (c), 0, 0, false
#define INDEX_1d_array(c, border) 1, border, indexOf((c).x), 0, layerIndex((c).y, image->layers), true
#define INDEX_2d(c, border) 2, border, indexOf((c).x), indexOf((c).y), 0, false
#define INDEX_2d_array(c, border) 2, border, indexOf((c).x), indexOf((c).y), layerIndex((c).z, image->layers), true
#define INDEX_3d(c, border) 3, border, indexOf((c).x), indexOf((c).y), indexOf((c).z), false

#define READER __attribute__((overloadable, pure))
#define FETCH(kind, form, c, border) DECODE_##kind(image, texel(image, INDEX_##form(c, border)))
#define READ(kind, result, access, form, type, coordinates)                                        \
  READER result##4 read_image##kind(access type im, sampler_t given, coordinates c) {              \
    const global Image *image = __heddle_image_of(im);                                             \
    uint s = __heddle_sampler_of(given);                                                           \
    uint4 v = IS_OF_TEXELS(s) ? FETCH(kind, form, c, HAS_BORDER(s)) : sample_##kind(image, s, PLACE_##form(c)); \
    return AS_##kind(arrange(image, v, ONE_##kind));                                               \
  }
#define READ_PLAIN(kind, result, access, form, type, coordinates)                                  \
  READER result##4 read_image##kind(access type im, coordinates c) {                               \
    const global Image *image = __heddle_image_of(im);                                             \
    return AS_##kind(arrange(image, FETCH(kind, form, c, false), ONE_##kind));                     \
  }
#define READ_BUFFER(kind, result, access)                                                          \
  READ_PLAIN(kind, result, access, 1d_buffer, image1d_buffer_t, int)
#define WRITE(kind, value, access, form, image_t, coordinates)                                     \
  OVERLOADABLE void write_image##kind(access image_t im, coordinates c, value##4 v) {              \
    const global Image *image = __heddle_image_of(im);                                             \
    uint4 w = disarrange(image, WORDS_##kind(v));                                                  \
    uint t = image->type;                                                                          \
    uchar *to = texelAt(image, TEXEL_##form(c));                                                   \
    if (to)                                                                                        \
      put(image, to, (uint4)(ENCODE_##kind(t, w.x), ENCODE_##kind(t, w.y), ENCODE_##kind(t, w.z),  \
                             ENCODE_##kind(t, w.w)));                                              \
  }

#define EACH_KIND(macro, ...)                                                                      \
  macro(f, float, __VA_ARGS__) macro(h, half, __VA_ARGS__) macro(i, int, __VA_ARGS__)              \
  macro(ui, uint, __VA_ARGS__)

#define QUERIES(access, image_t)                                                                   \
  CONST_FUNCTION int get_image_width(access image_t im) { return (int)__heddle_image_of(im)->width; } \
  CONST_FUNCTION int get_image_channel_data_type(access image_t im) {                              \
    return (int)__heddle_image_of(im)->type;                                                       \
  }                                                                                                \
  CONST_FUNCTION int get_image_channel_order(access image_t im) {                                  \
    return (int)__heddle_image_of(im)->order;                                                      \
  }
#define HEIGHT(access, image_t)                                                                    \
  CONST_FUNCTION int get_image_height(access image_t im) { return (int)__heddle_image_of(im)->height; } \
  CONST_FUNCTION int2 get_image_dim(access image_t im) {                                           \
    return (int2)(get_image_width(im), get_image_height(im));                                      \
  }
#define LAYERS(access, image_t)                                                                    \
  CONST_FUNCTION size_t get_image_array_size(access image_t im) { return __heddle_image_of(im)->layers; }

#define IMAGE(form, integers, floats)                                                              \
  OF(read_only, image##form##_t)                                                                   \
  OF(write_only, image##form##_t)                                                                  \
  OF(read_write, image##form##_t)                                                                  \
  EACH_KIND(READ, read_only, form, image##form##_t, floats)                                        \
  EACH_KIND(READ, read_only, form, image##form##_t, integers)                                      \
  EACH_KIND(READ_PLAIN, read_only, form, image##form##_t, integers)                                \
  EACH_KIND(READ_PLAIN, read_write, form, image##form##_t, integers)                               \
  EACH_KIND(WRITE, write_only, form, image##form##_t, integers)                                    \
  EACH_KIND(WRITE, read_write, form, image##form##_t, integers)                                    \
  QUERIES(read_only, image##form##_t)                                                              \
  QUERIES(write_only, image##form##_t)                                                             \
  QUERIES(read_write, image##form##_t)

IMAGE(1d, int, float)
IMAGE(1d_array, int2, float2)
IMAGE(2d, int2, float2)
IMAGE(2d_array, int4, float4)
IMAGE(3d, int4, float4)

// A depth is one float.
#define READ_DEPTH(form, image_t, coordinates)                                                     \
  READER float read_imagef(read_only image_t im, sampler_t given, coordinates c) {                 \
    const global Image *image = __heddle_image_of(im);                                             \
    uint s = __heddle_sampler_of(given);                                                           \
    uint4 v = IS_OF_TEXELS(s) ? FETCH(f, form, c, HAS_BORDER(s)) : sample_f(image, s, PLACE_##form(c)); \
    return __builtin_astype(v.x, float);                                                           \
  }
#define READ_DEPTH_PLAIN(access, form, image_t, coordinates)                                       \
  READER float read_imagef(access image_t im, coordinates c) {                                     \
    const global Image *image = __heddle_image_of(im);                                             \
    return __builtin_astype(FETCH(f, form, c, false).x, float);                                    \
  }
#define WRITE_DEPTH(access, form, image_t, coordinates)                                            \
  OVERLOADABLE void write_imagef(access image_t im, coordinates c, float v) {                      \
    const global Image *image = __heddle_image_of(im);                                             \
    uchar *to = texelAt(image, TEXEL_##form(c));                                                   \
    if (to)                                                                                        \
      put(image, to, (uint4)(encodeFloat(image->type, __builtin_astype(v, uint))));                \
  }
#define DEPTH_IMAGE(form, image_t, integers, floats)                                               \
  OF(read_only, image_t)                                                                           \
  OF(write_only, image_t)                                                                          \
  OF(read_write, image_t)                                                                          \
  READ_DEPTH(form, image_t, floats)                                                                \
  READ_DEPTH(form, image_t, integers)                                                              \
  READ_DEPTH_PLAIN(read_only, form, image_t, integers)                                             \
  READ_DEPTH_PLAIN(read_write, form, image_t, integers)                                            \
  WRITE_DEPTH(write_only, form, image_t, integers)                                                 \
  WRITE_DEPTH(read_write, form, image_t, integers)                                                 \
  QUERIES(read_only, image_t)                                                                      \
  QUERIES(write_only, image_t)                                                                     \
  QUERIES(read_write, image_t)
DEPTH_IMAGE(2d, image2d_depth_t, int2, float2)
DEPTH_IMAGE(2d_array, image2d_array_depth_t, int4, float4)

#define FOR_ACCESS(access)                                                                         \
  HEIGHT(access, image2d_t)                                                                        \
  HEIGHT(access, image2d_depth_t)                                                                  \
  HEIGHT(access, image2d_array_depth_t)                                                            \
  LAYERS(access, image2d_array_depth_t)                                                            \
  HEIGHT(access, image2d_array_t)                                                                  \
  LAYERS(access, image1d_array_t)                                                                  \
  LAYERS(access, image2d_array_t)                                                                  \
  CONST_FUNCTION int get_image_height(access image3d_t im) {                                       \
    return (int)__heddle_image_of(im)->height;                                                     \
  }                                                                                                \
  CONST_FUNCTION int get_image_depth(access image3d_t im) {                                        \
    return (int)__heddle_image_of(im)->depth;                                                      \
  }                                                                                                \
  CONST_FUNCTION int4 get_image_dim(access image3d_t im) {                                         \
    return (int4)(get_image_width(im), get_image_height(im), get_image_depth(im), 0);              \
  }                                                                                                \
  OF(access, image1d_buffer_t)                                                                     \
  QUERIES(access, image1d_buffer_t)
FOR_ACCESS(read_only)
FOR_ACCESS(write_only)
FOR_ACCESS(read_write)
EACH_KIND(READ_BUFFER, read_only)
EACH_KIND(READ_BUFFER, read_write)
EACH_KIND(WRITE, write_only, 1d_buffer, image1d_buffer_t, int)
EACH_KIND(WRITE, read_write, 1d_buffer, image1d_buffer_t, int)
