// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the relocatable device code of an object file (-rdc=true) when the program starts. The
// compiler driver includes this in the host half of such sources; programs never do.
//
// With -fgpu-rdc clang leaves the registration to a device linker: it only lists kernels and
// variables in the section llvm_offload_entries. We need no such linker, for the runtime links
// device code. So each object registers its own image, and the first object of an executable or
// shared library registers all entries that the host linker has gathered from its objects, with the
// names the device code has.
//
// An archive's member is linked only if something needs a symbol of it, and device code alone needs
// none. So each object has a symbol of its own name, which the device link asks for.
//
// The driver writes the image to the compiler's standard input while the compiler is at work; the
// assembler reads it last.
#pragma once

#if defined(__CUDACC__) && !defined(__CUDA_ARCH__)

// A field and flag for each of those of clang's offloading entries
// (llvm/Frontend/Offloading/Utility.h).
struct __heddle_entry {
  unsigned long reserved;
  unsigned short version, kind;
  unsigned flags; // bits 0-2: 0 variable, 1 managed, 2 surface, 3 texture; bit 3: extern; bit 4: constant; bit 5:
                  // reads normalized floats
  void *address;
  char *name;
  unsigned long size; // 0: a kernel
  unsigned long data;
  void *extra;
};

struct __heddle_fatbin_wrapper {
  int magic, version;
  const void *image, *unused;
};

extern "C" {
extern const unsigned char __heddle_linked_image[] __asm__(".L__heddle_linked_image");
extern const __heddle_entry __start_llvm_offload_entries[]
    __attribute__((weak, visibility("hidden")));
extern const __heddle_entry __stop_llvm_offload_entries[]
    __attribute__((weak, visibility("hidden")));
// One for each executable or shared library: hidden, and merged by the linker.
__attribute__((weak, visibility("hidden"))) int __heddle_entries_registered = 0;

extern void *__dso_handle __attribute__((visibility("hidden")));
int __cxa_atexit(void (*)(void *), void *, void *);
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
#ifndef __HEDDLE_REGISTER_FUNCTIONS
int __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *,
                           void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, unsigned long, int, int);
void __cudaRegisterSurface(void **, const void *, const void *, const char *, int, int);
void __cudaRegisterTexture(void **, const void *, const void *, const char *, int, int, int);
#endif
}

__asm__(".pushsection .nv_fatbin,\"a\",@progbits\n"
        ".p2align 4\n"
        ".L__heddle_linked_image:\n"
        ".incbin " __HEDDLE_IMAGE__ "\n"
        ".popsection\n");

#ifdef __HEDDLE_UNIT__
extern "C" {
extern const char __HEDDLE_UNIT__;
__attribute__((weak, visibility("hidden"))) const char __HEDDLE_UNIT__ = 0;
}
#endif

static void __heddle_register_entry(void **handle, const __heddle_entry &entry) {
  if (entry.kind != 2) // CUDA
    return;
  if (entry.size == 0)
    __cudaRegisterFunction(handle, static_cast<char *>(entry.address), entry.name, entry.name, -1,
                           0, 0, 0, 0, 0);
  else if ((entry.flags & 7) == 2)
    __cudaRegisterSurface(handle, entry.address, entry.name, entry.name, 0, 0);
  else if ((entry.flags & 7) == 3)
    __cudaRegisterTexture(handle, entry.address, entry.name, entry.name, 0, (entry.flags >> 5) & 1, 0);
  else
    __cudaRegisterVar(handle, static_cast<char *>(entry.address), entry.name, entry.name,
                      (entry.flags >> 3) & 1, entry.size, (entry.flags >> 4) & 1, 0);
}

static void __heddle_unregister_linked(void *handle) {
  __cudaUnregisterFatBinary(static_cast<void **>(handle));
}

static void __heddle_register_linked() {
  static const __heddle_fatbin_wrapper wrapper
      __attribute__((section(".nvFatBinSegment"), used)) = {0x466243b1, 1, __heddle_linked_image,
                                                            0};
  void **handle = __cudaRegisterFatBinary(const_cast<__heddle_fatbin_wrapper *>(&wrapper));
  // Behind the destructors of objects, which are noted later. A destructor function would come before them where a
  // plug-in is closed.
  __cxa_atexit(__heddle_unregister_linked, handle, &__dso_handle);
  if (!__heddle_entries_registered) {
    __heddle_entries_registered = 1;
    for (const __heddle_entry *entry = __start_llvm_offload_entries;
         entry != __stop_llvm_offload_entries; ++entry)
      __heddle_register_entry(handle, *entry);
  }
  __cudaRegisterFatBinaryEnd(handle);
}

// Before all constructors of programs, which may launch kernels: they have priorities from 101 on.
__attribute__((section(".init_array.00099"),
               used)) static void (*__heddle_register_first)() = __heddle_register_linked;

#endif
