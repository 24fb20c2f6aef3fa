// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that tell what a processor has not, as on a GPU without it: NVML_ERROR_NOT_SUPPORTED. They are defined
// without the header and with their first parameter alone: the calling conventions of the machines that we run on let a
// caller pass more than a function takes.
namespace heddle::nvml {
int refuse(const void *device);
int refuse();
} // namespace heddle::nvml

#define HEDDLE_NVML_Done(name)
#define HEDDLE_NVML_Device(name)                                                                   \
  extern "C" __attribute__((visibility("default"))) int name(const void *device) {                 \
    return heddle::nvml::refuse(device);                                                           \
  }
#define HEDDLE_NVML_System(name)                                                                   \
  extern "C" __attribute__((visibility("default"))) int name() { return heddle::nvml::refuse(); }
#define HEDDLE_NVML(state, name, parameters) HEDDLE_NVML_##state(name)
#include "heddle/nvml_functions.inc"
