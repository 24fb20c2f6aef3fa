// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvprof and heddle profile tell of kernels, copies, fills, graphs and calls of the API.
// RUN: %heddle cc %s -o %t && env HEDDLE_DEVICE=k20 %heddle profile %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_DEVICE=k20 %build/lib/heddle/bin/nvprof --print-gpu-trace --log-file %t.log %t
// RUN: FileCheck %s --check-prefix=TRACE --input-file %t.log
// RUN: %heddle profile --print-api-trace --profile-api-trace runtime %t 2>&1 | FileCheck %s --check-prefix=CALLS
// RUN: %heddle profile --csv --quiet --print-gpu-summary -u us --log-file - %t | FileCheck %s --check-prefix=CSV
// RUN: %heddle profile --profile-from-start off --print-gpu-trace --csv %t 2>&1 | FileCheck %s --check-prefix=PART
// RUN: %heddle profile --trace-file %t.json --quiet --print-gpu-summary %t 2> /dev/null
// RUN: python3 -c "import json; print(sorted({e['cat'] for e in json.load(open('%t.json'))['traceEvents'] if e['ph'] == 'X'}))" | FileCheck %s --check-prefix=JSON
// RUN: printf 'gridsize3d\nthreadblocksize\nstreamid\nmemtransfersize\nconckerneltrace\n' > %t.config
// RUN: env HEDDLE_DEVICE=k20 COMPUTE_PROFILE=1 COMPUTE_PROFILE_LOG=%t.%%d.txt COMPUTE_PROFILE_CONFIG=%t.config %t && FileCheck %s --check-prefix=LOG --input-file %t.0.txt
// RUN: env COMPUTE_PROFILE=1 COMPUTE_PROFILE_CSV=1 COMPUTE_PROFILE_LOG=%t.csv COMPUTE_PROFILE_CONFIG=%t.config %t && FileCheck %s --check-prefix=LOGCSV --input-file %t.csv
// RUN: %heddle profile true 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %heddle profile --odd %t 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not %heddle profile 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not %heddle profile %s 2>&1 | FileCheck %s --check-prefix=SOURCE
#include <cstdio>
#include <cuda_profiler_api.h>

__global__ void increment(int *a, int b) { a[blockIdx.x * blockDim.x + threadIdx.x] += b; }
template <int N> __global__ void times(int *a) { a[threadIdx.x] *= N; }

