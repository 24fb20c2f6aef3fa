// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where libcudart_static.a belongs: compiled for the build's folder, and again by `make install`
// for the one that it installs to (src/tool/install.cmake).
extern "C" {
extern const char heddle_static_toolkit[];
__attribute__((visibility("hidden"))) const char heddle_static_toolkit[] = HEDDLE_TOOLKIT_FOLDER;
}
