// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nsys profile: sums by the names of nsys stats, ranges of NVTX, and a trace.
// RUN: %heddle cc %s -o %t
// RUN: %build/lib/heddle/bin/nsys profile --stats=true -o %t.report -f true -t cuda,nvtx %t | FileCheck %s
// RUN: python3 -c "import json; print(sorted({(e['cat'], e['name']) for e in json.load(open('%t.report.json'))['traceEvents'] if e['ph'] == 'X' and e['cat'] in ('nvtx', 'memset')}))" | FileCheck %s --check-prefix=TRACE
// RUN: %heddle profile --timeline --quiet --log-file - %t | FileCheck %s --check-prefix=TIMELINE
// RUN: %build/lib/heddle/bin/nsys profile --report cuda_gpu_mem_size_sum --format csv %t | FileCheck %s --check-prefix=CSV
// RUN: not %build/lib/heddle/bin/nsys profile --report odd %t 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not %build/lib/heddle/bin/nsys stats %t.report.json 2>&1 | FileCheck %s --check-prefix=STATS
#include <nvtx3/nvToolsExt.h>
__global__ void work(int *a) { a[threadIdx.x] += 1; }
int main() {
  int host[256] = {}, *device;
  nvtxRangePushA("outer");
  nvtxRangePushA("inner");
  cudaMalloc(&device, sizeof(host));
  nvtxRangePop();
  nvtxDomainHandle_t domain = nvtxDomainCreateA("parts");
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION, attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterStringA(domain, "copies");
  nvtxDomainRangePushEx(domain, &attributes);
  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemset(device, 0, 100);
  nvtxDomainRangePop(domain);
  nvtxRangeId_t id = nvtxRangeStartA("all kernels");
  for (int i = 0; i < 3; ++i)
    work<<<1, 256>>>(device);
  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  nvtxRangeEnd(id);
  nvtxRangePop();
  return cudaDeviceSynchronize();
}
// CHECK: ** NVTX Range Summary (nvtx_sum):
// CHECK: Time (%)  Total Time (ns)  Instances  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)  Style  Range
// CHECK-DAG: 1  {{.*}}  PushPop  :outer
// CHECK-DAG: 1  {{.*}}  PushPop  :inner
// CHECK-DAG: 1  {{.*}}  PushPop  parts:copies
// CHECK-DAG: 1  {{.*}}  StartEnd  :all kernels
// CHECK: ** CUDA API Summary (cuda_api_sum):
// CHECK-DAG: 3  {{.*}}  cudaLaunchKernel
// CHECK-DAG: 2  {{.*}}  cudaMemcpy
// CHECK: ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):
// CHECK: 100.0 {{.*}} 3 {{.*}} work(int*)
// CHECK: ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum):
// CHECK-DAG: 1 {{.*}} [CUDA memcpy Host-to-Device]
// CHECK-DAG: 1 {{.*}} [CUDA memcpy Device-to-Host]
// CHECK-DAG: 1 {{.*}} [CUDA memset]
// CHECK: ** CUDA GPU MemOps Summary (by Size) (cuda_gpu_mem_size_sum):
// TRACE: ('memset', '[CUDA memset]'), ('nvtx', 'all kernels'), ('nvtx', 'inner'), ('nvtx', 'outer'), ('nvtx', 'parts:copies')
// TIMELINE: NVTX Range Summary
// TIMELINE: CUDA GPU Kernel Summary
// CSV: "Total (MB)","Count","Avg (MB)","Med (MB)","Min (MB)","Max (MB)","StdDev (MB)","Operation"
// CSV-DAG: 0.001,1,0.001,0.001,0.001,0.001,0.000,"[CUDA memcpy Host-to-Device]"
// ODD: 'odd' of '--report' names 'odd', which is none of nvtx_sum
// STATS: nsys stats is not supported