int main() {
  constexpr int N = 4096;
  int *host = new int[N](), *pinned, *device;
  cudaHostAlloc(&pinned, N * sizeof(int), 0);
  cudaMalloc(&device, N * sizeof(int));
  cudaMemcpy(device, host, N * sizeof(int), cudaMemcpyHostToDevice);
  for (int i = 0; i < 3; ++i)
    increment<<<N / 256, 256>>>(device, 1);
  cudaMemset(device, 0, 400);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaDeviceSynchronize();
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  times<5><<<1, 64, 0, stream>>>(device);
  cudaMemcpyAsync(pinned, device, 2048, cudaMemcpyDeviceToHost, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaGraphLaunch(exec, stream);
  cudaDeviceSynchronize();
  cudaProfilerStart();
  cudaMemcpyAsync(pinned, device, 1024, cudaMemcpyDeviceToHost, stream);
  times<3><<<1, 64, 128, stream>>>(device);
  cudaStreamSynchronize(stream);
  cudaProfilerStop();
  return 0;
}

// CHECK: Profiling result:
// CHECK-NEXT: Type  Time(%) {{ *}}Time  Calls {{ *}}Avg {{ *}}Min {{ *}}Max  Name
// CHECK-DAG: {{[0-9.]+}}%  {{[0-9.]+[mun]*s}}      3  {{.*}}  increment(int*, int)
// CHECK-DAG: 2  {{.*}}  void times<5>(int*)
// CHECK-DAG: 3  {{.*}}  [CUDA memcpy DtoH]
// CHECK-DAG: 1  {{.*}}  [CUDA memcpy HtoD]
// CHECK-DAG: 1  {{.*}}  [CUDA memset]
// CHECK-DAG: API calls:
// CHECK-DAG: 5  {{.*}}  cudaLaunchKernel
// CHECK-DAG: 2  {{.*}}  cudaMemcpyAsync
// CHECK-DAG: 2  {{.*}}  cudaGraphLaunch
// CHECK-DAG: 1  {{.*}}  cudaStreamCreate{{$}}

// TRACE: =={{[0-9]+}}== NVPROF is profiling process [[P:[0-9]+]], command: {{.*}}nvprof.cu.tmp
// TRACE: ==[[P]]== Profiling application:
// TRACE: ==[[P]]== Profiling result:
// TRACE-NEXT: Start  Duration  Grid Size  Block Size
// TRACE-NEXT: - - - - - 16.000KB {{.*}}B/s Pageable Device Tesla K20c (0) 1 7 [CUDA memcpy HtoD]
// TRACE-COUNT-3: (16 1 1) (256 1 1) {{[0-9]+}} 0B 0B - - - - Tesla K20c (0) 1 7 increment(int*, int) [{{[0-9]+}}]
// TRACE-NEXT: 400B {{.*}} - Device Tesla K20c (0) 1 7 [CUDA memset]
// TRACE-NEXT: 1 [[S:[0-9]+]] void times<5>(int*) [[CALL:\[[0-9]+\]]]
// TRACE-NEXT: 2.0000KB {{.*}} 1 [[S]] [CUDA memcpy DtoH]
// TRACE-NEXT: 1 [[S]] void times<5>(int*) [[CALL]]
// TRACE-NEXT: 2.0000KB
// TRACE-NEXT: 1.0000KB {{.*}} Device Pinned Tesla K20c (0) 1 [[S]] [CUDA memcpy DtoH]
// TRACE-NEXT: (1 1 1) (64 1 1) {{[0-9]+}} 0B 128B {{.*}} 1 [[S]] void times<3>(int*)

// CALLS-NOT: cuDevice
// CALLS: cudaHostAlloc [[[#N:]]]
// CALLS-NEXT: cudaMalloc [[[#N+1]]]
// CALLS-NEXT: cudaMemcpy [[[#N+2]]]
// CALLS-NEXT: cudaLaunchKernel [[[#N+3]]]
// CALLS: cudaStreamBeginCapture

// CSV: "Type","Time(%)","Time","Calls","Avg","Min","Max","Name"
// CSV-NEXT: ,%,us,,us,us,us,
// CSV: "GPU activities",{{[0-9.]+}},{{[0-9.]+}},3,{{[0-9.]+}},{{[0-9.]+}},{{[0-9.]+}},"increment(int*, int)"

// PART: [CUDA memcpy DtoH]
// PART-NEXT: times<3>
// PART-NOT: times<5>

// JSON: ['driver', 'kernel', 'memcpy', 'memset', 'runtime']
// NONE: ======== Warning: No CUDA application was profiled, exiting
// ODD: heddle fatal   : there is no option '--odd'
// NOTHING: heddle fatal   : heddle profile needs a program
// SOURCE: nvprof.cu' is no program; compile it first

// LOG: # CUDA_PROFILE_LOG_VERSION 2.0
// LOG-NEXT: # CUDA_DEVICE 0 Tesla K20c
// LOG-NEXT: # CUDA_CONTEXT 1
// LOG-NEXT: # TIMESTAMPFACTOR {{[0-9a-f]+}}
// LOG-NEXT: method,gputime,cputime,gridsize3d,threadblocksize,streamid,memtransfersize,occupancy
// LOG-NEXT: method=[ memcpyHtoD ] gputime=[ {{[0-9.]+}} ] cputime=[ {{[0-9.]+}} ] streamid=[ 7 ] memtransfersize=[ 16384 ]
// LOG-NEXT: method=[ _Z9incrementPii ] gputime=[ {{[0-9.]+}} ] cputime=[ {{[0-9.]+}} ] gridsize3d=[ 16, 1, 1 ] threadblocksize=[ 256, 1, 1 ] streamid=[ 7 ] occupancy=[ 1.000 ]
// LOG: method=[ memset ]
// LOGCSV: # CUDA_PROFILE_CSV 1
// LOGCSV: method,gputime,cputime,gridsizeX,gridsizeY,gridsizeZ,threadblocksizeX,threadblocksizeY,threadblocksizeZ,streamid,memtransfersize,occupancy
// LOGCSV-NEXT: memcpyHtoD,{{[0-9.]+}},{{[0-9.]+}},,,,,,,7,16384,
// LOGCSV-NEXT: _Z9incrementPii,{{[0-9.]+}},{{[0-9.]+}},16,1,1,256,1,1,7,,{{[0-9.]+}}
