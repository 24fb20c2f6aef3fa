// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of OpenGL that CUDA's functions take: where GL's header is not installed, they are
// declared here.
#ifndef HEDDLE_GL_TYPES_H
#define HEDDLE_GL_TYPES_H

#if defined(__has_include)
#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#define HEDDLE_HAS_GL
#endif
#endif
#ifndef HEDDLE_HAS_GL
typedef unsigned int GLenum;
typedef unsigned int GLuint;
#endif
#undef HEDDLE_HAS_GL

#endif
