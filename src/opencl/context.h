// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Platform, devices, contexts. A device is a CUDA device and its primary context; a context of OpenCL
// is a set of devices, which share its memory.
#pragma once

#include "opencl/driver.h"

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

struct _cl_platform_id : heddle::cl::Object<_cl_platform_id, heddle::cl::Kind::Platform> {};

struct _cl_device_id : heddle::cl::Object<_cl_device_id, heddle::cl::Kind::Device> {
  CUdevice number = 0;
  CUcontext context = nullptr; ///< the primary one, retained for good at the first use
  std::once_flag once;
  size_t mostThreads[3] = {}, mostShared = 0; ///< of a group, known once it is entered

  CUcontext enter();
  int attribute(CUdevice_attribute) const;
  /// The host's memory is the device's.
  bool isHost() const;
  /// Images are kept by our own driver, so a GPU of the machine (HEDDLE_DEVICE=gpu) has none.
  bool hasImages() const;
  /// An extension or feature of features.def; those of images not where there are none.
  bool offers(std::string_view name) const {
    return hasImages() || name.find("image") == name.npos;
  }
  cl_device_type type() const;
  std::string name() const;
};

struct _cl_context : heddle::cl::Object<_cl_context, heddle::cl::Kind::Context> {
  std::vector<cl_device_id> devices;
  std::vector<cl_context_properties> properties; ///< as given, with the 0 at the end
  void (*notify)(const char *, const void *, size_t, void *) = nullptr; ///< of errors, and its data
  void *notifyData = nullptr;
  std::vector<std::pair<void (*)(cl_context, void *), void *>> destructors;
  std::mutex mutex;

  ~_cl_context();
  bool has(cl_device_id device) const;
  cl_device_id first() const { return devices.front(); }
};

namespace heddle::cl {

_cl_platform_id &platform();
/// Its devices.
std::vector<cl_device_id> &devices();

/// The version of OpenCL, and of OpenCL C, that devices have.
inline constexpr unsigned Major = 3, Minor = 0;

/// Nanoseconds of the host's clock, which is that of profiling.
cl_ulong hostNanoseconds();

} // namespace heddle::cl
