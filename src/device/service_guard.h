// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels call may hold locks, malloc's among them.
#pragma once

namespace heddle::device {

/// While one lives, the worker is not cut off (cpu/faults/fault.cpp); what was to cut it off does so at
/// the end of the outermost one, whose scope has nothing before it that needs to be destroyed.
class ServiceGuard {
public:
  ServiceGuard();
  ~ServiceGuard();
  ServiceGuard(const ServiceGuard &) = delete;
  ServiceGuard &operator=(const ServiceGuard &) = delete;
};

template <auto Service> struct Guarded;
template <typename R, typename... A, R (*Service)(A...)> struct Guarded<Service> {
  static R call(A... arguments) {
    ServiceGuard guard;
    return Service(arguments...);
  }
};
/// A service that the worker is not cut off in.
template <auto Service> inline constexpr auto guarded = Guarded<Service>::call;

} // namespace heddle::device
