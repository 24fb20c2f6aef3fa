// RUN: %heddle cc %s -o %t
// RUN: %heddle check --json %t.json %t 2>&1 | FileCheck %s
// RUN: %python -c "import json; assert json.load(open('%t.json'))['findings'][0]['kind'] == 'use-after-free'"
// CHECK: Use after free: global read, in kernel take(unsigned long long, float*)
// CHECK-NEXT: at {{.*}}freed_texture.cu:[[@LINE+13]]
// CHECK-NEXT: tex1Dfetch
// CHECK-NEXT: by thread (0,0,0) in block (0,0,0), and 31 more
// CHECK: it is inside 128 bytes of freed device memory
// CHECK-NEXT: allocated by cudaMalloc
// CHECK: freed by cudaFree
// CHECK: the launch is cancelled and the context is lost
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture units look at nothing: such a fault ends the launch, and is a finding like any other.
__global__ void take(cudaTextureObject_t texture, float *to) {
  to[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}

int main() {
  float *from, *to;
  cudaMalloc(&from, 128);
  cudaMalloc(&to, 128);
  cudaMemset(from, 0, 128);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = from;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 128;
  cudaTextureDesc how = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  take<<<1, 32>>>(texture, to);
  cudaDeviceSynchronize();
  cudaFree(from);
  take<<<1, 32>>>(texture, to);
  cudaDeviceSynchronize();
}
