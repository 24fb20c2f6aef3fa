// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory objects. A buffer is managed memory of CUDA, so host and devices reach it at one address and
// a map copies nothing; one with CL_MEM_USE_HOST_PTR is the program's memory, registered with CUDA.
#pragma once

#include "opencl/queue.h"

#include <memory>

namespace heddle::cl {

struct Image; // image.h

/// A box of an image.
struct ImageBox {
  size_t origin[3], region[3];
};

/// What clEnqueueMap* gave and was not unmapped yet.
struct Map {
  void *pointer;
  cl_map_flags flags;
  std::shared_ptr<std::vector<char>> copy; ///< of an image, where the host may not see the texels
  ImageBox box;
  size_t row, slice;
  /// Whether an image's texels lie elsewhere.
  bool isCopied(const _cl_mem &) const;
};

} // namespace heddle::cl

struct _cl_mem : heddle::cl::Object<_cl_mem, heddle::cl::Kind::Memory> {
  heddle::cl::Ref<_cl_context> context;
  cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
  cl_mem_flags flags = 0;
  std::vector<cl_mem_properties> properties;
  size_t size = 0, offset = 0;
  void *hostPointer = nullptr; ///< as given
  char *at = nullptr;          ///< for host and devices
  enum class Owner { None, Managed, Registered, Program } owner = Owner::None;
  heddle::cl::Ref<_cl_mem> parent;
  std::vector<std::pair<void (*)(cl_mem, void *), void *>> destructors;
  std::mutex mutex;
  std::vector<heddle::cl::Map> maps;
  std::unique_ptr<heddle::cl::Image> image; ///< if it is one

  _cl_mem();

  ~_cl_mem();
  CUdeviceptr device() const { return reinterpret_cast<CUdeviceptr>(at); }
  bool isBuffer() const { return type == CL_MEM_OBJECT_BUFFER; }
};

namespace heddle::cl {

constexpr cl_mem_flags AccessFlags = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
constexpr cl_mem_flags PointerFlags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
constexpr cl_mem_flags HostFlags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags NoHostRead = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags NoHostWrite = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
/// CL_INVALID_VALUE where flags contradict each other.
cl_int checkFlags(cl_mem_flags);

/// Managed memory for all devices of a context; null if there is none.
char *allocate(_cl_context &, size_t bytes);
void deallocate(_cl_context &, void *);

/// Repeats a pattern, of so many bytes as `isPatternSize` allows.
bool isPatternSize(size_t bytes);
CUresult fillMemory(CUdeviceptr at, const std::vector<char> &pattern, size_t size, CUstream stream);

/// CL_INVALID_MEM_OBJECT, CL_INVALID_CONTEXT.
cl_int checkMemory(const _cl_command_queue *, const _cl_mem *);

} // namespace heddle::cl
