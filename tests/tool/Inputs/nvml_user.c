// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nvml.h>
#include <stdio.h>

int main(void) {
  unsigned count = 0, value = 0;
  nvmlDevice_t device = 0;
  if (nvmlInit() != NVML_SUCCESS || nvmlDeviceGetCount(&count) != NVML_SUCCESS)
    return 1;
  printf("%u devices\n", count);
  for (unsigned i = 0; i < count; ++i) {
    char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
    nvmlMemory_t memory;
    if (nvmlDeviceGetHandleByIndex(i, &device) != NVML_SUCCESS ||
        nvmlDeviceGetName(device, name, sizeof name) != NVML_SUCCESS ||
        nvmlDeviceGetMemoryInfo(device, &memory) != NVML_SUCCESS)
      return 1;
    printf("%u: %s, %llu MiB", i, name, memory.total >> 20);
    if (i == 0) {
      nvmlMemory_v2_t second;
      second.version = 1;
      printf(", not the driver's structure of version 1: %s",
             nvmlErrorString(nvmlDeviceGetMemoryInfo_v2(device, &second)));
    }
    printf("\n");
  }
  printf("temperature: %s\n",
         nvmlErrorString(nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &value)));
  return nvmlShutdown() != NVML_SUCCESS;
}
