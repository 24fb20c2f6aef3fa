// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all objects of OpenCL have. A handle is the address of an object, whose first word the loader
// reads (cl_khr_icd). An object has a count that programs see, and one of its users: the program, for
// as long as its count is not 0, and other objects of ours.
//
// Programs release handles once too often. The loader reads such a handle too, so the memory of the
// last objects that are gone rests, with the table in it and no kind: the program gets a code.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace heddle::cl {

/// Our functions (table.cpp).
extern const cl_icd_dispatch dispatchTable;

/// Tells kinds of handles apart.
enum class Kind : uint32_t {
  None = 0,
  Platform = 0x48434c01,
  Device,
  Context,
  Queue,
  Memory,
  Sampler,
  Program,
  Kernel,
  Event,
};

/// Lets memory of an object rest that has been destroyed; frees what has rested longest.
void letRest(void *);

template <typename Self, Kind OfKind> struct Object {
  static constexpr Kind kind = OfKind;
  static void operator delete(void *memory) { letRest(memory); }

  const cl_icd_dispatch *dispatch = &dispatchTable;
  std::atomic<Kind> tag = OfKind;
  std::atomic<cl_uint> references = 1; ///< of the program
  std::atomic<uint32_t> users = 1;

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      leave();
  }
  void join() { users.fetch_add(1, std::memory_order_relaxed); }
  void leave() {
    if (users.fetch_sub(1, std::memory_order_acq_rel) != 1)
      return;
    tag.store(Kind::None, std::memory_order_relaxed);
    delete static_cast<Self *>(this);
  }
};

/// Whether a handle is one, and of the program still.
template <typename T> bool isValid(const T *object) {
  return object && object->tag.load(std::memory_order_relaxed) == T::kind;
}

/// A user of an object.
template <typename T> class Ref {
public:
  Ref() = default;
  Ref(T *object) : object_(object) {
    if (object_)
      object_->join();
  }
  Ref(const Ref &other) : Ref(other.object_) {}
  Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref &operator=(Ref other) {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_)
      object_->leave();
  }
  T *get() const { return object_; }
  T *operator->() const { return object_; }
  T &operator*() const { return *object_; }
  explicit operator bool() const { return object_; }

private:
  T *object_ = nullptr;
};

} // namespace heddle::cl
