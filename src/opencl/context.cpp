// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl/context.h"
#include "opencl/info.h"

#include <algorithm>
#include <memory>

using namespace heddle::cl;

_cl_context::~_cl_context() {
  for (auto at = destructors.rbegin(); at != destructors.rend(); ++at)
    at->first(this, at->second);
}

bool _cl_context::has(cl_device_id device) const {
  return std::find(devices.begin(), devices.end(), device) != devices.end();
}

namespace {

/// Pairs of a name and a value up to a 0; the code of the first that is wrong.
cl_int checkProperties(const cl_context_properties *properties,
                       std::vector<cl_context_properties> &kept) {
  std::vector<cl_context_properties> seen;
  for (const cl_context_properties *at = properties; at && *at; at += 2) {
    if (std::find(seen.begin(), seen.end(), *at) != seen.end())
      return CL_INVALID_PROPERTY;
    seen.push_back(*at);
    if (*at == CL_CONTEXT_PLATFORM) {
      if (reinterpret_cast<cl_platform_id>(at[1]) != &platform())
        return CL_INVALID_PLATFORM;
    } else if (*at != CL_CONTEXT_INTEROP_USER_SYNC || (at[1] != CL_TRUE && at[1] != CL_FALSE)) {
      return CL_INVALID_PROPERTY;
    }
    kept.insert(kept.end(), at, at + 2);
  }
  if (properties)
    kept.push_back(0);
  return CL_SUCCESS;
}

using Notify = void (*)(const char *, const void *, size_t, void *);

cl_context create(const cl_context_properties *properties, std::vector<cl_device_id> list,
                  Notify notify, void *data, cl_int *code) {
  auto context = std::make_unique<_cl_context>();
  if (cl_int error = checkProperties(properties, context->properties))
    return fail(code, error);
  for (cl_device_id device : list)
    if (!device->enter())
      return fail(code, CL_DEVICE_NOT_AVAILABLE);
  context->devices = std::move(list);
  context->notify = notify;
  context->notifyData = data;
  return succeed(code, context.release());
}

} // namespace

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count,
                           const cl_device_id *list, Notify notify, void *data, cl_int *code) {
  if (!list || !count || (!notify && data))
    return fail(code, CL_INVALID_VALUE);
  std::vector<cl_device_id> devices;
  for (cl_device_id device : std::vector(list, list + count)) {
    if (!isValid(device))
      return fail(code, CL_INVALID_DEVICE);
    if (std::find(devices.begin(), devices.end(), device) ==
        devices.end()) // duplicates are ignored
      devices.push_back(device);
  }
  return create(properties, std::move(devices), notify, data, code);
}

cl_context clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                   Notify notify, void *data, cl_int *code) {
  if (!notify && data)
    return fail(code, CL_INVALID_VALUE);
  cl_uint count = 0;
  if (cl_int error = clGetDeviceIDs(nullptr, type, 0, nullptr, &count))
    return fail(code, error);
  std::vector<cl_device_id> list(count);
  clGetDeviceIDs(nullptr, type, count, list.data(), nullptr);
  return create(properties, std::move(list), notify, data, code);
}

cl_int clRetainContext(cl_context context) {
  if (!isValid(context))
    return CL_INVALID_CONTEXT;
  context->retain();
  return CL_SUCCESS;
}

cl_int clReleaseContext(cl_context context) {
  if (!isValid(context))
    return CL_INVALID_CONTEXT;
  context->release();
  return CL_SUCCESS;
}

cl_int clGetContextInfo(cl_context context, cl_context_info name, size_t size, void *value,
                        size_t *sizeReturned) {
  if (!isValid(context))
    return CL_INVALID_CONTEXT;
  const Room room = {size, value, sizeReturned};
  switch (name) {
  case CL_CONTEXT_REFERENCE_COUNT:
    return room.give<cl_uint>(context->references);
  case CL_CONTEXT_NUM_DEVICES:
    return room.give<cl_uint>(static_cast<cl_uint>(context->devices.size()));
  case CL_CONTEXT_DEVICES:
    return room.give(context->devices);
  case CL_CONTEXT_PROPERTIES:
    return room.give(context->properties);
  default:
    return CL_INVALID_VALUE;
  }
}

cl_int clSetContextDestructorCallback(cl_context context, void (*notify)(cl_context, void *),
                                      void *data) {
  if (!isValid(context))
    return CL_INVALID_CONTEXT;
  if (!notify)
    return CL_INVALID_VALUE;
  std::lock_guard lock(context->mutex);
  context->destructors.emplace_back(notify, data);
  return CL_SUCCESS;
}
