// RUN: %nvcc %s -lnvidia-ml -o %t
// RUN: env HEDDLE_DEVICE=k20,k20 HEDDLE_MACHINE=%t %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes share the memory of a device, and obey its compute mode: what one takes the other lacks, and of a device in
// an exclusive mode only one has a context. NVML counts them.
#include <nvml.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

static int wrong = 0;
static void expect(bool right, const char *what) {
  if (!right) {
    std::printf("process %d: wrong: %s\n", getpid(), what);
    wrong++;
  }
}

static size_t freeBytes() {
  size_t free = 0, total = 0;
  expect(cudaMemGetInfo(&free, &total) == cudaSuccess, "cudaMemGetInfo");
  return free;
}

/// Another program that has done `what`, and holds what it has until `end`.
class Other {
public:
  explicit Other(const char *self, const char *what) {
    int ends[2];
    if (pipe(ends) != 0)
      std::exit(1);
    process_ = fork();
    if (process_ == 0) {
      dup2(ends[1], 3);
      execl(self, self, what, nullptr);
      std::exit(1);
    }
    close(ends[1]);
    expect(read(ends[0], &answer, 1) == 1, "an answer");
    close(ends[0]);
  }
  void end() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  int number() const { return process_; }
  char answer = 0;

private:
  pid_t process_;
};

static nvmlDevice_t deviceAt(unsigned index) {
  nvmlDevice_t device;
  expect(nvmlDeviceGetHandleByIndex(index, &device) == NVML_SUCCESS, "nvmlDeviceGetHandleByIndex");
  return device;
}

static void setMode(unsigned index, nvmlComputeMode_t mode) {
  expect(nvmlDeviceSetComputeMode(deviceAt(index), mode) == NVML_SUCCESS, "nvmlDeviceSetComputeMode");
}

static unsigned processesOn(unsigned index, nvmlProcessInfo_t *infos) {
  unsigned count = 8;
  expect(nvmlDeviceGetComputeRunningProcesses(deviceAt(index), &count, infos) == NVML_SUCCESS, "the processes");
  return count;
}

constexpr size_t Gigabyte = size_t(1) << 30;

/// The other program: says which device it got, or '!' and why not.
static int runOther(const char *what) {
  char answer = '!';
  int device = -1;
  void *p;
  if (what[0] == 'f') // the first that may be used
    answer = cudaGetDevice(&device) == cudaSuccess && cudaFree(nullptr) == cudaSuccess ? char('0' + device) : '!';
  if (what[0] == 's') // device 0
    answer = cudaSetDevice(0) == cudaSuccess ? '0' : cudaGetLastError() == cudaErrorDevicesUnavailable ? '-' : '!';
  if (what[0] == 'm') // 3 GB of device 0
    answer = cudaMalloc(&p, 3 * Gigabyte) == cudaSuccess ? '0' : cudaGetLastError() == cudaErrorMemoryAllocation ? '-' : '!';
  if (write(3, &answer, 1) == 1)
    pause();
  return 0;
}

static void memoryIsShared(const char *self) {
  void *p;
  const size_t before = freeBytes();
  Other other(self, "memory");
  expect(other.answer == '0', "the other has 3 GB");
  expect(freeBytes() == before - 3 * Gigabyte, "they are missing here");
  expect(cudaMalloc(&p, 2 * Gigabyte) == cudaErrorMemoryAllocation, "5 GB are not there");
  expect(cudaGetLastError() == cudaErrorMemoryAllocation, "cudaGetLastError");
  Other late(self, "memory");
  expect(late.answer == '-', "nor for a third process");
  nvmlProcessInfo_t infos[8];
  expect(processesOn(0, infos) == 3, "three processes");
  bool isSeen = false;
  for (unsigned i = 0; i < 3; ++i)
    isSeen |= infos[i].pid == unsigned(other.number()) && infos[i].usedGpuMemory == 3 * Gigabyte;
  expect(isSeen, "the other's memory");
  nvmlMemory_t memory;
  expect(nvmlDeviceGetMemoryInfo(deviceAt(0), &memory) == NVML_SUCCESS && memory.used >= 3 * Gigabyte, "memory in NVML");
  late.end();
  other.end();
  expect(freeBytes() == before, "a killed process gives all back");
  expect(processesOn(0, infos) == 1, "one process");
  expect(processesOn(1, infos) == 0, "none on the other device");
  expect(cudaMalloc(&p, 4 * Gigabyte) == cudaSuccess, "4 GB");
  expect(cudaFree(p) == cudaSuccess, "cudaFree");
}

static void modesAreObeyed(const char *self) {
  cudaDeviceProp p;
  setMode(0, NVML_COMPUTEMODE_EXCLUSIVE_PROCESS);
  setMode(1, NVML_COMPUTEMODE_EXCLUSIVE_PROCESS);
  expect(cudaGetDeviceProperties(&p, 0) == cudaSuccess && p.computeMode == cudaComputeModeExclusiveProcess, "the mode");
  expect(cudaFree(nullptr) == cudaSuccess, "this process has device 0");
  Other refused(self, "set"), second(self, "first"), third(self, "first");
  expect(refused.answer == '-', "device 0 is taken");
  expect(second.answer == '1', "the next process gets device 1");
  expect(third.answer == '!', "and one more none");
  expect(cudaSetDevice(1) == cudaErrorDevicesUnavailable, "device 1 is the other's");
  expect(cudaGetLastError() == cudaErrorDevicesUnavailable, "cudaGetLastError");
  second.end();
  expect(cudaSetDevice(1) == cudaSuccess, "until it has ended");
  expect(cudaDeviceReset() == cudaSuccess && cudaSetDevice(0) == cudaSuccess, "back");
  refused.end();
  third.end();
  expect(cudaDeviceReset() == cudaSuccess, "cudaDeviceReset");
  Other after(self, "set");
  expect(after.answer == '0', "a reset gives the device free");
  after.end();
  setMode(0, NVML_COMPUTEMODE_PROHIBITED);
  expect(cudaSetDevice(0) == cudaErrorDevicesUnavailable, "prohibited");
  expect(cudaGetLastError() == cudaErrorDevicesUnavailable, "cudaGetLastError");
}

int main(int argc, char **argv) {
  if (argc == 2)
    return runOther(argv[1]);
  expect(nvmlInit() == NVML_SUCCESS, "nvmlInit");
  setMode(0, NVML_COMPUTEMODE_DEFAULT);
  setMode(1, NVML_COMPUTEMODE_DEFAULT);
  memoryIsShared(argv[0]);
  modesAreObeyed(argv[0]);
  setMode(0, NVML_COMPUTEMODE_DEFAULT);
  setMode(1, NVML_COMPUTEMODE_DEFAULT);
  return wrong != 0;
}
